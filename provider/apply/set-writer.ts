import { loadAgent } from "../client/http";
import type { ObservedSet, SetEntry } from "../client/node-set";
import { messageOf } from "../model/errors";
import type { CanonicalPrefix } from "../model/prefix";
import { type ListedMap, sharedDifference } from "../model/prefix-map";
import { appliedWrite, failedWrite, type Written, withReason } from "./audit-log";
import { type Caller, GroupCommit, type Settled } from "./group-commit";
import type { Announced, InFlight } from "./in-flight";
import { placeOf, refusedOutcome } from "./set-confirmation";
import { type FlushOptions, SetFlush } from "./set-flush";
import {
  type Changes,
  isNothing,
  merge,
  type Planned,
  planned,
  restoring,
  type SetOperation,
  type SetResult,
  unchanged,
} from "./set-operation";
import { parted } from "./set-staging";

/** Checks of a writer on the same set at other addresses, which may be the same machine. */
interface SameMachineRules {
  /** Those of these prefixes that must stay, since they may be the entries that are declared at another address. */
  protect(remove: ReadonlySet<CanonicalPrefix>): ReadonlySet<CanonicalPrefix>;
  /** Called after a commit with the entries that it removed, and their former values. */
  after(removed: ListedMap): Promise<void>;
}

/** Limits of a deployment's removals and changed values in one set. */
interface RemovalCheck {
  /** Reason why no entry may be removed: other processes of the deployment cannot be asked which entries they want. */
  registryUnavailable(): string | undefined;
  /**
   * Reason why these entries, at least one, may not be removed or get another value, given the size of the set at the start;
   * `undefined` if they may.
   */
  refuses(what: "Removals" | "Changes", prefixes: readonly CanonicalPrefix[], size: number): string | undefined;
}

/** The set that is written to, and the data that its writer uses. */
export interface SetWriterOptions extends FlushOptions {
  /** Milliseconds that a lone operation waits for others. */
  readonly commitCoalesceMs: number;
  /** All callers of this process; see {@link InFlight}. */
  readonly inFlight?: InFlight;
  /** Operations announced to this set; none by default. */
  readonly announced?: Announced;
  /** Limits what this deployment removes and changes; by default nothing does. */
  readonly removals?: RemovalCheck;
  /** The same set at other addresses; by default there is none. */
  readonly sameMachine?: SameMachineRules;
  /** Called before the first request of a change within the limits, with the last list. */
  begin?(observed: ListedMap): Promise<void>;
}

/** The writer of a set over one connection: merges the operations that wait, and commits once for all of them. */
export class SetWriter {
  private readonly group: GroupCommit<SetOperation, SetResult>;
  /** Inspections of other addresses after removals. Not a part of a flush: they may write there, and so back here. */
  private inspections: Promise<void> = Promise.resolve();

  constructor(private readonly options: SetWriterOptions) {
    this.group = new GroupCommit((operations) => options.set.alone(() => this.flush(operations)), options);
  }

  /** True once this process has begun to change the set. */
  get hasWritten(): boolean {
    return this.options.reads.isWritten;
  }

  /**
   * Carries out an operation together with all others that wait.
   *
   * @throws {SetWriteFailure} when the node may have been changed; any other error means that it was not.
   */
  async submit(operation: SetOperation, caller?: Caller): Promise<SetResult> {
    const submitted = this.logged(operation, caller);
    // While the group waits for other callers.
    loadAgent();
    const result = await submitted;
    await this.inspections;
    return result;
  }

  /**
   * Restores entries that are not there, by a list of its own: one from before may show what has gone since.
   *
   * @returns the list after it
   * @throws {Error} as {@link submit}
   */
  async restore(entries: ListedMap): Promise<ListedMap> {
    this.options.reads.forget();
    const absent = (observed: ListedMap) => new Map([...entries].filter(([prefix]) => !observed.has(prefix)));
    const put = (observed: ListedMap) => ({ put: absent(observed), remove: new Set<CanonicalPrefix>() });
    return (await this.logged({ plan: put })).after;
  }

  /** An operation with its line in the audit log, once it has ended, even if nothing waits for it any more. */
  private async logged(operation: SetOperation, caller?: Caller): Promise<SetResult> {
    const audit = (ended: () => Written | undefined) => this.options.audit?.(() => withReason(ended(), operation));
    try {
      const result = await this.group.submit(operation, caller);
      audit(() => appliedWrite(result));
      return result;
    } catch (error) {
      audit(() => failedWrite(error));
      throw error;
    }
  }

  private async flush(operations: readonly SetOperation[]): Promise<readonly Settled<SetResult>[]> {
    const { set, reads } = this.options;
    const taken = await reads.take();
    const before = taken ?? (await set.observe());
    const { plans, merged, unwanted } = this.plan(operations, before);
    if (isNothing(merged)) {
      if (taken === undefined) reads.keep(before);
      return plans.map((plan) => unchanged(plan, before));
    }
    await this.options.begin?.(before.values);
    reads.beginWrite();
    set.answered.clear();
    const settled = await new SetFlush(this.options, plans, merged, before).run();
    this.inspect(before, unwanted);
    return settled.map((answer, index) => refusedOutcome(plans[index] as Planned, answer, this.options));
  }

