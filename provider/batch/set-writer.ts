import type { CanonicalPrefix } from "../model/prefix";
import { difference, type PrefixMap } from "../model/prefix-map";
import { count, some } from "../model/text";
import type { Crowd } from "./crowd";
import { GroupCommit, type Settled } from "./group-commit";
import type { ObservedSet } from "./observed-set";
import { realSchedule, type Schedule } from "./schedule";
import { type SetRequests, Staging } from "./set-staging";
import type { SharedReads } from "./shared-reads";

/** What one operation wants changed, decided against what the node holds right now. */
export interface SetPlan {
  /** Prefixes that must be there afterwards, with their value. */
  readonly put: PrefixMap;
  /** Prefixes that must be gone afterwards. */
  readonly remove: ReadonlySet<CanonicalPrefix>;
  /** Prefixes whose staging was left open by a failed run: they are sent again even where the list looks right. */
  readonly unsettled?: ReadonlySet<CanonicalPrefix>;
}

/** One resource operation on a set. `plan` may throw: then this operation fails alone, before anything is sent. */
export interface SetOperation {
  plan(observed: PrefixMap): SetPlan;
  /**
   * The caller has no state to remember an open end in, since it is being deleted. If the operation fails, staged removals
   * of entries that are still there are taken back, so that no later commit publishes them. What the list does not show is
   * removed all the same: on a node that lists staged entries, an earlier attempt may have left the removal uncommitted.
   */
  readonly isLast?: boolean;
}

/** How an operation ended. */
export interface SetResult {
  /** What the node held before. */
  readonly before: PrefixMap;
  /** What the node holds now, by the list after the commit (the same as before, if nothing was to do). */
  readonly after: PrefixMap;
  /** What this operation changed, prefix by prefix; `null` stands for "not there". */
  readonly changes: ReadonlyMap<CanonicalPrefix, { readonly old: number | null; readonly new: number | null }>;
}

/** An operation that did not reach its goal, with the truth as far as it is known. */
export class SetWriteFailure extends Error {
  override readonly name = "SetWriteFailure";
  constructor(
    message: string,
    /** What the node holds, by the last list that was answered. */
    readonly applied: PrefixMap,
    /** Prefixes of this operation that may be staged and not applied. */
    readonly unsettled: readonly CanonicalPrefix[],
    override readonly cause?: unknown,
  ) {
    super(message);
  }
}

/** What the writer needs from outside. */
export interface SetWriterOptions {
  readonly requests: SetRequests;
  readonly reads: SharedReads<ObservedSet>;
  /** How an error of `requests` is to be understood. */
  readonly judge: { isRefusal(error: unknown): error is Error; wasRepeated(error: unknown): boolean };
  /** Where the set is, for messages: `prefixset://edge/blocked on fra1`. */
  readonly label: string;
  readonly quietMs: number;
  /** How long the list after a commit may take to show the result. */
  readonly deadlineMs: number;
  /**
   * Looks before the commit for entries that somebody else staged, where the node lists staged entries: `"fail"` takes
   * our own back and commits nothing, `"warn"` says so and goes on. By default what others did is reported afterwards.
   */
  readonly foreignStaged?: "fail" | "warn" | undefined;
  /** True for a prefix that some resource of this deployment wants in this set, whoever asks for a change. */
  readonly isWanted?: (prefix: CanonicalPrefix) => boolean;
  /** Receives sentences about what others did to the set meanwhile. */
  readonly warn: (message: string) => void;
  /** All callers of this process; see {@link Crowd}. */
  readonly crowd?: Crowd;
  readonly schedule?: Schedule;
  readonly now?: () => number;
}

/** The one writer of a set in this process: merges the operations that wait, and commits once for all of them. */
export class SetWriter {
  private readonly group: GroupCommit<SetOperation, SetResult>;
  /** What failed groups may have left staged. No commit of another group may publish it. */
  private readonly leftovers = new Set<CanonicalPrefix>();

  constructor(private readonly options: SetWriterOptions) {
    this.group = new GroupCommit((operations) => this.flush(operations), options);
  }

  /**
   * Carries out an operation together with all others that wait.
   * @throws {SetWriteFailure} when the node may have been changed; any other error means that it was not.
   */
  submit(operation: SetOperation): Promise<SetResult> {
    return this.group.submit(operation);
  }

