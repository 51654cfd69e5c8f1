import { isRefusal } from "../client/errors";
import type { ObservedSet } from "../client/node-set";
import type { ListedValue } from "../model/entry";
import type { CanonicalPrefix } from "../model/prefix";
import type { Settled } from "./group-commit";
import { type CommitOptions, commitStaged, refuseForeign } from "./set-commit";
import {
  type ConfirmationOptions,
  type Confirmed,
  confirm,
  interruptedOutcome,
  outcomeOf,
  unreadOutcome,
} from "./set-confirmation";
import { type Changes, doneByOthers, isNothing, missing, type Planned, type SetResult } from "./set-operation";
import { Staging } from "./set-staging";
import { isIn, knownOf, OtherSets, restageHidden, undoRemovals, withoutRefused } from "./set-undo";
import type { SharedReads } from "./shared-reads";

/** The set that is changed, and the settings of a flush. */
export interface FlushOptions extends ConfirmationOptions, CommitOptions {
  /** Reads of other resources: keeps the last list. */
  readonly reads: SharedReads<ObservedSet>;
  /** The sets that one commit applies, by url, with or without this one. Default: this one alone. */
  readonly together?: ReadonlyMap<string, ConfirmationOptions>;
}

/** One group's changes on their way to the node: staged, committed, confirmed, and taken back after a failure. */
export class SetFlush {
  private readonly staging: Staging;
  /** All changes of the plans, refused entries included. */
  private readonly asked: Changes;
  /** Listed entries that this group does not change, and whose removal or other value an earlier run may have left staged. */
  private readonly left: ReadonlySet<CanonicalPrefix>;
  /** Absent where the commit applies this set alone, as it mostly does. */
  private readonly others: OtherSets | undefined;

  /**
   * @param merged All changes of the plans together; fewer, once an entry was refused.
   * @param first Content of the node before these plans were sent, if that is not `before`.
   */
  constructor(
    private readonly options: FlushOptions,
    private readonly plans: readonly Planned[],
    private merged: Changes,
    private readonly before: ObservedSet,
    private readonly first: ObservedSet = before,
  ) {
    this.staging = new Staging(options.set, before, (prefixes) => options.leftStaged?.noteChanged(prefixes));
    this.asked = { put: merged.put, remove: merged.remove };
    const noted = options.leftStaged?.changedIn(before.values) ?? [];
    this.left = new Set(noted.filter((prefix) => !isIn(merged, prefix)));
    const { together } = options;
    this.others = together && together.size > 1 ? new OtherSets(options, together) : undefined;
  }

  /** Stages, commits and confirms; answers for each operation, in the same order. */
  async run(): Promise<readonly Settled<SetResult>[]> {
    const { asked, before, first, left, options, plans, staging } = this;
    try {
      await this.undoLeftovers();
      await this.others?.undo();
      // Where no removal is staged, this changes nothing. Where it has no effect, the entries are restored after the commit.
      await staging.restage([...left]);
      await staging.stage(asked.put, asked.remove);
      await this.dropRefused();
      if (!isNothing(this.merged)) {
        await refuseForeign(options, { before, merged: this.merged, staging });
        await commitStaged(options.set, before, this.merged);
        options.leftStaged?.settleChanged();
        await this.others?.confirm();
      }
    } catch (error) {
      return this.interrupted(error);
    }
    const { merged } = this;
    const group = { before: first, refused: staging.refused, removed: merged.remove };
    let confirmed: Confirmed;
    try {
      confirmed = isNothing(merged)
        ? { after: await this.publishStuck() }
        : await confirm(options, { merged, asked, left }, before);
    } catch (error) {
      const flushed = { ...group, after: before };
      const answer = (plan: Planned) => unreadOutcome(plan, merged, before, error) ?? outcomeOf(plan, flushed, options);
      return plans.map((plan) => this.inDoubt(plan, error) ?? answer(plan));
    }
    if (confirmed.unlisted === undefined) options.reads.keep(confirmed.after);
    const flushed = { ...group, ...confirmed };
    const again = await this.again(confirmed.after);
    const answer = (plan: Planned) => again.get(plan) ?? outcomeOf(plan, flushed, options);
    const { unlisted } = confirmed;
    return plans.map((plan) => (unlisted && this.inDoubt(plan, unlisted)) ?? answer(plan));
  }

