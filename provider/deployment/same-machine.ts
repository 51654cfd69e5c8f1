import type { Activity } from "../apply/shared-reads";
import type { Notices } from "../messages/notices";
import type { ListedValue } from "../model/entry";
import { messageOf } from "../model/errors";
import type { CanonicalPrefix } from "../model/prefix";
import { equal, type ListedMap } from "../model/prefix-map";
import { count, some } from "../model/text";
import type { KeysHere } from "../reconcile/desired";

/** One object (a set, or the active signalings) at one address. */
export interface Addressed {
  readonly endpoint: string;
  /** Name in messages: `Set prefixset://edge/blocked on fra1`. */
  readonly title: string;
  /** Prefixes that resources of this deployment want at this address. */
  readonly wantedHere: KeysHere;
  /** Prefixes at this address of resources that are replaced in this deployment, and of nodes that another one replaces. */
  readonly leavingHere: KeysHere;
  readonly activity: Activity;
  list(): Promise<ListedMap>;
  /** Entries of the last list of this process. */
  last(): ListedMap | undefined;
  /** @returns the list after it, where there is one */
  restore(entries: ListedMap): Promise<ListedMap | undefined>;
}

/** Number of addresses whose staying entries are reported in full. */
const TOLD = 5;

/** Name in messages for the address of another provider resource's node, which this process does not know. */
const ELSEWHERE = "the node of another provider of this stack";

/** Most comparisons of two addresses, if changes of ours disturb them. */
const ROUNDS = 3;

/**
 * Two addresses may be one machine: `127.0.0.1` and `localhost`, an address and its DNS name. So an entry that this
 * deployment wants at one address is removed at no other, unless a proof or the user says that they are two machines.
 *
 * The proof is a stable difference: two lists of each address, in turn, with different contents and no change between them.
 * It is sought once before a write to the new address of a resource (later both may hold the same), and once before a
 * removal. Equal lists prove nothing.
 */
export class SameMachine {
  private readonly objects = new Map<string, Map<string, Addressed>>();
  private readonly verdicts = new Map<string, Promise<boolean>>();
  private readonly explained = new Set<string>();
  /** For each object, address to number: addresses with different numbers are two machines. */
  private readonly learnt = new Map<string, Map<string, number>>();

