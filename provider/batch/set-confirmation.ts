import type { Clock } from "../client/clock";
import type { NodeSet, ObservedSet } from "../client/node-set";
import { messageOf } from "../model/errors";
import type { CanonicalPrefix } from "../model/prefix";
import { some } from "../model/text";
import { type Changes, doneByOthers, missing } from "./set-changes";
import { Staging } from "./set-staging";
import { FIRST_LIST_PAUSE_MS, LONGEST_LIST_PAUSE_MS, REPAIR_AFTER_LISTS } from "./times";

/** The set that is written to, and what is needed to look after a commit. */
export interface ConfirmationOptions {
  readonly set: NodeSet;
  /** Where the set is, for messages: `prefixset://edge/blocked on fra1`. */
  readonly label: string;
  /** How long the list after a commit may take to show the result. */
  readonly deadlineMs: number;
  /** The prefixes that some resource of this deployment wants in this set, not only those that ask for this change. */
  readonly wanted: { has(prefix: CanonicalPrefix): boolean };
  /** Takes warnings for the user, about what others did to the set in the meantime. */
  readonly notices: { warn(message: string): void };
  readonly clock: Clock;
}

/**
 * Finds out what a commit did, repairs what it lost or took away, and reports changes that were not ours.
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
    options.notices.warn(
      `Set ${options.label}: with our commit, entries that are not ours ${foreign}. Another writer had staged or committed them; "pulumi preview --refresh" shows what they mean for this stack.`,
    );
  }
  return after;
}

/** Lists until the result shows, or until the deadline. Changes that got lost on the way are sent once more. */
async function verify(options: ConfirmationOptions, merged: Changes, before: ObservedSet): Promise<ObservedSet> {
  const { set, deadlineMs, clock } = options;
  const end = clock.monotonic() + deadlineMs;
  let observed = before;
  for (let pause = FIRST_LIST_PAUSE_MS, lists = 1; ; pause = Math.min(pause * 2, LONGEST_LIST_PAUSE_MS), lists += 1) {
    observed = await set.observe().catch(() => observed);
    const absent = missing(merged, observed);
    if (absent.length === 0 || clock.monotonic() + pause > end) return observed;
    if (lists === REPAIR_AFTER_LISTS) await repair(options, merged, observed, absent);
    await clock.sleep(pause);
  }
}

async function repair(
  options: ConfirmationOptions,
  merged: Changes,
  observed: ObservedSet,
  absent: readonly CanonicalPrefix[],
): Promise<void> {
  const { set, label, notices } = options;
  notices.warn(
    `Set ${label}: ${absent.length} changes did not show after the commit and are sent again: ${some(absent)}.`,
  );
  const lost = new Set(absent);
  const put = new Map([...merged.put].filter(([prefix]) => lost.has(prefix)));
  try {
    const staging = new Staging(set, observed);
    await staging.stage(put, new Set(absent.filter((prefix) => merged.remove.has(prefix))));
    await set.commit();
  } catch {
    // The lists that follow say what is true; the operation fails there if the changes are still missing.
  }
}

/**
 * Our commit publishes whatever is staged, including a removal that a killed run left behind. Entries that the program
 * wants and that disappeared with the commit are put back at once.
 */
async function putBack(
  options: ConfirmationOptions,
  merged: Changes,
  before: ObservedSet,
  after: ObservedSet,
): Promise<ObservedSet> {
  const { set, wanted, label, notices } = options;
  const isLost = (prefix: CanonicalPrefix) =>
    !after.has(prefix) && !merged.remove.has(prefix) && !merged.put.has(prefix) && wanted.has(prefix);
  const lost = [...before.values].filter(([prefix]) => isLost(prefix));
  if (lost.length === 0) return after;
  const names = some(lost.map(([prefix]) => prefix));
  notices.warn(
    `Set ${label}: our commit published a removal that another writer had staged, of ${names}; put back, since it is wanted.`,
  );
  try {
    await set.insert(lost);
    await set.commit();
    return await verify(options, { put: new Map(lost), remove: new Set() }, after);
  } catch (error) {
    notices.warn(`Set ${label}: ${names} could not be put back: ${messageOf(error)}`);
    return after;
  }
}
