import type { Clock } from "../client/clock";
import { RequestError, UnexpectedResponse } from "../client/errors";
import type { NodeSet, ObservedSet } from "../client/node-set";
import { formatDuration } from "../client/pauses";
import type { EventPlace, Reporter } from "../messages/events";
import type { ListedValue } from "../model/entry";
import { messageOf } from "../model/errors";
import type { CanonicalPrefix } from "../model/prefix";
import { type ListedMap, sharedDifference } from "../model/prefix-map";
import { count, some } from "../model/text";
import { appliedWrite, failedWrite, type Written, withReason } from "./audit-log";
import type { Settled } from "./group-commit";
import { type Aggregation, aggregatedIn, aggregationRemedy, coversAll, partsOf } from "./set-aggregation";
import {
  type Changes,
  doneByOthers,
  failedOperation,
  missing,
  type Planned,
  restoring,
  resultOf,
  type SetPlan,
  type SetResult,
  SetWriteFailure,
} from "./set-operation";
import { Staging } from "./set-staging";
import { FIRST_LIST_PAUSE_MS, LONGEST_LIST_PAUSE_MS, REPAIR_AFTER_LISTS } from "./times";

/** The set that is written to, and the settings to check a commit. */
export interface ConfirmationOptions {
  readonly set: NodeSet;
  /** Name of set and node, for messages: `prefixset://edge/blocked on fra1`. */
  readonly label: string;
  /** Time that the list after a commit may take to show the result, beyond the node's own delay. */
  readonly deadlineMs: number;
  /** The prefixes that some resource of this deployment wants in this set, not only those that ask for this change. */
  readonly desired: { has(prefix: CanonicalPrefix): boolean };
  /** Name of the node in messages. */
  readonly at: string;
  /** Takes events for the user: what others changed in the meantime, and what was sent again. */
  readonly notices: Reporter;
  readonly clock: Clock;
  /** Changes that failed groups may have left staged. No commit of another group may publish them. */
  readonly leftovers: Set<CanonicalPrefix>;
  /** Removals that earlier runs may have left staged. Default: none are known. */
  readonly leftStaged?: LeftStaged;
  /** Takes the end of each write, for the audit log; without one nothing is made. */
  audit?(ended: () => Written | undefined): void;
}

interface LeftStaged {
  /** True if an earlier run has left notes. */
  readonly hasNotes: boolean;
  /** Notes listed prefixes before their removal or another value is sent. */
  noteChanged(prefixes: readonly CanonicalPrefix[]): void;
  /** Listed prefixes of the notes of earlier runs. */
  changedIn(listed: ListedMap): readonly CanonicalPrefix[];
  /** Drops those notes: a commit has taken the changes back, or carried them out. */
  settleChanged(): void;
}

/** The last list of the node, even if it does not show every change. */
export interface Confirmed {
  readonly after: ObservedSet;
  /** Reason of a failed last list: then `after` is the list before it. */
  readonly unlisted?: RequestError | undefined;
  /** Entries that the node lists in place of others. */
  readonly made?: Aggregation;
  /** Milliseconds between the commit and `after`; none if no list after the commit was answered. */
  readonly listedMs?: number | undefined;
}

/** Changes of a group. */
interface GroupChanges {
  /** Changes that were committed. */
  readonly merged: Changes;
  /** That, and what it was dropped with: a part of it may still be staged, and belongs to this writer. */
  readonly asked: Changes;
  /** Entries whose removal an earlier run may have left staged, and no run is to carry out. */
  readonly left: ReadonlySet<CanonicalPrefix>;
}

/**
 * Finds out the effect of a commit, repairs lost and removed entries, and reports changes by others.
 *
 * @throws {RequestError} when the node answers a list that cannot be read, or refuses it: waiting would change nothing
 */
export async function confirm(
  options: ConfirmationOptions,
  { merged, asked, left }: GroupChanges,
  before: ObservedSet,
): Promise<Confirmed> {
  const verified = await verify(options, merged, before);
  if (verified.unlisted) return verified;
  const { listedMs } = verified;
  const made = aggregatedIn(before, verified.after, merged);
  const parts = partsOf(made);
  const isOwn = (prefix: CanonicalPrefix) => merged.put.has(prefix) || merged.remove.has(prefix) || parts.has(prefix);
  const after = await restore(options, { isOwn, left }, before, verified.after);
  // Entries that the node made of ours are of no other writer.
  const own = { ...asked, remove: new Set([...asked.remove, ...made.keys(), ...parts]) };
  const foreign = doneByOthers(before.values, after.values, made.size > 0 ? own : asked);
  if (foreign) options.notices.report({ kind: "published", ...placeOf(options), ...foreign });
  return { after, listedMs, made };
}

