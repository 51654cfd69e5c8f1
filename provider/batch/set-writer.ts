import { isRefusal, wasRepeated } from "../client/errors";
import { loadAgent } from "../client/http";
import type { ObservedSet } from "../client/node-set";
import type { ListedValue } from "../model/entry-value";
import { messageOf } from "../model/errors";
import type { CanonicalPrefix } from "../model/prefix";
import type { ListedMap } from "../model/prefix-map";
import { count, some } from "../model/text";
import { Activity } from "./activity";
import { GroupCommit, type Settled } from "./group-commit";
import type { Announced, InFlight } from "./in-flight";
import { type Changes, doneByOthers, isNothing, merge, missing } from "./set-changes";
import { type ConfirmationOptions, confirm } from "./set-confirmation";
import {
  type Planned,
  planned,
  resultOf,
  type SetOperation,
  type SetPlan,
  type SetResult,
  SetWriteFailure,
  unchanged,
} from "./set-operation";
import { Staging } from "./set-staging";
import type { SharedReads } from "./shared-reads";

/** What a writer asks about the same set at other addresses, which may be the same machine. */
interface SameMachineRules {
  /** Is called before the first request of a change, with what was just listed. */
  before(observed: ListedMap): Promise<void>;
  /** Which of these prefixes must stay, since they may be the very entries that are wanted at another address. */
  spare(remove: ReadonlySet<CanonicalPrefix>): Promise<ReadonlySet<CanonicalPrefix>>;
  /** Is called after a commit with what is gone since before it, and with the values that were there. */
  after(removed: ListedMap): Promise<void>;
}

/** What limits the removals of a deployment in one set. */
export interface RemovalCheck {
  /** Why these entries must not go, given how many the set held at first; `undefined` where they may. */
  refuses(prefixes: readonly CanonicalPrefix[], size: number): string | undefined;
}

/** The set that is written to, and what its writer goes by. */
export interface SetWriterOptions extends ConfirmationOptions {
  readonly reads: SharedReads<ObservedSet>;
  /** Milliseconds that a lone operation waits for company. */
  readonly commitCoalesceMs: number;
  /**
   * Lists before the commit, to find entries that another writer staged, where the node lists staged entries: `"fail"` takes
   * our own back and commits nothing, `"warn"` says so and goes on. By default what others did is reported afterwards.
   */
  readonly foreignStaged?: "fail" | "warn" | undefined;
  /** All callers of this process; see {@link InFlight}. */
  readonly inFlight?: InFlight;
  /** What was announced to this set; by default nothing is. */
  readonly announced?: Announced;
  /** Limits what this deployment removes; by default nothing does. */
  readonly removals?: RemovalCheck;
  /** The same set at other addresses; by default there is none. */
  readonly sameMachine?: SameMachineRules;
}

/** What a group was carried out with. */
interface Carried {
  readonly before: ObservedSet;
  readonly after: ObservedSet;
  readonly refused: ReadonlyMap<CanonicalPrefix, Error>;
  /** What was removed in the end: what one operation removes and another wants stays. */
  readonly removed: ReadonlySet<CanonicalPrefix>;
}

/** The one writer of a set in this process: merges the operations that wait, and commits once for all of them. */
export class SetWriter {
  private readonly group: GroupCommit<SetOperation, SetResult>;
  /** What failed groups may have left staged. No commit of another group may publish it. */
  private readonly leftovers = new Set<CanonicalPrefix>();
  /** Inspections of other addresses after removals. Not a part of a flush: they may write there, and so back here. */
  private inspections: Promise<void> = Promise.resolve();
  /** Whether this writer is changing the set at the moment. */
  readonly activity = new Activity();

  constructor(private readonly options: SetWriterOptions) {
    this.group = new GroupCommit((operations) => this.flush(operations), options);
  }

  /**
   * Carries out an operation together with all others that wait.
   *
   * @param isAnnounced whether it was {@link Announced}
   * @throws {SetWriteFailure} when the node may have been changed; any other error means that it was not.
   */
  async submit(operation: SetOperation, isAnnounced = false): Promise<SetResult> {
    // While the group waits for company anyway. What fails here fails again at the first request, which says so.
    loadAgent().catch(() => undefined);
    const result = await this.group.submit(operation, isAnnounced);
    await this.inspections;
    return result;
  }

  /** Puts entries back that are not there. @throws {Error} as {@link submit} */
  async putBack(entries: ListedMap): Promise<void> {
    const absent = (observed: ListedMap) => new Map([...entries].filter(([prefix]) => !observed.has(prefix)));
    await this.group.submit({ plan: (observed) => ({ put: absent(observed), remove: new Set() }) });
  }

  private async flush(operations: readonly SetOperation[]): Promise<readonly Settled<SetResult>[]> {
    const { set, reads } = this.options;
    const before = await set.observe();
    const { plans, merged } = await this.plan(operations, before);
    if (isNothing(merged)) {
      reads.keep(before);
      return plans.map((plan) => unchanged(plan, before));
    }
    reads.forget();
    set.answered.clear();
    const settled = await this.activity.during(() => this.carryOut(plans, merged, before));
    this.inspectOthers(before);
    return settled;
  }

