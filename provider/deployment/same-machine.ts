import type { EventPlace, Reporter } from "../messages/events";
import type { CanonicalPrefix } from "../model/prefix";
import type { KeysHere } from "../reconcile/desired";

/** One object (a set, or the active signalings) at one address. */
export interface Addressed {
  readonly endpoint: string;
  /** Place in events. */
  readonly place: EventPlace;
  /** Prefixes that resources of this deployment want at this address. */
  readonly wantedHere: KeysHere;
}

/** Name in messages for the address of another provider resource's node, which this process does not know. */
const ELSEWHERE = "the node of another provider of this stack";

/**
 * Two addresses may be one machine: `127.0.0.1` and `localhost`, an address and its DNS name. So an entry that this
 * deployment wants at one address is removed at no other, unless the user says that each address is a machine of its own.
 */
export class SameMachine {
  private readonly objects = new Map<string, Map<string, Addressed>>();
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

  /** Registers an object at an address; the last connection is used. */
  register(object: string, at: Addressed): void {
    const places = this.objects.get(object) ?? new Map<string, Addressed>();
    this.objects.set(object, places.set(at.endpoint, at));
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

  private others(object: string, { endpoint }: Addressed): Addressed[] {
    return [...(this.objects.get(object)?.values() ?? [])].filter((it) => it.endpoint !== endpoint);
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