/** Lists until the result shows, or until the deadline. Lost changes are sent once more, after the node's own delay. */
async function verify(options: ConfirmationOptions, merged: Changes, before: ObservedSet): Promise<Confirmed> {
  const { set, deadlineMs, clock } = options;
  const committed = clock.monotonic();
  const due = committed + set.options.commitDelayMs;
  let isRepaired = false;
  let after = before;
  let listedMs: number | undefined;
  for (let pause = FIRST_LIST_PAUSE_MS, lists = 0; ; pause = Math.min(pause * 2, LONGEST_LIST_PAUSE_MS)) {
    const listed = await set.observe().catch(unlessUnreadable);
    const unlisted = listed instanceof RequestError ? listed : undefined;
    if (!(listed instanceof RequestError)) {
      after = listed;
      listedMs = clock.monotonic() - committed;
    }
    const absent = missing(merged, after);
    const isShown = unlisted === undefined && absent.length === 0;
    const isMade = unlisted === undefined && coversAll(aggregatedIn(before, after, merged), absent);
    if (isShown || isMade || clock.monotonic() + pause > due + deadlineMs) return { after, unlisted, listedMs };
    // A failed list says nothing about lost entries.
    if (unlisted === undefined) lists += 1;
    if (!isRepaired && unlisted === undefined && lists >= REPAIR_AFTER_LISTS && clock.monotonic() >= due) {
      isRepaired = true;
      await repair(options, merged, after, absent);
    }
    await clock.sleep(pause);
  }
}

/** A lost connection is temporary; an unreadable answer and a refusal are not. */
function unlessUnreadable(error: unknown): RequestError {
  const passes = error instanceof RequestError && !(error instanceof UnexpectedResponse) && error.outcome !== "refused";
  if (!passes) throw error;
  return error;
}

async function repair(
  options: ConfirmationOptions,
  merged: Changes,
  observed: ObservedSet,
  absent: readonly CanonicalPrefix[],
): Promise<void> {
  const { set, notices, leftStaged } = options;
  notices.report({ kind: "notShown", ...placeOf(options), prefixes: absent });
  const lost = new Set(absent);
  const put = new Map([...merged.put].filter(([prefix]) => lost.has(prefix)));
  try {
    const staging = new Staging(set, observed, (prefixes) => leftStaged?.noteChanged(prefixes));
    await staging.stage(put, new Set(absent.filter((prefix) => merged.remove.has(prefix))));
    await set.commit();
    leftStaged?.settleChanged();
  } catch {
    // The following lists decide; the operation fails there if the changes are still missing.
  }
}

/**
 * Our commit publishes whatever is staged, including a removal that a killed run left behind, and another writer may have
 * committed one since the list before. Entries that the program wants, or whose removal is known to be left, and that are
 * gone after the commit are restored at once.
 */
export async function restore(
  options: ConfirmationOptions,
  { isOwn, left }: Pick<GroupChanges, "left"> & { isOwn(prefix: CanonicalPrefix): boolean },
  before: ObservedSet,
  after: ObservedSet,
): Promise<ObservedSet> {
  const { set, desired, notices } = options;
  const isLost = (prefix: CanonicalPrefix) => !isOwn(prefix) && (desired.has(prefix) || left.has(prefix));
  const lost = [...sharedDifference(before.values, after.values).remove].filter(([prefix]) => isLost(prefix));
  if (lost.length === 0) return after;
  const losses = [
    { cause: { by: "another writer" }, prefixes: lost.map(([it]) => it).filter((it) => !left.has(it)) },
    { cause: { by: "earlier run" }, prefixes: lost.map(([it]) => it).filter((it) => left.has(it)) },
  ] as const;
  const report = (ended: { readonly kind: "restored" } | { readonly kind: "notRestored"; readonly error: string }) => {
    for (const loss of losses) if (loss.prefixes.length > 0) notices.report({ ...ended, ...placeOf(options), ...loss });
  };
  const changes = { put: new Map(lost), remove: new Set<CanonicalPrefix>() };
  let now = after;
  try {
    await set.insert(lost);
    await set.commit();
    now = (await verify(options, changes, after)).after;
    const absent = missing(changes, now);
    if (absent.length > 0) throw new Error(`the node's list does not show ${some(absent)}.`);
    const result = resultOf(changes, after, now);
    options.audit?.(() => appliedWrite(result));
    report({ kind: "restored" });
  } catch (error) {
    const message = messageOf(error);
    const truth = { applied: after.values, unsettled: lost.map(([prefix]) => prefix) };
    options.audit?.(() => failedWrite(failedOperation(message, truth, changes, after.values).error));
    report({ kind: "notRestored", error: message });
  }
  return now;
}