  /**
   * True if the node did not accept a new prefix, not even alone and after a delete. Some nodes stage the rest of a refused
   * request, refuse existing entries, and delete only applied or listed ones. On these, a staged prefix behaves in this way:
   * only a commit changes it.
   */
  private mayBeStuck(plan: Planned): boolean {
    const { before, staging } = this;
    return plan.ok && [...plan.value.put.keys()].some((prefix) => staging.refused.has(prefix) && !before.has(prefix));
  }

  /** The answer to an operation of which a part may have been published by a commit without a list after it. */
  private inDoubt(plan: Planned, error: unknown): Settled<SetResult> | undefined {
    if (!this.mayBeStuck(plan)) return undefined;
    const { put, remove } = this.asked;
    return interruptedOutcome(plan, this.first.values, {
      applied: this.before.values,
      maybeStaged: new Set([...put.keys(), ...remove]),
      error,
    });
  }

  /**
   * If the list after the commit shows a refused entry, it was staged before, by this run or by a killed one. The operations
   * with that entry are carried out once more, from that list.
   */
  private async again(after: ObservedSet): Promise<ReadonlyMap<Planned, Settled<SetResult>>> {
    const { asked, before, first, options, plans, staging } = this;
    const isFreed = ([prefix, value]: readonly [CanonicalPrefix, ListedValue]) =>
      staging.refused.has(prefix) && !before.has(prefix) && after.values.get(prefix) === value;
    const freed = plans.filter((plan) => plan.ok && [...plan.value.put].some(isFreed));
    const open = new Set(freed.flatMap((plan) => (plan.ok ? missing(plan.value, after) : [])));
    if (open.size === 0) return new Map();
    const left: Changes = {
      put: new Map([...asked.put].filter(([prefix]) => open.has(prefix))),
      remove: new Set([...asked.remove].filter((prefix) => open.has(prefix))),
    };
    const answers = await new SetFlush(options, freed, left, after, first).run();
    return new Map(answers.map((answer, index) => [freed[index] as Planned, answer]));
  }

  /** Operations with a refused entry leave the group, but for their lost entries: their other staged changes are taken back. */
  private async dropRefused(): Promise<void> {
    const { before, merged, options, plans, staging } = this;
    if (staging.refused.size === 0) return;
    this.merged = withoutRefused(plans, merged, staging.refused);
    const undone = [...merged.put.keys(), ...merged.remove].filter((prefix) => !isIn(this.merged, prefix));
    await staging.restore(undone.filter((prefix) => !staging.refused.has(prefix)));
    await restageHidden(options.set, before, staging, this.merged);
    for (const prefix of staging.refused.keys()) staging.maybeStaged.delete(prefix);
  }

  /** Takes back changes that failed groups left staged, unless this group changes the same entries. */
  private async undoLeftovers(): Promise<void> {
    const { merged, staging } = this;
    const { leftovers } = this.options;
    const others = [...leftovers].filter((prefix) => !isIn(merged, prefix));
    if (others.length > 0) await staging.restore(others);
    leftovers.clear();
  }

  /**
   * Commits the changes that cannot be taken back, since the next commit of any writer would publish them. A commit by us now
   * separates refused entries from staged ones, and the result enters a state. Removals are never among them: they were taken
   * back.
   */
  private async publishStuck(): Promise<ObservedSet> {
    const { asked, before, plans } = this;
    const { set, foreignStaged } = this.options;
    if (!plans.some((plan) => this.mayBeStuck(plan))) return before;
    if (foreignStaged === "fail" && doneByOthers(before.values, (await set.observe()).values, asked)) return before;
    await set.commit().catch(unlessRefused);
    return set.observe();
  }

  /** Something failed between the first request and the commit's answer: no operation's changes are certain to be applied. */
  private async interrupted(error: unknown): Promise<readonly Settled<SetResult>[]> {
    const { plans, staging } = this;
    const { set, leftovers } = this.options;
    for (const prefix of staging.maybeStaged) leftovers.add(prefix);
    const listed = await set.observe().catch(() => undefined);
    for (const prefix of listed ? await undoRemovals(set, plans, staging, listed) : []) leftovers.delete(prefix);
    const applied = knownOf(this.before, listed, staging);
    return plans.map((plan) =>
      interruptedOutcome(plan, this.first.values, { applied, maybeStaged: staging.maybeStaged, error }),
    );
  }
}

/** A commit without staged changes is not a failure. */
function unlessRefused(error: unknown): void {
  if (!isRefusal(error)) throw error;
}
