import { isRefusal, wasRepeated } from "../client/errors";
import type { ObservedSet } from "../client/node-set";
import { stagedText } from "../messages/sentences/writes";
import type { ListedValue } from "../model/entry";
import { messageOf } from "../model/errors";
import type { CanonicalPrefix } from "../model/prefix";
import type { ListedMap } from "../model/prefix-map";
import { saysNothingToCommit } from "../wire/node-answer";
import type { Settled } from "./group-commit";
import {
  type ConfirmationOptions,
  type Confirmed,
  confirm,
  interruptedOutcome,
  outcomeOf,
  placeOf,
  unreadOutcome,
} from "./set-confirmation";
import { type Changes, doneByOthers, isNothing, missing, type Planned, type SetResult } from "./set-operation";
import { Staging } from "./set-staging";
import type { SharedReads } from "./shared-reads";

/** The set that is changed, and the settings of a flush. */
export interface FlushOptions extends ConfirmationOptions {
  /** Reads of other resources: keeps the last list. */
  readonly reads: SharedReads<ObservedSet>;
  /**
   * Lists before the commit, to find entries that another writer staged, where the node lists staged entries: `"fail"` takes
   * our own back and commits nothing, `"warn"` warns and continues. By default changes by others are reported afterwards.
   */
  readonly foreignStaged?: "fail" | "warn" | undefined;
  /** Removals that earlier runs may have left staged. Default: none are known. */
  readonly leftStaged?: LeftStaged;
}

interface LeftStaged {
  /** Notes prefixes before their removal is sent. */
  noteRemoved(prefixes: readonly CanonicalPrefix[]): void;
  /** Listed prefixes of the notes of earlier runs. */
  removalsIn(listed: ListedMap): readonly CanonicalPrefix[];
  /** Drops those notes: a commit has taken the removals back, or carried them out. */
  settleRemovals(): void;
}

/** One group's changes on their way to the node: staged, committed, confirmed, and taken back after a failure. */
export class SetFlush {
  private readonly staging: Staging;
  /** All changes of the plans, refused entries included. */
  private readonly asked: Changes;
  /** Listed entries that this group does not change, and whose removal an earlier run may have left staged. */
  private readonly left: ReadonlySet<CanonicalPrefix>;

  /**
   * @param leftovers Changes that failed groups may have left staged. No commit of another group may publish them.
   * @param merged All changes of the plans together; fewer, once an entry was refused.
   * @param first Content of the node before these plans were sent, if that is not `before`.
   */
  constructor(
    private readonly options: FlushOptions,
    private readonly leftovers: Set<CanonicalPrefix>,
    private readonly plans: readonly Planned[],
    private merged: Changes,
    private readonly before: ObservedSet,
    private readonly first: ObservedSet = before,
  ) {
    this.staging = new Staging(options.set, before, (prefixes) => options.leftStaged?.noteRemoved(prefixes));
    this.asked = { put: merged.put, remove: merged.remove };
    const noted = options.leftStaged?.removalsIn(before.values) ?? [];
    this.left = new Set(noted.filter((prefix) => !merged.put.has(prefix) && !merged.remove.has(prefix)));
  }

