import type { ObservedSet } from "../client/node-set";
import type { ForeignChanges } from "../messages/events";
import type { ListedValue } from "../model/entry";
import { asError } from "../model/errors";
import type { CanonicalPrefix } from "../model/prefix";
import { type ListedMap, madeOnce, NOTHING, sharedDifference } from "../model/prefix-map";
import type { Settled } from "./group-commit";

/** The changes that one operation wants, decided against the present content of the node. */
export interface SetPlan {
  /** Prefixes that must be there afterwards, with their value. */
  readonly put: ListedMap;
  /** Prefixes that must be gone afterwards. */
  readonly remove: ReadonlySet<CanonicalPrefix>;
  /** Prefixes that a failed run may have left staged: they are sent again even if the list shows them as declared. */
  readonly unsettled?: ReadonlySet<CanonicalPrefix>;
  /**
   * Prefixes that the list shows as they are wanted, although no known run put them there: on a node that lists staged entries,
   * a killed run may have staged them. They are not sent, but a commit follows.
   */
  readonly listed?: ReadonlySet<CanonicalPrefix>;
  /** Those of `remove` that no limit counts, since they have expired, or a run that did not end brought them. */
  readonly uncounted?: ReadonlySet<CanonicalPrefix>;
  /** Those of `put` that the node lost: no limit counts or stops them, since they get back their value in the state. */
  readonly restored?: ReadonlySet<CanonicalPrefix>;
  /** Reason why a limit left no more of this plan than its restored entries: they are sent, and then the operation fails. */
  readonly refusal?: string;
}

/** One resource operation on a set. */
export interface SetOperation {
  /**
   * Decides what is to be done, given the content of the node. Changes nothing itself, and may be asked more than once. An
   * error that it throws is the operation's answer: only this operation fails, before anything is sent.
   */
  plan(observed: ListedMap): SetPlan;
  /**
   * The caller is being deleted, so no state can record unfinished changes. If the operation fails, staged removals
   * of entries that are still there are taken back, so that no later commit publishes them.
   */
  readonly isDelete?: boolean;
  /** Reason in the program, for the audit log. */
  readonly reason?: string | undefined;
}

/** The fate of an entry; `null` stands for "not there". */
interface ValueChange {
  readonly old: ListedValue | null;
  readonly new: ListedValue | null;
}

/** The end of an operation. */
export interface SetResult {
  /** Content of the node before. */
  readonly before: ListedMap;
  /** Content of the node by the list after the commit; the same as before if nothing was to do. */
  readonly after: ListedMap;
  /** Changes of this operation, prefix by prefix. */
  readonly changes: ReadonlyMap<CanonicalPrefix, ValueChange>;
}

/** A failed operation, with the known facts about its effect. */
export class SetWriteFailure extends Error {
  override readonly name = "SetWriteFailure";
  /** Content of the node by the last list that was answered; of entries that are only inserted, the content before. */
  readonly applied: ListedMap;
  /** Prefixes of this operation that may be staged and not applied. */
  readonly unsettled: readonly CanonicalPrefix[];
  /** Changes of this operation that are applied, by that list, or open, as they were intended. */
  readonly changes: ValueChanges;

  constructor(message: string, truth: WriteTruth & { readonly cause?: unknown }, changes: ValueChanges = new Map()) {
    super(message, { cause: truth.cause });
    this.applied = truth.applied;
    this.unsettled = truth.unsettled;
    this.changes = changes;
  }
}

type WriteTruth = Pick<SetWriteFailure, "applied" | "unsettled">;

/** The failure of an operation that was sent. @param before Content of the node before it. */
export function failedOperation(
  message: string,
  truth: WriteTruth & { readonly cause?: unknown },
  { put, remove }: Changes,
  before: ListedMap,
): { readonly ok: false; readonly error: SetWriteFailure } {
  const applied = changesOf([...put.keys(), ...remove], before, truth.applied);
  const changes = new Map([...applied, ...changesOf(truth.unsettled, before, put)]);
  return { ok: false, error: new SetWriteFailure(message, truth, changes) };
}

/** An operation with its plan, or with the reason why it has none. */
export type Planned = Settled<SetPlan> & { readonly operation: SetOperation };

/** Asks an operation for its plan. An error that it throws is its own answer; the other operations continue. */
export function planned(operation: SetOperation, observed: ListedMap): Planned {
  try {
    return { operation, ok: true, value: operation.plan(observed) };
  } catch (error) {
    return { operation, ok: false, error: asError(error) };
  }
}

/** The rest of a plan that a limit refuses: its lost entries are restored all the same. @throws {Error} with the reason, if there are none */
export function onlyRestored({ put, restored, unsettled = new Set() }: SetPlan, refusal: string): SetPlan {
  const lost = new Map([...put].filter(([prefix]) => restored?.has(prefix)));
  if (lost.size === 0) throw new Error(refusal);
  const open = new Set([...unsettled].filter((prefix) => !lost.has(prefix)));
  return { put: lost, remove: new Set(), unsettled: open, restored: new Set(lost.keys()), refusal };
}