  /** Counts everything that the commit removed: a run that failed may have staged removals, too. */
  private inspect(before: ObservedSet, unwanted: ReadonlySet<CanonicalPrefix>): void {
    const { sameMachine, set, removals, desired } = this.options;
    const gone = sharedDifference(before.values, set.last?.values ?? before.values).remove;
    if (gone.size === 0) return;
    removals?.registryUnavailable();
    const late = new Map([...gone].filter(([prefix]) => unwanted.has(prefix) && desired.has(prefix)));
    this.inspections = Promise.all([this.inspections, sameMachine?.after(gone), this.restoreLate(late)]).then(() => {});
  }

  /** Prefixes that another process began to declare while they were removed: it may have seen them there and inserted nothing. */
  private async restoreLate(entries: ListedMap): Promise<void> {
    if (entries.size === 0) return;
    const { notices } = this.options;
    const loss = {
      ...placeOf(this.options),
      prefixes: [...entries.keys()],
      cause: { by: "late declaration" },
    } as const;
    try {
      await this.restore(entries);
      notices.report({ kind: "restored", ...loss });
    } catch (error) {
      notices.report({ kind: "notRestored", ...loss, error: messageOf(error) });
    }
  }

  /** Changes of the group: an entry that may belong to another address stays, and an operation above a limit fails alone. */
  private plan(operations: readonly SetOperation[], before: ObservedSet) {
    const { sameMachine, desired } = this.options;
    // Before anything is compared with the wanted entries.
    const registryUnavailable = this.options.removals?.registryUnavailable();
    const asked = operations.map((operation) => planned(operation, before.values));
    const all = merge(asked, before);
    const unwanted = new Set([...all.remove].filter((prefix) => !desired.has(prefix)));
    const protectedOnes = all.remove.size > 0 ? sameMachine?.protect(all.remove) : undefined;
    const refusals = this.refusals(asked, without(all, protectedOnes), before, registryUnavailable);
    if (refusals.length === 0) return { plans: asked, merged: without(all, protectedOnes), unwanted };
    const plans = asked.map((plan) => refused(plan, refusals));
    return { plans, merged: without(merge(plans, before), protectedOnes), unwanted };
  }

  /** The limits of the deployment that these changes exceed. */
  private refusals(
    asked: readonly Planned[],
    { put, remove }: Changes,
    before: ObservedSet,
    registryUnavailable: string | undefined,
  ): readonly Refusal[] {
    const { removals, set } = this.options;
    const size = set.firstSize ?? before.values.size;
    const [uncounted, restored] = [those(asked, "uncounted"), those(asked, "restored")];
    const counted = new Set([...remove].filter((prefix) => before.has(prefix) && !uncounted.has(prefix)));
    const isChange = ([prefix, value]: SetEntry) => before.values.get(prefix) !== value && !restored.has(prefix);
    const changed = new Map(parted(put, before.values).changed.filter(isChange));
    // Asked only about what there is: an answer counts it, in all processes of the deployment.
    const tooMuch = counted.size > 0 ? removals?.refuses("Removals", [...counted], size) : undefined;
    const tooDifferent = changed.size > 0 ? removals?.refuses("Changes", [...changed.keys()], size) : undefined;
    return [
      ...(registryUnavailable && remove.size > 0 ? [refusal(registryUnavailable, "remove", remove)] : []),
      ...(tooMuch ? [refusal(tooMuch, "remove", counted)] : []),
      ...(tooDifferent ? [refusal(tooDifferent, "put", changed)] : []),
    ];
  }
}

/** A limit that entries of a group exceed. */
interface Refusal {
  readonly reason: string;
  readonly of: "put" | "remove";
  readonly prefixes: Pick<ReadonlySet<CanonicalPrefix>, "has">;
}

function refusal(reason: string, of: Refusal["of"], prefixes: Refusal["prefixes"]): Refusal {
  return { reason, of, prefixes };
}

/** The plan, or what the first refusal of one of its entries leaves of it. */
function refused(plan: Planned, refusals: readonly Refusal[]): Planned {
  if (!plan.ok) return plan;
  const { operation, value } = plan;
  const hit = refusals.find(({ of, prefixes }) => [...value[of].keys()].some((prefix) => prefixes.has(prefix)));
  return hit === undefined ? plan : restoring(operation, value, hit.reason);
}

/** Entries of all plans that no limit counts. */
function those(asked: readonly Planned[], why: "uncounted" | "restored"): ReadonlySet<CanonicalPrefix> {
  return new Set(asked.flatMap((plan) => (plan.ok ? [...(plan.value[why] ?? [])] : [])));
}

function without(changes: Changes, kept: ReadonlySet<CanonicalPrefix> | undefined): Changes {
  if (kept === undefined || kept.size === 0) return changes;
  return { ...changes, remove: new Set([...changes.remove].filter((prefix) => !kept.has(prefix))) };
}