  /** Stages, commits and confirms; answers for each operation, in the same order. */
  async run(): Promise<readonly Settled<SetResult>[]> {
    const { asked, before, first, left, options, plans, staging } = this;
    try {
      await this.undoLeftovers();
      // Where no removal is staged, this changes nothing. Where it has no effect, the entries are restored after the commit.
      await staging.restage([...left]);
      await staging.stage(asked.put, asked.remove);
      await this.dropRefused();
      if (!isNothing(this.merged)) {
        await this.findForeign();
        await this.commit();
        options.leftStaged?.settleRemovals();
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
    return interruptedOutcome(plan, {
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
    const { asked, before, first, leftovers, options, plans, staging } = this;
    const isFreed = ([prefix, value]: readonly [CanonicalPrefix, ListedValue]) =>
      staging.refused.has(prefix) && !before.has(prefix) && after.values.get(prefix) === value;
    const freed = plans.filter((plan) => plan.ok && [...plan.value.put].some(isFreed));
    const open = new Set(freed.flatMap((plan) => (plan.ok ? missing(plan.value, after) : [])));
    if (open.size === 0) return new Map();
    const left: Changes = {
      put: new Map([...asked.put].filter(([prefix]) => open.has(prefix))),
      remove: new Set([...asked.remove].filter((prefix) => open.has(prefix))),
    };
    const answers = await new SetFlush(options, leftovers, freed, left, after, first).run();
    return new Map(answers.map((answer, index) => [freed[index] as Planned, answer]));
  }

  /** Takes back changes that failed groups left staged, unless this group changes the same entries. */
  private async undoLeftovers(): Promise<void> {
    const { merged, staging } = this;
    const others = [...this.leftovers].filter((prefix) => !merged.put.has(prefix) && !merged.remove.has(prefix));
    if (others.length > 0) await staging.restore(others);
    this.leftovers.clear();
  }

  /** Operations with a refused entry leave the group completely: their other staged changes are taken back. */
  private async dropRefused(): Promise<void> {
    const { merged, plans, staging } = this;
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
    this.merged = {
      ...merged,
      put: new Map([...merged.put].filter(([prefix]) => kept.has(prefix))),
      remove: new Set([...merged.remove].filter((prefix) => kept.has(prefix))),
    };
    await staging.restore(undone.filter((prefix) => !staging.refused.has(prefix)));
    await this.restageHidden();
    for (const prefix of staging.refused.keys()) staging.maybeStaged.delete(prefix);
  }

  /** An old list may have hidden applied entries, whose removal is staged now: those that a new list shows are inserted once more. */
  private async restageHidden(): Promise<void> {
    const { before, merged, staging } = this;
    const { set } = this.options;
    const isKept = (prefix: CanonicalPrefix) => merged.put.has(prefix) || merged.remove.has(prefix);
    const hidden = [...staging.deleted].filter((prefix) => !before.has(prefix) && !isKept(prefix));
    if (hidden.length === 0) return;
    const listed = await set.observe();
    await new Staging(set, listed).restage(hidden.filter((prefix) => listed.has(prefix)));
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

  /**
   * A refused commit counts as done only if the list shows the result, and if there was nothing to commit: an earlier try of
   * the same request may have succeeded, the set may already have been as declared, or another writer's commit came first, so
   * that nothing is staged. On nodes that list staged entries, the list alone is no proof.
   */
  private async commit(): Promise<void> {
    const { before, merged } = this;
    const { set } = this.options;
    try {
      await set.commit();
    } catch (error) {
      const isTaken = isRefusal(error) && (wasRepeated(error) || saysNothingToCommit(messageOf(error)));
      const isNothingNew = isTaken || (isRefusal(error) && missing(merged, before).length === 0);
      if (isNothingNew) {
        const observed = await set.observe().catch(() => undefined);
        if (observed && missing(merged, observed).length === 0) return;
      }
      throw error;
    }
  }

  /** Something failed between the first request and the commit's answer: no operation's changes are certain to be applied. */
  private async interrupted(error: unknown): Promise<readonly Settled<SetResult>[]> {
    const { plans, staging } = this;
    for (const prefix of staging.maybeStaged) this.leftovers.add(prefix);
    const listed = await this.options.set.observe().catch(() => undefined);
    if (listed) await this.undoRemovals(listed);
    const applied = knownOf(this.before, listed, staging);
    return plans.map((plan) => interruptedOutcome(plan, { applied, maybeStaged: staging.maybeStaged, error }));
  }

  /** After a failed removal, staged removals of remaining entries are taken back, if the node permits. */
  private async undoRemovals(listed: ObservedSet): Promise<void> {
    const { plans, staging } = this;
    const prefixes = plans.flatMap((plan) => (plan.ok && plan.operation.isDelete ? [...plan.value.remove] : []));
    const present = prefixes.filter((prefix) => staging.maybeStaged.has(prefix) && listed.has(prefix));
    if (present.length === 0) return;
    try {
      await new Staging(this.options.set, listed).restage(present);
      for (const prefix of present) this.leftovers.delete(prefix);
    } catch {
      // The node does not answer; the next group of this process tries again, and the message says what to do.
    }
  }

  /** One more list, before the commit. A node that lists applied entries only does not show our own changes in it. */
  private async findForeign(): Promise<void> {
    const { before, merged, staging } = this;
    const { set, foreignStaged, notices } = this.options;
    if (foreignStaged === undefined) return;
    const staged = await set.observe();
    const foreign = missing(merged, staged).length > 0 ? undefined : doneByOthers(before.values, staged.values, merged);
    if (!foreign) return;
    const event = { kind: "foreignStaged", ...placeOf(this.options), ...foreign } as const;
    if (foreignStaged === "warn") return notices.report(event);
    await staging.restore([...merged.put.keys(), ...merged.remove]);
    throw new Error(
      `${stagedText(event)} Nothing was committed (foreignStaged: "fail"). Have them committed or deleted first, then run "pulumi up" again.`,
    );
  }
}

/**
 * Content of the node in a list after a failure. An entry that was inserted and never deleted counts as it was before: the list may
 * show it as staged. The next run then knows that a listed entry only needs a commit.
 */
function knownOf(before: ObservedSet, listed: ObservedSet | undefined, { maybeStaged, deleted }: Staging): ListedMap {
  if (!listed) return before.values;
  const known = new Map(listed.values);
  for (const prefix of maybeStaged) {
    if (deleted.has(prefix)) continue;
    const value = before.values.get(prefix);
    if (value === undefined) known.delete(prefix);
    else known.set(prefix, value);
  }
  return known;
}

/** A commit without staged changes is not a failure. */
function unlessRefused(error: unknown): void {
  if (!isRefusal(error)) throw error;
}
