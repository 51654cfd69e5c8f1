import type { ListedValue } from "../model/entry";
import type { CanonicalPrefix } from "../model/prefix";
import { type ListedMap, madeOnce } from "../model/prefix-map";

/**
 * The comparison of program (`desired`), state (`known`) and node (`observed`), prefix by prefix, as in `kubectl apply`. Plan,
 * preview, refresh, `ignoreChanges` and expiry use it, and compare nothing themselves. docs/contributing/comparison.md is its table.
 */

/** Relation of a prefix to the three contents. */
export type Relation =
  | "absent"
  | "same"
  | "new"
  | "present"
  | "occupied"
  | "changed"
  | "missing"
  | "different"
  | "dropped"
  | "foreign";

/** Facts about a prefix other than the three contents: absent means no. */
export interface Circumstances {
  /** Another resource of the deployment declares it. */
  readonly declared?: boolean;
  /** It has expired, or `block --now` put it there with this value and no program declares it any more. */
  readonly expired?: boolean;
  /** A run of this stack that did not end may have sent it. */
  readonly noted?: boolean;
  /** `block --now` inserted it with this value, from a file that the program reads. */
  readonly blocked?: boolean;
  /** The resource has a part of the set only (`exclusive: false`). */
  readonly partial?: boolean;
  /** The state of another resource of the deployment has it; of an undeclared entry, asked for a new resource only. */
  readonly owned?: boolean;
  /** The resource has no state yet. */
  readonly isNew?: boolean;
  /** The node is reached at another address than the one in the state. */
  readonly moved?: boolean;
  /** The program ignores changes of the entry (`ignoreChanges`). */
  readonly ignored?: boolean;
  /** No look or refresh found the value, so that no preview showed it. */
  readonly unobserved?: boolean;
}

/** Outcome of a prefix in an `up`. */
export type Verdict =
  | "none"
  /** Sent, since the program declares it newly. */
  | "insert"
  /** Sent in place of another value, since the program declares it so. */
  | "change"
  /** It is there as declared: a commit makes sure, and it belongs to the resource. */
  | "take over"
  /** Lost at the node, and sent again. */
  | "restore"
  /** Deleted, since the program no longer declares it. */
  | "remove"
  /** Deleted, since its time is over: no limit counts it. */
  | "expire"
  /** Sent by a run that did not end: sent again or committed if it is declared, else deleted. */
  | "settle"
  /** Kept as it is, and named: another writer's. */
  | "keep"
  /** Kept as it is, and named: the program ignores its changes. */
  | "leave"
  /** Another writer's, in the way of what the program declares newly: refused, or adopted as it is. */
  | "refuse";

type Rule = readonly [...(readonly [keyof Circumstances, Verdict])[], Verdict];

/** The first circumstance that is true decides; the last member is for the case that none is. */
export const RULES: Readonly<Record<Relation, Rule>> = {
  absent: [["declared", "none"], ["noted", "settle"], "none"],
  same: [["noted", "settle"], "none"],
  new: ["insert"],
  present: [["noted", "settle"], ["owned", "none"], "take over"],
  occupied: [["noted", "change"], ["blocked", "change"], ["owned", "change"], ["moved", "change"], "refuse"],
  changed: ["change"],
  missing: [["moved", "insert"], "restore"],
  different: [["noted", "restore"], ["moved", "change"], ["ignored", "leave"], ["unobserved", "keep"], "restore"],
  dropped: [["declared", "none"], ["expired", "expire"], "remove"],
  foreign: [
    ...([
      ["declared", "none"],
      ["expired", "expire"],
      ["noted", "settle"],
      ["partial", "none"],
      ["owned", "none"],
      ["isNew", "refuse"],
      ["ignored", "none"],
    ] as const),
    "keep",
  ],
};

/** Outcome of a prefix with this relation. */
export function verdictOf(relation: Relation, about: Circumstances): Verdict {
  const rule = RULES[relation];
  const applies = rule.find((part) => typeof part !== "string" && about[part[0]] === true) ?? rule.at(-1);
  return (typeof applies === "string" ? applies : applies?.[1]) as Verdict;
}

/** The relation of a prefix by its values; `undefined` where a content does not have it. */
export function relationOf(
  observed: ListedValue | undefined,
  known: ListedValue | undefined,
  desired: ListedValue | undefined,
): Relation {
  if (desired === undefined) {
    if (known !== undefined) return "dropped";
    return observed === undefined ? "absent" : "foreign";
  }
  if (known === desired) {
    if (observed === desired) return "same";
    return observed === undefined ? "missing" : "different";
  }
  if (observed === desired) return "present";
  if (observed === undefined) return "new";
  return known === undefined ? "occupied" : "changed";
}

/** The prefixes of a set by their relation, without those that are the same everywhere. */
export type Comparison = Readonly<Record<Exclude<Relation, "same" | "absent">, readonly CanonicalPrefix[]>>;

/** Compares whole sets, once for all nodes that hold the same. */
export const compareSet = madeOnce((observed: ListedMap, known: ListedMap, desired: ListedMap): Comparison => {
  const found: { [relation in keyof Comparison]: CanonicalPrefix[] } = {
    ...{ new: [], present: [], occupied: [], changed: [], missing: [], different: [], dropped: [], foreign: [] },
  };
  const add = (prefix: CanonicalPrefix, ...values: Parameters<typeof relationOf>) => {
    const relation = relationOf(...values);
    if (relation !== "same" && relation !== "absent") found[relation].push(prefix);
  };
  // By `forEach`: in a new process a loop over ten thousand pairs takes several times as long.
  desired.forEach((to, prefix) => {
    const from = known === desired ? to : known.get(prefix);
    const there = observed === known ? from : observed.get(prefix);
    // Nearly all are the same.
    if (from !== to || there !== to) add(prefix, there, from, to);
  });
  if (known !== desired)
    known.forEach((from, prefix) => {
      if (!desired.has(prefix)) add(prefix, observed.get(prefix), from, undefined);
    });
  if (observed === known || observed === desired) return found;
  observed.forEach((there, prefix) => {
    if (!desired.has(prefix) && !known.has(prefix)) add(prefix, there, undefined, undefined);
  });
  return found;
});

/** Change that the program makes, if the node holds what the state says. */
export function desiredChange(known: ListedMap, desired: ListedMap): Pick<Comparison, "new" | "changed" | "dropped"> {
  return compareSet(known, known, desired);
}

/** True if the program declares what the state has. */
export function isUnchanged(known: ListedMap, desired: ListedMap): boolean {
  const { new: added, changed, dropped } = desiredChange(known, desired);
  return added.length + changed.length + dropped.length === 0;
}