/** Place of the set in events. */
export function placeOf({ set, at }: Pick<ConfirmationOptions, "set" | "at">): EventPlace {
  return { url: set.url, at };
}

/** The result of carrying out a group. */
interface Flushed extends Confirmed {
  readonly before: ObservedSet;
  readonly refused: ReadonlyMap<CanonicalPrefix, Error>;
  /** The prefixes to remove: one that another operation wants stays. */
  readonly removed: ReadonlySet<CanonicalPrefix>;
}

/** The answer to an operation whose group succeeded. */
export function outcomeOf(plan: Planned, flushed: Flushed, options: ConfirmationOptions): Settled<SetResult> {
  const { label } = options;
  const { before, after, refused: refusals, removed, unlisted, made = new Map() } = flushed;
  if (!plan.ok) return plan;
  const { put } = plan.value;
  const refused = refusals.size === 0 ? [] : [...put.keys()].filter((prefix) => refusals.has(prefix));
  const isNew = (prefix: CanonicalPrefix) => !before.has(prefix) && after.has(prefix);
  const isChanged = (prefix: CanonicalPrefix) => before.values.get(prefix) !== after.values.get(prefix);
  const restored = new Set([...(plan.value.restored ?? [])].filter((prefix) => !refusals.has(prefix)));
  const isOther = (prefix: CanonicalPrefix) => isChanged(prefix) && !restored.has(prefix);
  const applied = refused.length === 0 ? [] : [...put.keys(), ...plan.value.remove].filter(isOther);
  if (applied.length > 0 && missing(plan.value, after).length > 0)
    return stuckOutcome(plan.value, flushed, applied, label);
  if (!refused.every(isNew)) {
    const reason = refusals.get(refused[0] as CanonicalPrefix)?.message ?? "";
    const nothing = restored.size > 0 ? "nothing else" : "nothing";
    const message = `Set ${label}: the node refused ${some(refused)}; ${nothing} of this resource was changed. ${reason} Correct that, and run the same pulumi command again.`;
    const rest = restoring(plan.operation, { ...plan.value, restored }, message);
    return refusedOutcome(rest, outcomeOf(rest, flushed, options), options);
  }
  const remove = new Set([...plan.value.remove].filter((prefix) => removed.has(prefix)));
  const absent = missing({ put, remove }, after);
  if (absent.length > 0) {
    const message = coversAll(made, absent)
      ? `Set ${label}: ${aggregationRemedy(made)}`
      : `Set ${label}: committed, but ${unshown({ put, remove }, absent, flushed)}.${answers(options)}${unlisted ? ` The last list failed: ${unlisted.message}` : ""} Run "pulumi up --refresh" again.`;
    const truth = { applied: after.values, unsettled: absent, cause: unlisted };
    return failedOperation(message, truth, { put, remove }, before.values);
  }
  return { ok: true, value: resultOf(plan.value, before, after) };
}

/** The answer to an operation. If a limit refused it, it fails with that reason, whatever became of its restored entries. */
export function refusedOutcome(
  plan: Planned,
  answer: Settled<SetResult>,
  { audit }: Pick<ConfirmationOptions, "audit">,
): Settled<SetResult> {
  if (!plan.ok || plan.value.refusal === undefined) return answer;
  const { put, refusal, unsettled = new Set() } = plan.value;
  if (answer.ok) {
    audit?.(() => withReason(appliedWrite(answer.value), plan.operation));
    const truth = { applied: answer.value.after, unsettled: [...unsettled] };
    return { ok: false, error: new SetWriteFailure(`${refusal} Restored: ${some([...put.keys()])}.`, truth) };
  }
  const { error: cause } = answer;
  const message = `${refusal} ${cause.message}`;
  if (!(cause instanceof SetWriteFailure)) return { ok: false, error: new Error(message, { cause }) };
  const open = [...new Set([...cause.unsettled, ...unsettled])];
  const truth = { applied: cause.applied, unsettled: open, cause };
  return { ok: false, error: new SetWriteFailure(message, truth, cause.changes) };
}

