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
import { ForeignEntries, type WorkSet } from "./work-set";

/** Prefixes up to this number stand in a sentence. */
const SHOWN = 50;

/**
 * Takes out of the set, and stops at the receiver, whatever the probe may have left there, for as long as there is hope
 * and time: either may be gone for a while. Goes on when the user has asked to stop.
 *
 * @param doubtMs How long to wait first for a request that was given up on, see {@link doubtAfter}.
 * @returns what is left.
 */
export async function cleanUp(bench: Bench, doubtMs: number): Promise<LeftBehind[]> {
  const { work, receiver } = bench;
  bench.ending.clean();
  if (isUnclean(bench)) await bench.pause(doubtMs, { calm: true });
  // One that is dead takes none of the other's time.
  const [inSet, active] = await Promise.all([work, receiver].map((one) => repeatedly(bench, one)));
  const left: LeftBehind[] = [];
  if (work && inSet !== undefined)
    left.push(leftAt(formatUrl(work.url), `Set ${formatUrl(work.url)} on ${bench.endpoint}`, work, inSet));
  if (receiver && active !== undefined)
    left.push(leftAt(receiver.endpoint, `Signalings at ${receiver.endpoint}`, receiver, active));
  return left;
}

/** True where something may have to be taken out or stopped. */
export function isUnclean({ work, receiver }: Bench): boolean {
  return work?.isTouched === true || (receiver?.remains.length ?? 0) > 0;
}

/**
 * Milliseconds in which a request that was given up on may still have its effect: a time-out more where the node was slow or
 * broke off, a second where the user ended the probe in between and waits.
 */
export function doubtAfter(error: unknown, { timeoutMs = DEFAULTS.timeoutMs }: NodeOptions): number {
  if (isUnreachable(error)) return Math.min(timeoutMs, TIMING.mostDoubt);
  return error instanceof RequestError && error.code === "request-cancelled"
    ? Math.min(timeoutMs, TIMING.afterStop)
    : 0;
}

/** Tries until it works, or the time is over. Returns why it did not, if it never did. */
async function repeatedly(bench: Bench, one: WorkSet | Receiver | undefined): Promise<string | undefined> {
  let why = "";
  for (const pause of [0, ...TIMING.cleanUp]) {
    try {
      await bench.pause(pause, { calm: true });
      await one?.clear({ calm: true });
      await one?.lookAgain();
      return undefined;
    } catch (error) {
      why = error instanceof OutOfTime && why !== "" ? why : messageOf(error);
      // What another writer changed is theirs to look at, once nothing of the probe is among it.
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