  private async flush(operations: readonly SetOperation[]): Promise<readonly Settled<SetResult>[]> {
    const { requests, reads, judge } = this.options;
    const before = await requests.list();
    const plans = operations.map((operation) => planned(operation, before.values));
    const merged = merge(plans, before, (index) => operations[index]?.isLast === true);
    if (merged.put.size + merged.remove.size === 0) {
      reads.keep(before);
      return plans.map((plan) => settle(plan, (own) => resultOf(own, before, before)));
    }
    reads.forget();
    const staging = new Staging(requests, before, judge.isRefusal);
    try {
      await this.tidy(merged, staging);
      await staging.stage(merged.put, merged.remove);
      await this.withdraw(plans, merged, staging);
      if (sizeOf(merged) > 0) {
        await this.lookForOthers(before, merged, staging);
        await this.commit(merged, before);
      }
    } catch (error) {
      return this.interrupted(operations, plans, before, staging, error);
    }
    const verified = sizeOf(merged) > 0 ? await this.verify(merged, before) : before;
    const after = await this.putBack(merged, before, verified);
    reads.keep(after);
    this.reportOthers(before.values, after.values, merged);
    return plans.map((plan) => this.conclude(plan, before, after, staging.refused, merged.remove));
  }

  /** Takes back what failed groups left staged, except where this group decides anew. */
  private async tidy(merged: Changes, staging: Staging): Promise<void> {
    const others = [...this.leftovers].filter((prefix) => !merged.put.has(prefix) && !merged.remove.has(prefix));
    if (others.length > 0) await staging.restore(others);
    this.leftovers.clear();
  }

  /** Operations with a refused entry leave the group whole: what else they staged is taken back. */
  private async withdraw(plans: readonly Planned[], merged: Changes, staging: Staging): Promise<void> {
    if (staging.refused.size === 0) return;
    const isHit = (plan: Planned) =>
      plan.ok && [...plan.value.put.keys()].some((prefix) => staging.refused.has(prefix));
    const kept = new Set<CanonicalPrefix>();
    for (const plan of plans) {
      if (!plan.ok || isHit(plan)) continue;
      for (const prefix of plan.value.put.keys()) kept.add(prefix);
      for (const prefix of plan.value.remove) kept.add(prefix);
    }
    const undone = [...merged.put.keys(), ...merged.remove].filter((prefix) => !kept.has(prefix));
    for (const prefix of undone) {
      merged.put.delete(prefix);
      merged.remove.delete(prefix);
    }
    await staging.restore(undone.filter((prefix) => !staging.refused.has(prefix)));
    for (const prefix of staging.refused.keys()) staging.touched.delete(prefix);
  }

  /**
   * A refused commit counts as done only if the list shows the result, and if there was nothing to commit: an earlier try
   * of the same request may have been carried out, or everything was as wanted before and was sent to be sure. The list
   * alone proves nothing on nodes that list staged entries.
   */
  private async commit(merged: Changes, before: ObservedSet): Promise<void> {
    const { requests, judge } = this.options;
    try {
      await requests.commit();
    } catch (error) {
      const isNothingNew = judge.isRefusal(error) && (judge.wasRepeated(error) || missing(merged, before).length === 0);
      if (isNothingNew) {
        const observed = await requests.list().catch(() => undefined);
        if (observed && missing(merged, observed).length === 0) return;
      }
      throw error;
    }
  }

