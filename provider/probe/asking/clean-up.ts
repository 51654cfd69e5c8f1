import { isUnreachable, RequestError } from "../../client/errors";
import { DEFAULTS, type NodeOptions } from "../../client/options";
import { messageOf } from "../../model/errors";
import { formatUrl } from "../../model/resource-url";
import { some } from "../../model/text";
import type { LeftBehind } from "../finding";
import { TIMING } from "../timing";
import type { Bench } from "./bench";
import { OutOfTime } from "./ending";
import type { Receiver } from "./receiver";
import { ForeignEntries } from "./set-lists";
import type { WorkSet } from "./work-set";

/** Most prefixes in a sentence. */
const SHOWN = 50;

/**
 * Removes the entries and stops the signalings of the probe. It tries for a minute, since node or receiver may be away for a
 * while, and goes on after the user asked to stop.
 *
 * @param doubtMs Time to wait first for a request without an answer, see {@link doubtAfter}.
 * @returns changes that are left.
 */
export async function cleanUp(bench: Bench, doubtMs: number): Promise<LeftBehind[]> {
  const { work, receiver } = bench;
  bench.ending.clean();
  if (isUnclean(bench)) await bench.pause(doubtMs);
  // At the same time: a dead one takes none of the other's time.
  const [inSet, active] = await Promise.all([work, receiver].map((one) => repeatedly(bench, one)));
  const left: LeftBehind[] = [];
  if (work && inSet !== undefined)
    left.push(leftAt(formatUrl(work.url), `Set ${formatUrl(work.url)} on ${bench.endpoint}`, work, inSet));
  if (receiver && active !== undefined)
    left.push(leftAt(receiver.endpoint, `Signalings at ${receiver.endpoint}`, receiver, active));
  return left;
}

/** True if something may have to be removed or stopped. */
export function isUnclean({ work, receiver }: Bench): boolean {
  return work?.isTouched === true || (receiver?.remains.length ?? 0) > 0;
}

/**
 * Milliseconds in which a request without an answer may still take effect: one more time-out if the node was slow or broke
 * off, a second if the user ended the probe and waits.
 */
export function doubtAfter(error: unknown, { timeoutMs = DEFAULTS.timeoutMs }: NodeOptions): number {
  if (isUnreachable(error)) return Math.min(timeoutMs, TIMING.mostDoubt);
  return error instanceof RequestError && error.code === "request-cancelled"
    ? Math.min(timeoutMs, TIMING.afterStop)
    : 0;
}

/** Tries until it works, or the time is over. Returns the reason if it never worked. */
async function repeatedly(bench: Bench, one: WorkSet | Receiver | undefined): Promise<string | undefined> {
  let why = "";
  for (const pause of [0, ...TIMING.cleanUp]) {
    try {
      await bench.pause(pause);
      await one?.clear();
      await one?.lookAgain();
      return undefined;
    } catch (error) {
      why = error instanceof OutOfTime && why !== "" ? why : messageOf(error);
      // Changes of another writer are not the probe's, once all of its own are gone.
      if (error instanceof ForeignEntries && bench.work?.isTouched === false) return undefined;
      if (error instanceof ForeignEntries || error instanceof OutOfTime) break;
    }
  }
  return why;
}

function leftAt(
  where: string,
  subject: string,
  { left: prefixes, refusal }: Pick<WorkSet, "left" | "refusal">,
  why: string,
): LeftBehind {
  const what =
    prefixes.length === 0
      ? "Nothing of the probe is left there that is known of."
      : `Left there, or on its way: ${some(prefixes, SHOWN)}.`;
  const said = refusal ? ` Its last refusal: ${refusal.evidence.replace(/\.$/, "")}.` : "";
  return { where, prefixes, remedy: `${subject} could not be cleaned up: ${why.replace(/\.$/, "")}.${said} ${what}` };
}