  constructor(
    private readonly notices: Notices,
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

  /** Takes the numbers of earlier runs: addresses with different numbers answered with different contents. */
  learn(object: string, numbers: ReadonlyMap<string, number>): void {
    this.learnt.set(object, new Map([...(this.learnt.get(object) ?? []), ...numbers]));
  }

  /** True if two addresses are known to be two machines without a list. */
  isKnown(object: string, one: string, other: string): boolean {
    if (this.areDistinct()) return true;
    const numbers = this.learnt.get(object);
    const [a, b] = [numbers?.get(one), numbers?.get(other)];
    return a !== undefined && b !== undefined && a !== b;
  }

  /** Seeks the proof before a write to an address to which a resource moves. */
  async before(object: string, here: Addressed, observed?: ListedMap): Promise<void> {
    for (const there of this.others(object, here)) {
      if (there.leavingHere.size === 0) continue;
      if (this.areDistinct()) return;
      const moves = [...here.wantedHere].some(
        (prefix) => there.leavingHere.has(prefix) && !there.wantedHere.has(prefix),
      );
      if (moves) await this.once(object, [here, there], "before", () => differ(here, there, observed));
    }
  }

  /** Prefixes that must stay here; reports them with reason and remedies. */
  async protect(
    object: string,
    here: Addressed,
    remove: Iterable<CanonicalPrefix>,
  ): Promise<ReadonlySet<CanonicalPrefix>> {
    const desired = this.wantedAnywhere(object);
    const prefixes = [...remove].filter((prefix) => desired.has(prefix));
    const spared = new Set<CanonicalPrefix>();
    if (prefixes.length === 0) return spared;
    for (const there of this.others(object, here)) {
      const common = prefixes.filter((prefix) => !spared.has(prefix) && there.wantedHere.has(prefix));
      if (common.length === 0 || (await this.areTwo(object, here, there))) continue;
      for (const prefix of common) spared.add(prefix);
      this.explain(object, here, there, common);
    }
    const others = this.wantedByOthers(object);
    const elsewhere = prefixes.filter((prefix) => !spared.has(prefix) && others.has(prefix));
    if (elsewhere.length === 0 || this.areDistinct()) return spared;
    for (const prefix of elsewhere) spared.add(prefix);
    this.explain(object, here, { endpoint: ELSEWHERE }, elsewhere);
    return spared;
  }

  /** Lists the other addresses after a removal, and restores wanted entries that went there too. */
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
      if (held.length === 0) continue;
      try {
        const now = await there.list();
        const lost = held.filter(([prefix]) => !now.has(prefix));
        if (lost.length === 0) continue;
        const after = await there.restore(new Map(lost));
        const still = after ? lost.filter(([prefix]) => !after.has(prefix)) : [];
        if (still.length > 0) throw new Error(`${some(still.map(([prefix]) => prefix))} is not in the list after it.`);
        this.notices.warn(
          `${there.title}: ${some(lost.map(([prefix]) => prefix))} was removed by a commit at ${here.endpoint} and is restored, since this stack declares it: the two addresses are one machine.${this.areDistinct() ? " Remove packetfilter:distinctNodes." : ""}`,
        );
      } catch (error) {
        const names = some(held.map(([prefix]) => prefix));
        this.notices.warn(
          `${there.title}: it is unknown whether ${names} is still there after the removal at ${here.endpoint}: ${messageOf(error)} "pulumi up --refresh" corrects it.`,
        );
      }
    }
  }

  private others(object: string, { endpoint }: Addressed): Addressed[] {
    return [...(this.objects.get(object)?.values() ?? [])].filter((it) => it.endpoint !== endpoint);
  }

  private async areTwo(object: string, here: Addressed, there: Addressed): Promise<boolean> {
    if (this.isKnown(object, here.endpoint, there.endpoint)) return true;
    if (await this.verdicts.get(key(object, [here, there], "before"))) return true;
    return this.once(object, [here, there], "at removal", () => differ(here, there));
  }

  /** Compares each pair once; concurrent callers share the answer. */
  private once(object: string, pair: readonly [Addressed, Addressed], when: string, compare: () => Promise<boolean>) {
    const at = key(object, pair, when);
    const verdict = this.verdicts.get(at) ?? compare().catch(() => false);
    this.verdicts.set(at, verdict);
    return verdict;
  }

  private explain(
    object: string,
    here: Addressed,
    there: Pick<Addressed, "endpoint">,
    prefixes: readonly CanonicalPrefix[],
  ): void {
    const what = count(prefixes.length, "entry stays", "entries stay");
    const pair = key(object, [here, there], "");
    if (this.explained.has(pair)) {
      this.notices.warn(`${here.title}: ${what} for the same reason: ${some(prefixes)}.`);
      return;
    }
    this.explained.add(pair);
    const text = `${here.title}: ${what}, since this stack declares the same at ${there.endpoint}, and nothing proves that ${here.endpoint} is another machine: ${some(prefixes)}`;
    this.notices.warnAlike(`${object} stays`, text, (all) => {
      const [it, rest] =
        all.length === 1
          ? ["it is", ""]
          : ["they are", all.length > TOLD ? `. So do entries at ${all.length - TOLD} other addresses` : ""];
      return `${all.slice(0, TOLD).join(". ")}${rest}. If ${it}, clear them there by hand (docs/guides/moving-and-retiring-nodes.md has the commands), and set packetfilter:distinctNodes to true before the next such change.`;
    });
  }
}

function key(object: string, pair: readonly Pick<Addressed, "endpoint">[], when: string): string {
  const endpoints = pair.map(({ endpoint }) => endpoint).sort();
  return [when, object, ...endpoints].join("\n");
}

/** True if two addresses differ while neither changes: then they are two machines. */
async function differ(here: Addressed, there: Addressed, observed?: ListedMap): Promise<boolean> {
  let listed = observed;
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all([here.activity.rest(), there.activity.rest()]);
    const epoch = here.activity.epoch + there.activity.epoch;
    const isStill = () => here.activity.epoch + there.activity.epoch === epoch;
    const first = [listed ?? (await here.list()), await there.list()] as const;
    listed = undefined;
    if (isStill() && equal(...first)) return false;
    const second = [await here.list(), await there.list()] as const;
    if (isStill() && equal(first[0], second[0]) && equal(first[1], second[1]) && !equal(...second)) return true;
  }
  return false;
}