  /** Counts everything that the commit took away: a run that failed may have staged removals, too. */
  private inspectOthers(before: ObservedSet): void {
    const { sameMachine, set } = this.options;
    const gone = new Map([...before.values].filter(([prefix]) => set.last?.has(prefix) === false));
    if (sameMachine && gone.size > 0)
      this.inspections = Promise.all([this.inspections, sameMachine.after(gone)]).then(() => {});
  }

  /** What the group changes: what may be another address's entry stays, and a removal beyond the limit fails alone. */
  private async plan(operations: readonly SetOperation[], before: ObservedSet) {
    const { sameMachine, removals, set } = this.options;
    const asked = operations.map((operation) => planned(operation, before.values));
    const all = merge(asked, before);
    if (!isNothing(all)) await sameMachine?.before(before.values);
    const spared = all.remove.size > 0 ? await sameMachine?.spare(all.remove) : undefined;
    const expired = new Set(asked.flatMap((plan) => (plan.ok ? [...(plan.value.expired ?? [])] : [])));
    const isCounted = (prefix: CanonicalPrefix) => before.has(prefix) && !expired.has(prefix) && !spared?.has(prefix);
    const counted = new Set([...all.remove].filter(isCounted));
    const reason = removals?.refuses([...counted], set.firstSize ?? before.values.size);
    const removes = (plan: Planned) => plan.ok && [...plan.value.remove].some((prefix) => counted.has(prefix));
    const refuse = (plan: Planned): Planned =>
      removes(plan) ? { operation: plan.operation, ok: false, error: new Error(reason) } : plan;
    const plans = reason === undefined ? asked : asked.map(refuse);
    const merged = reason === undefined ? all : merge(plans, before);
    for (const prefix of spared ?? []) merged.remove.delete(prefix);
    return { plans, merged };
  }

  private async carryOut(
    plans: readonly Planned[],
    merged: Changes,
    before: ObservedSet,
  ): Promise<readonly Settled<SetResult>[]> {
    const { set, reads } = this.options;
    const staging = new Staging(set, before);
    try {
      await this.undoLeftovers(merged, staging);
      await staging.stage(merged.put, merged.remove);
      await this.dropRefused(plans, merged, staging);
      if (!isNothing(merged)) {
        await this.lookForOthers(before, merged, staging);
        await this.commit(merged, before);
      }
    } catch (error) {
      return this.interrupted({ plans, before, staging, error });
    }
    const after = isNothing(merged)
      ? await this.publishStuck(staging, before)
      : await confirm(this.options, merged, before);
    reads.keep(after);
    const carried = { before, after, refused: staging.refused, removed: merged.remove };
    return plans.map((plan) => this.conclude(plan, carried));
  }

  /** Takes back what failed groups left staged, except where this group decides anew. */
  private async undoLeftovers(merged: Changes, staging: Staging): Promise<void> {
    const others = [...this.leftovers].filter((prefix) => !merged.put.has(prefix) && !merged.remove.has(prefix));
    if (others.length > 0) await staging.restore(others);
    this.leftovers.clear();
  }