  /** Lists until the result shows. What another writer took away in the meantime is sent once more. */
  private async verify(merged: Changes, before: ObservedSet): Promise<ObservedSet> {
    const { requests, deadlineMs, now = Date.now } = this.options;
    const end = now() + deadlineMs;
    let observed = before;
    for (let pause = FIRST_PAUSE_MS, lists = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS), lists += 1) {
      observed = await requests.list().catch(() => observed);
      const absent = missing(merged, observed);
      if (absent.length === 0 || now() + pause > end) return observed;
      if (lists === REPAIR_AFTER_LISTS) await this.repair(merged, observed, absent);
      await this.pause(pause);
    }
  }

  private async repair(merged: Changes, observed: ObservedSet, absent: readonly CanonicalPrefix[]): Promise<void> {
    const { requests, label, warn, judge } = this.options;
    warn(`Set ${label}: ${absent.length} changes did not show after the commit and are sent again: ${some(absent)}.`);
    const lost = new Set(absent);
    const put = new Map([...merged.put].filter(([prefix]) => lost.has(prefix)));
    try {
      const staging = new Staging(requests, observed, judge.isRefusal);
      await staging.stage(
        put,
        absent.filter((prefix) => merged.remove.has(prefix)),
      );
      await requests.commit();
    } catch {
      // The lists that follow say what is true; the operation fails there if the changes are still missing.
    }
  }

  /** Something failed between the first request and the commit's answer: nobody's changes are applied for sure. */
  private async interrupted(
    operations: readonly SetOperation[],
    plans: readonly Planned[],
    before: ObservedSet,
    staging: Staging,
    error: unknown,
  ): Promise<readonly Settled<SetResult>[]> {
    for (const prefix of staging.touched) this.leftovers.add(prefix);
    const listed = await this.options.requests.list().catch(() => undefined);
    if (listed) await this.undoRemovals(operations, plans, listed, staging);
    const applied = listed ?? before;
    return plans.map((plan, index): Settled<SetResult> => {
      if (!plan.ok) return plan;
      const open = [...plan.value.put.keys(), ...plan.value.remove].filter((prefix) => staging.touched.has(prefix));
      if (open.length === 0 && error instanceof Error) return { ok: false, error };
      const text = error instanceof Error ? error.message : String(error);
      const entries = count(open.length, "entry", "entries");
      const message = operations[index]?.isLast
        ? `${text} The removal of ${entries} may be staged and not applied, or applied: run the same pulumi command again, or "pulumi up --refresh" if they are wanted again.`
        : `${text} ${entries} of this resource may be staged on the node and not applied; "pulumi up" settles that.`;
      return { ok: false, error: new SetWriteFailure(message, applied.values, open, error) };
    });
  }

  /** A removal that failed leaves nothing staged of what is still there, as far as the node lets it. */
  private async undoRemovals(
    operations: readonly SetOperation[],
    plans: readonly Planned[],
    listed: ObservedSet,
    staging: Staging,
  ): Promise<void> {
    const prefixes = plans.flatMap((plan, index) =>
      plan.ok && operations[index]?.isLast ? [...plan.value.remove] : [],
    );
    const present = prefixes.filter((prefix) => staging.touched.has(prefix) && listed.has(prefix));
    if (present.length === 0) return;
    try {
      await new Staging(this.options.requests, listed, this.options.judge.isRefusal).putBack(present);
      for (const prefix of present) this.leftovers.delete(prefix);
    } catch {
      // The node does not answer; the next group of this process tries again, and the message says what to do.
    }
  }

  /**
   * Our commit publishes whatever is staged, a removal that a killed run left behind included. What the program wants and
   * the commit took away is put back at once.
   */
  private async putBack(merged: Changes, before: ObservedSet, after: ObservedSet): Promise<ObservedSet> {
    const { requests, isWanted, label, warn } = this.options;
    const isLost = (prefix: CanonicalPrefix) =>
      !after.has(prefix) && !merged.remove.has(prefix) && !merged.put.has(prefix) && isWanted?.(prefix) === true;
    const lost = [...before.values].filter(([prefix]) => isLost(prefix));
    if (lost.length === 0) return after;
    const names = some(lost.map(([prefix]) => prefix));
    warn(
      `Set ${label}: our commit published a removal that somebody else had staged, of ${names}; put back, since it is wanted.`,
    );
    try {
      await requests.insert(lost);
      await requests.commit();
      return await this.verify({ put: new Map(lost), remove: new Set() }, after);
    } catch (error) {
      warn(`Set ${label}: ${names} could not be put back: ${error instanceof Error ? error.message : String(error)}`);
      return after;
    }
  }

  private conclude(
    plan: Planned,
    before: ObservedSet,
    after: ObservedSet,
    refusals: ReadonlyMap<CanonicalPrefix, Error>,
    removed: ReadonlySet<CanonicalPrefix>,
  ): Settled<SetResult> {
    if (!plan.ok) return plan;
    const { put } = plan.value;
    const refused = [...put.keys()].filter((prefix) => refusals.has(prefix));
    if (refused.length > 0) {
      const reason = refusals.get(refused[0] as CanonicalPrefix)?.message ?? "";
      const message = `Set ${this.options.label}: the node refused ${some(refused)}; nothing of this resource was changed. ${reason} Put that right, and run the same pulumi command again.`;
      return { ok: false, error: new Error(message) };
    }
    const remove = new Set([...plan.value.remove].filter((prefix) => removed.has(prefix)));
    const absent = missing({ put, remove }, after);
    if (absent.length > 0) {
      const message = `Set ${this.options.label}: committed, but after ${this.options.deadlineMs} ms the node's list does not show ${count(absent.length, "entry", "entries")}: ${some(absent)}. Run "pulumi up --refresh" again.`;
      return { ok: false, error: new SetWriteFailure(message, after.values, absent) };
    }
    return { ok: true, value: resultOf(plan.value, before, after) };
  }

  /** One more list, before the commit. A node that lists applied entries only does not show our own changes in it. */
  private async lookForOthers(before: ObservedSet, merged: Changes, staging: Staging): Promise<void> {
    const { requests, foreignStaged, label, warn } = this.options;
    if (foreignStaged === undefined) return;
    const staged = await requests.list();
    const foreign = missing(merged, staged).length > 0 ? "" : doneByOthers(before.values, staged.values, merged);
    if (foreign === "") return;
    const sentence = `Set ${label}: somebody else has staged changes that our commit would publish: entries ${foreign}.`;
    if (foreignStaged === "warn") return warn(sentence);
    await staging.restore([...merged.put.keys(), ...merged.remove]);
    throw new Error(
      `${sentence} Nothing was committed (foreignStaged: "fail"). Have them committed or deleted first, then run "pulumi up" again.`,
    );
  }

  private reportOthers(before: PrefixMap, after: PrefixMap, merged: Changes): void {
    const foreign = doneByOthers(before, after, merged);
    if (foreign === "") return;
    this.options.warn(
      `Set ${this.options.label}: with our commit, entries that are not ours ${foreign}. Somebody else had staged or committed them; "pulumi preview --refresh" shows what they mean for this stack.`,
    );
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => (this.options.schedule ?? realSchedule).after(ms, resolve));
  }
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;
/** Late commits show by waiting; after this many lists a lost change is the likelier reason. */
const REPAIR_AFTER_LISTS = 4;

