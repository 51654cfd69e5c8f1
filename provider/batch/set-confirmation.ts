import type { CanonicalPrefix } from "../model/prefix";
import { some } from "../model/text";
import type { ObservedSet } from "./observed-set";
import { realSchedule, type Schedule } from "./schedule";
import { type Changes, doneByOthers, missing } from "./set-changes";
import { type IsRefusal, type SetRequests, Staging } from "./set-staging";

/** What is needed to look after a commit. */
export interface ConfirmationOptions {
  readonly requests: SetRequests;
  readonly judge: { readonly isRefusal: IsRefusal };
  /** Where the set is, for messages: `prefixset://edge/blocked on fra1`. */
  readonly label: string;
  /** How long the list after a commit may take to show the result. */
  readonly deadlineMs: number;
  /** True for a prefix that some resource of this deployment wants in this set, whoever asks for a change. */
  readonly isWanted?: (prefix: CanonicalPrefix) => boolean;
  /** Receives sentences about what others did to the set meanwhile. */
  readonly warn: (message: string) => void;
  readonly schedule?: Schedule;
  readonly now?: () => number;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;
/** Late commits show by waiting; after this many lists a lost change is the likelier reason. */
const REPAIR_AFTER_LISTS = 4;

/**
 * Looks what became of a commit, puts right what it took away or did not do, and reports what was not our doing.
 *
 * @returns what the node lists in the end, whether or not everything shows
 */
export async function confirm(
  options: ConfirmationOptions,
  merged: Changes,
  before: ObservedSet,
): Promise<ObservedSet> {
  const after = await putBack(options, merged, before, await verify(options, merged, before));
  const foreign = doneByOthers(before.values, after.values, merged);
  if (foreign !== "") {
    options.warn(
      `Set ${options.label}: with our commit, entries that are not ours ${foreign}. Somebody else had staged or committed them; "pulumi preview --refresh" shows what they mean for this stack.`,
    );
  }
  return after;
}

/** Lists until the result shows. What another writer took away in the meantime is sent once more. */
async function verify(options: ConfirmationOptions, merged: Changes, before: ObservedSet): Promise<ObservedSet> {
  const { requests, deadlineMs, now = Date.now } = options;
  const end = now() + deadlineMs;
  let observed = before;
  for (let pause = FIRST_PAUSE_MS, lists = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS), lists += 1) {
    observed = await requests.list().catch(() => observed);
    const absent = missing(merged, observed);
    if (absent.length === 0 || now() + pause > end) return observed;
    if (lists === REPAIR_AFTER_LISTS) await repair(options, merged, observed, absent);
    await wait(options, pause);
  }
}

async function repair(
  options: ConfirmationOptions,
  merged: Changes,
  observed: ObservedSet,
  absent: readonly CanonicalPrefix[],
): Promise<void> {
  const { requests, label, warn, judge } = options;
  warn(`Set ${label}: ${absent.length} changes did not show after the commit and are sent again: ${some(absent)}.`);
  const lost = new Set(absent);
  const put = new Map([...merged.put].filter(([prefix]) => lost.has(prefix)));
  try {
    const staging = new Staging(requests, observed, judge.isRefusal);
    await staging.stage(put, new Set(absent.filter((prefix) => merged.remove.has(prefix))));
    await requests.commit();
  } catch {
    // The lists that follow say what is true; the operation fails there if the changes are still missing.
  }
}

/**
 * Our commit publishes whatever is staged, a removal that a killed run left behind included. What the program wants and
 * the commit took away is put back at once.
 */
async function putBack(
  options: ConfirmationOptions,
  merged: Changes,
  before: ObservedSet,
  after: ObservedSet,
): Promise<ObservedSet> {
  const { requests, isWanted, label, warn } = options;
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
    return await verify(options, { put: new Map(lost), remove: new Set() }, after);
  } catch (error) {
    warn(`Set ${label}: ${names} could not be put back: ${error instanceof Error ? error.message : String(error)}`);
    return after;
  }
}

function wait({ schedule = realSchedule }: ConfirmationOptions, ms: number): Promise<void> {
  return new Promise((resolve) => schedule.after(ms, resolve));
}