  /** Operations with a refused entry leave the group whole: what else they staged is taken back. */
  private async dropRefused(plans: readonly Planned[], merged: Changes, staging: Staging): Promise<void> {
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
   * What cannot be taken back is published by the next commit of any writer. Made now, by us, it tells refused
   * entries from staged ones, and what is applied comes into a state. Removals are never among it: they were taken back.
   */
  private async publishStuck(staging: Staging, before: ObservedSet): Promise<ObservedSet> {
    const { set } = this.options;
    if (!staging.mayBeStuck) return before;
    try {
      await set.commit();
    } catch (error) {
      if (!isRefusal(error)) return before;
    }
    return set.observe().catch(() => before);
  }

  /**
   * A refused commit counts as done only if the list shows the result, and if there was nothing to commit: an earlier try
   * of the same request may have been carried out, or everything was as wanted before and was sent to be sure. The list
   * alone proves nothing on nodes that list staged entries.
   */
  private async commit(merged: Changes, before: ObservedSet): Promise<void> {
    const { set } = this.options;
    try {
      await set.commit();
    } catch (error) {
      const isNothingNew = isRefusal(error) && (wasRepeated(error) || missing(merged, before).length === 0);
      if (isNothingNew) {
        const observed = await set.observe().catch(() => undefined);
        if (observed && missing(merged, observed).length === 0) return;
      }
      throw error;
    }
  }

  /** Something failed between the first request and the commit's answer: no operation's changes are applied for sure. */
  private async interrupted({
    plans,
    before,
    staging,
    error,
  }: {
    readonly plans: readonly Planned[];
    readonly before: ObservedSet;
    readonly staging: Staging;
    readonly error: unknown;
  }): Promise<readonly Settled<SetResult>[]> {
    for (const prefix of staging.touched) this.leftovers.add(prefix);
    const listed = await this.options.set.observe().catch(() => undefined);
    if (listed) await this.undoRemovals(plans, listed, staging);
    const applied = listed ?? before;
    return plans.map((plan): Settled<SetResult> => {
      if (!plan.ok) return plan;
      const open = [...plan.value.put.keys(), ...plan.value.remove].filter((prefix) => staging.touched.has(prefix));
      if (open.length === 0 && error instanceof Error) return { ok: false, error };
      const text = messageOf(error);
      const entries = count(open.length, "entry", "entries");
      const message = plan.operation.isDelete
        ? `${text} The removal of ${entries} may be staged and not applied, or applied: run the same pulumi command again, or "pulumi up --refresh" if they are wanted again.`
        : `${text} ${entries} of this resource may be staged on the node and not applied; "pulumi up" settles that.`;
      const known = { applied: applied.values, unsettled: open, cause: error };
      return { ok: false, error: new SetWriteFailure(message, known) };
    });
  }

  /** A removal that failed leaves nothing staged of what is still there, as far as the node lets it. */
  private async undoRemovals(plans: readonly Planned[], listed: ObservedSet, staging: Staging): Promise<void> {
    const prefixes = plans.flatMap((plan) => (plan.ok && plan.operation.isDelete ? [...plan.value.remove] : []));
    const present = prefixes.filter((prefix) => staging.touched.has(prefix) && listed.has(prefix));
    if (present.length === 0) return;
    try {
      await new Staging(this.options.set, listed).putBack(present);
      for (const prefix of present) this.leftovers.delete(prefix);
    } catch {
      // The node does not answer; the next group of this process tries again, and the message says what to do.
    }
  }

  private conclude(plan: Planned, carried: Carried): Settled<SetResult> {
    const { before, after, refused: refusals, removed } = carried;
    if (!plan.ok) return plan;
    const { put } = plan.value;
    const refused = [...put.keys()].filter((prefix) => refusals.has(prefix));
    const stuck = refused.filter((prefix) => !before.has(prefix) && after.has(prefix));
    if (stuck.length > 0 && missing(plan.value, after).length > 0) return this.stuck(plan.value, carried, stuck);
    if (refused.length > stuck.length) {
      const reason = refusals.get(refused[0] as CanonicalPrefix)?.message ?? "";
      const message = `Set ${this.options.label}: the node refused ${some(refused)}; nothing of this resource was changed. ${reason} Put that right, and run the same pulumi command again.`;
      return { ok: false, error: new Error(message) };
    }
    const remove = new Set([...plan.value.remove].filter((prefix) => removed.has(prefix)));
    const absent = missing({ put, remove }, after);
    if (absent.length > 0) {
      const message = `Set ${this.options.label}: committed, but after ${this.options.deadlineMs} ms the node's list does not show ${count(absent.length, "entry", "entries")}: ${some(absent)}.${this.answers()} Run "pulumi up --refresh" again.`;
      const known = { applied: after.values, unsettled: absent };
      return { ok: false, error: new SetWriteFailure(message, known) };
    }
    return { ok: true, value: resultOf(plan.value, before, after) };
  }

  /** A part was refused, and another part is applied, since the node did not take it back. */
  private stuck(plan: SetPlan, { after, refused }: Carried, applied: readonly CanonicalPrefix[]): Settled<SetResult> {
    const isRefused = ([prefix, value]: [CanonicalPrefix, ListedValue]) =>
      refused.has(prefix) && after.values.get(prefix) !== value;
    const absent = [...plan.put].filter(isRefused).map(([prefix]) => prefix);
    const reason = absent.map((prefix) => refused.get(prefix)?.message).find((text) => text !== undefined) ?? "";
    const message = `Set ${this.options.label}: the node refused ${some(absent)}, and did not take back ${some(applied)}, which is applied now. ${reason} Put that right, and run the same pulumi command again.`;
    const known = { applied: after.values, unsettled: [] };
    return { ok: false, error: new SetWriteFailure(message, known) };
  }

  /** What the node answered to the changes that it does not show: a success, or a text that is not known as an error. */
  private answers(): string {
    const answers = [...this.options.set.answered].map(([command, answer]) => `${command} with ${answer}`);
    return answers.length === 0 ? "" : ` The node answered ${answers.join(", ")}.`;
  }

  /** One more list, before the commit. A node that lists applied entries only does not show our own changes in it. */
  private async lookForOthers(before: ObservedSet, merged: Changes, staging: Staging): Promise<void> {
    const { set, foreignStaged, label, notices } = this.options;
    if (foreignStaged === undefined) return;
    const staged = await set.observe();
    const foreign = missing(merged, staged).length > 0 ? "" : doneByOthers(before.values, staged.values, merged);
    if (foreign === "") return;
    const sentence = `Set ${label}: another writer has staged changes that our commit would publish: entries ${foreign}.`;
    if (foreignStaged === "warn") return notices.warn(sentence);
    await staging.restore([...merged.put.keys(), ...merged.remove]);
    throw new Error(
      `${sentence} Nothing was committed (foreignStaged: "fail"). Have them committed or deleted first, then run "pulumi up" again.`,
    );
  }
}