type Planned = Settled<SetPlan>;

interface Changes {
  readonly put: Map<CanonicalPrefix, number>;
  readonly remove: Set<CanonicalPrefix>;
}

function planned(operation: SetOperation, observed: PrefixMap): Planned {
  try {
    return { ok: true, value: operation.plan(observed) };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** One set of changes from all plans: what somebody wants is not removed, and what already holds is not sent. */
function merge(plans: readonly Planned[], before: ObservedSet, isLast: (index: number) => boolean): Changes {
  const put = new Map<CanonicalPrefix, number>();
  const remove = new Set<CanonicalPrefix>();
  const wanted = new Set<CanonicalPrefix>();
  for (const plan of plans) {
    if (!plan.ok) continue;
    for (const [prefix, value] of plan.value.put) {
      wanted.add(prefix);
      if (before.values.get(prefix) !== value || plan.value.unsettled?.has(prefix)) put.set(prefix, value);
    }
  }
  for (const [index, plan] of plans.entries()) {
    if (!plan.ok) continue;
    const isSentAnyway = (prefix: CanonicalPrefix) =>
      (isLast(index) && before.values.size > 0) || plan.value.unsettled?.has(prefix) === true;
    for (const prefix of plan.value.remove) {
      if (!wanted.has(prefix) && (before.has(prefix) || isSentAnyway(prefix))) remove.add(prefix);
    }
  }
  return { put, remove };
}

function missing(
  changes: { put: PrefixMap; remove: ReadonlySet<CanonicalPrefix> },
  observed: ObservedSet,
): CanonicalPrefix[] {
  const absent = [...changes.put].filter(([prefix, value]) => observed.values.get(prefix) !== value);
  const present = [...changes.remove].filter((prefix) => observed.has(prefix) && !changes.put.has(prefix));
  return [...absent.map(([prefix]) => prefix), ...present];
}

function sizeOf(changes: Changes): number {
  return changes.put.size + changes.remove.size;
}

function settle<R>(plan: Planned, value: (own: SetPlan) => R): Settled<R> {
  return plan.ok ? { ok: true, value: value(plan.value) } : plan;
}

function resultOf(own: SetPlan, before: ObservedSet, after: ObservedSet): SetResult {
  const changes = new Map<CanonicalPrefix, { old: number | null; new: number | null }>();
  for (const prefix of [...own.put.keys(), ...own.remove]) {
    const [from, to] = [before.values.get(prefix) ?? null, after.values.get(prefix) ?? null];
    if (from !== to) changes.set(prefix, { old: from, new: to });
  }
  return { before: before.values, after: after.values, changes };
}

/** What changed from one list to another that is not our doing: `appeared: 192.0.2.0/24; vanished: …`, or nothing. */
function doneByOthers(before: PrefixMap, after: PrefixMap, merged: Changes): string {
  const expected = new Map(before);
  for (const prefix of merged.remove) expected.delete(prefix);
  for (const [prefix, value] of merged.put) expected.set(prefix, value);
  const { insert, remove, change } = difference(expected, after);
  const named = (verb: string, map: ReadonlyMap<CanonicalPrefix, unknown>) => {
    const foreign = [...map.keys()].filter((prefix) => !merged.put.has(prefix) && !merged.remove.has(prefix));
    return foreign.length === 0 ? [] : [`${verb}: ${some(foreign)}`];
  };
  return [...named("appeared", insert), ...named("vanished", remove), ...named("changed", change)].join("; ");
}
