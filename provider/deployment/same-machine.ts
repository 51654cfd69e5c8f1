import type { EventPlace, Reporter } from "../messages/events";
import type { ListedValue } from "../model/entry";
import { messageOf } from "../model/errors";
import type { CanonicalPrefix } from "../model/prefix";
import type { ListedMap } from "../model/prefix-map";
import { some } from "../model/text";
import type { KeysHere } from "../reconcile/desired";

/** One object (a set, or the active signalings) at one address. */
export interface Addressed {
  readonly endpoint: string;
  /** Place in events. */
  readonly place: EventPlace;
  /** Prefixes that resources of this deployment want at this address. */
  readonly wantedHere: KeysHere;
  list(): Promise<ListedMap>;
  /** Entries of the last list of this process. */
  last(): ListedMap | undefined;
  /** @returns the list after it, where there is one */
  restore(entries: ListedMap): Promise<ListedMap | undefined>;
}

/** Name in messages for the address of another provider resource's node, which this process does not know. */
const ELSEWHERE = "the node of another provider of this stack";

/**
 * Two addresses may be one machine: `127.0.0.1` and `localhost`, an address and its DNS name. So an entry that this
 * deployment wants at one address is removed at no other, unless the user says that each address is a machine of its own.
 */
export class SameMachine {
  private readonly objects = new Map<string, Set<Addressed>>();
  private readonly explained = new Set<string>();

  constructor(
    private readonly notices: Reporter,
    /** True when the user says that each address is a machine of its own. */
    private readonly areDistinct: () => boolean,
    /** Prefixes of an object that this deployment wants at any address. */
    private readonly wantedAnywhere: (object: string) => Pick<KeysHere, "has">,
    /** Prefixes that other provider processes want, at addresses that this one cannot compare. */
    private readonly wantedByOthers: (object: string) => Pick<KeysHere, "has"> = () => new Set<string>(),
  ) {}

  /** Registers an object at an address. Several connections may lead there, and each knows its own entries and list. */
  register(object: string, at: Addressed): void {
    this.objects.set(object, (this.objects.get(object) ?? new Set()).add(at));
  }

  /** Prefixes that must stay here; reports them with reason and remedies. */
  protect(object: string, here: Addressed, remove: Iterable<CanonicalPrefix>): ReadonlySet<CanonicalPrefix> {
    const spared = new Set<CanonicalPrefix>();
    if (this.areDistinct()) return spared;
    const desired = this.wantedAnywhere(object);
    const prefixes = [...remove].filter((prefix) => desired.has(prefix));
    if (prefixes.length === 0) return spared;
    const elsewhere = { endpoint: ELSEWHERE, wantedHere: this.wantedByOthers(object) };
    for (const there of [...this.others(object, here), elsewhere]) {
      const common = prefixes.filter((prefix) => !spared.has(prefix) && there.wantedHere.has(prefix));
      for (const prefix of common) spared.add(prefix);
      if (common.length > 0) this.explain(object, here, there, common);
    }
    return spared;
  }

  /** Lists the other addresses after a removal, and restores wanted entries that went there too: they are no two machines. */
  async after(object: string, here: Addressed, removed: ListedMap): Promise<void> {
    const desired = this.wantedAnywhere(object);
    const prefixes = [...removed.keys()].filter((prefix) => desired.has(prefix));
    if (prefixes.length === 0) return;
    for (const there of this.others(object, here)) {
      const before = there.last();
      const held = prefixes.flatMap((prefix): [CanonicalPrefix, ListedValue][] => {
        const value = there.wantedHere.has(prefix) ? before?.get(prefix) : undefined;
        return value === undefined ? [] : [[prefix, value]];
      });
      if (held.length > 0) await this.restoreAt(there, here, held);
    }
  }

  private async restoreAt(
    there: Addressed,
    here: Addressed,
    held: readonly [CanonicalPrefix, ListedValue][],
  ): Promise<void> {
    const loss = {
      ...there.place,
      cause: { by: "one machine", address: here.endpoint, isDistinct: this.areDistinct() },
    } as const;
    const names = (entries: typeof held) => entries.map(([prefix]) => prefix);
    try {
      const now = await there.list();
      const missing = held.filter(([prefix]) => !now.has(prefix));
      if (missing.length === 0) return;
      const after = await there.restore(new Map(missing));
      const still = after ? missing.filter(([prefix]) => !after.has(prefix)) : [];
      if (still.length > 0) throw new Error(`${some(names(still))} is not in the list after it.`);
      this.notices.report({ kind: "restored", ...loss, prefixes: names(missing) });
    } catch (error) {
      this.notices.report({ kind: "notRestored", ...loss, prefixes: names(held), error: messageOf(error) });
    }
  }

  private others(object: string, { endpoint }: Addressed): Addressed[] {
    return [...(this.objects.get(object) ?? [])].filter((it) => it.endpoint !== endpoint);
  }

  private explain(
    object: string,
    here: Addressed,
    there: Pick<Addressed, "endpoint">,
    prefixes: readonly CanonicalPrefix[],
  ): void {
    const pair = [object, ...[here.endpoint, there.endpoint].sort()].join("\n");
    const isExplained = this.explained.has(pair);
    this.explained.add(pair);
    this.notices.report({ kind: "protected", ...here.place, prefixes, address: there.endpoint, isExplained });
  }
}