/** Changes that the last list does not confirm, and how it shows them; half a sentence. */
function unshown({ put, remove }: Changes, absent: readonly CanonicalPrefix[], flushed: Flushed): string {
  const { after, unlisted, listedMs } = flushed;
  const named = (prefixes: readonly CanonicalPrefix[]) =>
    `${count(prefixes.length, "entry", "entries")}: ${some(prefixes)}`;
  if (unlisted && listedMs === undefined) return `no list after it was answered, which would show ${named(absent)}`;
  const parts: [string, readonly CanonicalPrefix[]][] = [
    ["does not show", absent.filter((prefix) => put.has(prefix) && !after.has(prefix))],
    ["shows another value of", absent.filter((prefix) => put.has(prefix) && after.has(prefix))],
    ["still shows", absent.filter((prefix) => !put.has(prefix) && remove.has(prefix))],
  ];
  const said = parts.filter(([, prefixes]) => prefixes.length > 0).map(([verb, all]) => `${verb} ${named(all)}`);
  return `${listedMs === undefined ? "" : `after ${formatDuration(listedMs)} `}the node's list ${said.join("; it ")}`;
}

/** A part was refused, and another part is applied, since the node did not take it back. */
function stuckOutcome(
  plan: SetPlan,
  { before, after, refused }: Flushed,
  applied: readonly CanonicalPrefix[],
  label: string,
): Settled<SetResult> {
  const isRefused = ([prefix, value]: [CanonicalPrefix, ListedValue]) =>
    refused.has(prefix) && after.values.get(prefix) !== value;
  const absent = [...plan.put].filter(isRefused).map(([prefix]) => prefix);
  const reason = absent.map((prefix) => refused.get(prefix)?.message).find((text) => text !== undefined) ?? "";
  const message = `Set ${label}: the node refused ${some(absent)}, and did not take back ${some(applied)}, which is applied now. ${reason} Correct that, and run the same pulumi command again.`;
  const truth = { applied: after.values, unsettled: [] };
  return failedOperation(message, truth, plan, before.values);
}

/** Answers of the node to the changes that it does not show: a success, or a text that is not a known error. */
function answers({ set }: ConfirmationOptions): string {
  const answers = [...set.answered].map(([command, answer]) => `${command} with ${answer}`);
  return answers.length === 0 ? "" : ` The node answered ${answers.join(", ")}.`;
}

/** The answer to an operation whose group failed between the first request and the commit's answer. */
export function interruptedOutcome(
  plan: Planned,
  before: ListedMap,
  { applied, maybeStaged, error }: { applied: ListedMap; maybeStaged: ReadonlySet<CanonicalPrefix>; error: unknown },
): Settled<SetResult> {
  if (!plan.ok) return plan;
  const open = [...plan.value.put.keys(), ...plan.value.remove].filter((prefix) => maybeStaged.has(prefix));
  if (open.length === 0 && error instanceof Error) return { ok: false, error };
  const text = messageOf(error);
  const entries = count(open.length, "entry", "entries");
  const message = plan.operation.isDelete
    ? `${text} The removal of ${entries} may be staged and not applied, or applied: run the same pulumi command again, or "pulumi up --refresh" if they are wanted again.`
    : `${text} ${entries} of this resource may be staged on the node and not applied; "pulumi up" settles that.`;
  const truth = { applied, unsettled: open, cause: error };
  return failedOperation(message, truth, plan.value, before);
}

/** The answer to an operation that was committed, where the list after it cannot be read; nothing for an operation without changes in it. */
export function unreadOutcome(
  plan: Planned,
  merged: Changes,
  before: ObservedSet,
  error: unknown,
): Settled<SetResult> | undefined {
  if (!plan.ok) return undefined;
  const { put, remove, listed = new Set() } = plan.value;
  const isSent = (prefix: CanonicalPrefix) => merged.put.has(prefix) || merged.remove.has(prefix) || listed.has(prefix);
  const open = [...put.keys(), ...remove].filter(isSent);
  if (open.length === 0) return undefined;
  const message = `${messageOf(error)} The commit before it was answered: ${count(open.length, "entry", "entries")} of this resource may be applied or not. Run the same pulumi command again once the list can be read.`;
  const truth = { applied: before.values, unsettled: open, cause: error };
  return failedOperation(message, truth, plan.value, before.values);
}
