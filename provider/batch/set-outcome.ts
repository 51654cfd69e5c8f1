import type { ObservedSet } from "../client/node-set";
import type { ListedValue } from "../model/entry";
import { messageOf } from "../model/errors";
import type { CanonicalPrefix } from "../model/prefix";
import { count, some } from "../model/text";
import type { Settled } from "./group-commit";
import type { ConfirmationOptions, Confirmed } from "./set-confirmation";
import {
  type Changes,
  missing,
  type Planned,
  resultOf,
  type SetPlan,
  type SetResult,
  SetWriteFailure,
} from "./set-operation";

/** What a group was carried out with. */
interface Flushed extends Confirmed {
  readonly before: ObservedSet;
  readonly refused: ReadonlyMap<CanonicalPrefix, Error>;
  /** What was removed in the end: what one operation removes and another wants stays. */
  readonly removed: ReadonlySet<CanonicalPrefix>;
}

/** The answer to an operation whose group went through. */
export function outcomeOf(plan: Planned, flushed: Flushed, options: ConfirmationOptions): Settled<SetResult> {
  const { label, deadlineMs } = options;
  const { before, after, refused: refusals, removed, unlisted } = flushed;
  if (!plan.ok) return plan;
  const { put } = plan.value;
  const refused = [...put.keys()].filter((prefix) => refusals.has(prefix));
  const isNew = (prefix: CanonicalPrefix) => !before.has(prefix) && after.has(prefix);
  const applied = refused.length === 0 ? [] : [...put.keys()].filter(isNew);
  if (applied.length > 0 && missing(plan.value, after).length > 0)
    return stuckOutcome(plan.value, flushed, applied, label);
  if (!refused.every(isNew)) {
    const reason = refusals.get(refused[0] as CanonicalPrefix)?.message ?? "";
    const message = `Set ${label}: the node refused ${some(refused)}; nothing of this resource was changed. ${reason} Put that right, and run the same pulumi command again.`;
    return { ok: false, error: new Error(message) };
  }
  const remove = new Set([...plan.value.remove].filter((prefix) => removed.has(prefix)));
  const absent = missing({ put, remove }, after);
  if (absent.length > 0) {
    const message = `Set ${label}: committed, but after ${deadlineMs} ms the node's list does not show ${count(absent.length, "entry", "entries")}: ${some(absent)}.${answers(options)}${unlisted ? ` The last list failed: ${unlisted.message}` : ""} Run "pulumi up --refresh" again.`;
    const truth = { applied: after.values, unsettled: absent, cause: unlisted };
    return { ok: false, error: new SetWriteFailure(message, truth) };
  }
  return { ok: true, value: resultOf(plan.value, before, after) };
}

/** A part was refused, and another part is applied, since the node did not take it back. */
function stuckOutcome(
  plan: SetPlan,
  { after, refused }: Flushed,
  applied: readonly CanonicalPrefix[],
  label: string,
): Settled<SetResult> {
  const isRefused = ([prefix, value]: [CanonicalPrefix, ListedValue]) =>
    refused.has(prefix) && after.values.get(prefix) !== value;
  const absent = [...plan.put].filter(isRefused).map(([prefix]) => prefix);
  const reason = absent.map((prefix) => refused.get(prefix)?.message).find((text) => text !== undefined) ?? "";
  const message = `Set ${label}: the node refused ${some(absent)}, and did not take back ${some(applied)}, which is applied now. ${reason} Put that right, and run the same pulumi command again.`;
  const truth = { applied: after.values, unsettled: [] };
  return { ok: false, error: new SetWriteFailure(message, truth) };
}

/** What the node answered to the changes that it does not show: a success, or a text that is not known as an error. */
function answers({ set }: ConfirmationOptions): string {
  const answers = [...set.answered].map(([command, answer]) => `${command} with ${answer}`);
  return answers.length === 0 ? "" : ` The node answered ${answers.join(", ")}.`;
}

/** The answer to an operation whose group failed between the first request and the commit's answer. */
export function interruptedOutcome(
  plan: Planned,
  { applied, touched, error }: { applied: ObservedSet; touched: ReadonlySet<CanonicalPrefix>; error: unknown },
): Settled<SetResult> {
  if (!plan.ok) return plan;
  const open = [...plan.value.put.keys(), ...plan.value.remove].filter((prefix) => touched.has(prefix));
  if (open.length === 0 && error instanceof Error) return { ok: false, error };
  const text = messageOf(error);
  const entries = count(open.length, "entry", "entries");
  const message = plan.operation.isDelete
    ? `${text} The removal of ${entries} may be staged and not applied, or applied: run the same pulumi command again, or "pulumi up --refresh" if they are wanted again.`
    : `${text} ${entries} of this resource may be staged on the node and not applied; "pulumi up" settles that.`;
  const truth = { applied: applied.values, unsettled: open, cause: error };
  return { ok: false, error: new SetWriteFailure(message, truth) };
}

/** The answer to an operation that was committed, where the list after it cannot be read; nothing for one without a part in it. */
export function unreadOutcome(
  plan: Planned,
  merged: Changes,
  before: ObservedSet,
  error: unknown,
): Settled<SetResult> | undefined {
  if (!plan.ok) return undefined;
  const { put, remove, shown = new Set() } = plan.value;
  const isSent = (prefix: CanonicalPrefix) => merged.put.has(prefix) || merged.remove.has(prefix) || shown.has(prefix);
  const open = [...put.keys(), ...remove].filter(isSent);
  if (open.length === 0) return undefined;
  const message = `${messageOf(error)} The commit before it was answered: ${count(open.length, "entry", "entries")} of this resource may be applied or not. Run the same pulumi command again once the list can be read.`;
  return { ok: false, error: new SetWriteFailure(message, { applied: before.values, unsettled: open, cause: error }) };
}