/** The operation with what a refusal leaves of its plan, as by {@link onlyRestored}. */
export function restoring(operation: SetOperation, value: SetPlan, refusal: string): Planned {
  return planned({ ...operation, plan: () => onlyRestored(value, refusal) }, NOTHING);
}

/** The answer to an operation for which nothing had to be sent. */
export function unchanged(plan: Planned, observed: ObservedSet): Settled<SetResult> {
  return plan.ok ? { ok: true, value: resultOf(plan.value, observed, observed) } : plan;
}

/** The report to an operation once its plan was carried out. */
export function resultOf(own: SetPlan, before: ObservedSet, after: ObservedSet): SetResult {
  return {
    before: before.values,
    after: after.values,
    // Computed on demand: usually only an audit log reads it.
    get changes() {
      const put = valueChanges(own.put, before.values, after.values);
      const removed = changesOf(own.remove, before.values, after.values);
      return removed.size === 0 ? put : new Map([...put, ...removed]);
    },
  };
}

type ValueChanges = ReadonlyMap<CanonicalPrefix, ValueChange>;

function changesOf(prefixes: Iterable<CanonicalPrefix>, before: ListedMap, after: ListedMap): ValueChanges {
  const changes = new Map<CanonicalPrefix, ValueChange>();
  for (const prefix of prefixes) {
    const [from, to] = [before.get(prefix) ?? null, after.get(prefix) ?? null];
    if (from !== to) changes.set(prefix, { old: from, new: to });
  }
  return changes;
}

/** The outcome of the entries to insert. */
const valueChanges = madeOnce((put: ListedMap, before: ListedMap, after: ListedMap) =>
  changesOf(put.keys(), before, after),
);

/** All changes of a group of operations. */
export interface Changes {
  readonly put: ListedMap;
  readonly remove: ReadonlySet<CanonicalPrefix>;
  /** True if a commit follows even if nothing is sent, since listed entries may only be staged. */
  readonly isShown?: boolean;
}

/**
 * One set of changes from all plans: a prefix that any operation wants is not removed, and an insert that the node shows
 * already is not sent. A removal is sent even if the list lacks the entry: a list may be old, or show a removal that is only
 * staged.
 */
export function merge(plans: readonly Planned[], before: ObservedSet): Changes {
  const put = mergedPut(plans, before.values);
  const remove = new Set<CanonicalPrefix>();
  const removes = plans.some((plan) => plan.ok && plan.value.remove.size > 0);
  const desired = new Set(removes ? plans.flatMap((plan) => (plan.ok ? [...plan.value.put.keys()] : [])) : []);
  for (const plan of plans) {
    if (!plan.ok) continue;
    for (const prefix of plan.value.remove) if (!desired.has(prefix)) remove.add(prefix);
  }
  const isShown = plans.some((plan) => plan.ok && (plan.value.listed?.size ?? 0) > 0);
  return { put, remove, isShown };
}

function mergedPut(plans: readonly Planned[], observed: ListedMap): ListedMap {
  const [first, ...others] = plans.flatMap((plan) => (plan.ok ? plan.value : []));
  if (first && others.length === 0 && (first.unsettled?.size ?? 0) === 0) return notShown(first.put, observed);
  const put = new Map<CanonicalPrefix, ListedValue>();
  for (const { put: desired, unsettled } of first ? [first, ...others] : []) {
    for (const [prefix, value] of desired) {
      if (observed.get(prefix) !== value || unsettled?.has(prefix)) put.set(prefix, value);
    }
  }
  return put;
}

/** Entries to insert that a list does not show with their value. */
const notShown = madeOnce((put: ListedMap, observed: ListedMap): ListedMap => {
  if (observed.size === 0) return put;
  const rest = new Map<CanonicalPrefix, ListedValue>();
  put.forEach((value, prefix) => {
    if (observed.get(prefix) !== value) rest.set(prefix, value);
  });
  return rest;
});

/** True when there is nothing to send and nothing to commit. */
export function isNothing({ put, remove, isShown }: Changes): boolean {
  return put.size + remove.size === 0 && isShown !== true;
}

/** Those of these changes that a list does not show. */
export function missing(
  changes: { put: ListedMap; remove: ReadonlySet<CanonicalPrefix> },
  observed: ObservedSet,
): CanonicalPrefix[] {
  const absent = notShown(changes.put, observed.values);
  const present = [...changes.remove].filter((prefix) => observed.has(prefix) && !changes.put.has(prefix));
  return [...absent.keys(), ...present];
}

/** Differences between two lists that others made; `undefined` for none. */
export function doneByOthers(before: ListedMap, after: ListedMap, merged: Changes): ForeignChanges | undefined {
  const { insert, remove, change } = sharedDifference(before, after);
  const foreign = (map: ReadonlyMap<CanonicalPrefix, unknown>) =>
    keysExcept(map, merged.put).filter((prefix) => !merged.remove.has(prefix));
  const [inserted, removed, changed] = [foreign(insert), foreign(remove), foreign(change)];
  return inserted.length + removed.length + changed.length > 0 ? { inserted, removed, changed } : undefined;
}

const keysExcept = madeOnce((map: ReadonlyMap<CanonicalPrefix, unknown>, others: ListedMap) =>
  [...map.keys()].filter((prefix) => !others.has(prefix)),
);
