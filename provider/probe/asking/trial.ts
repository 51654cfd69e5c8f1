import { WRONG_SECRET } from "../../client/signaling-request";
import { Prefix } from "../../model/prefix";
import { refusalIn } from "../../wire/signaling";
import type { Answer } from "./answer";
import { isSame } from "./baseline";
import { whyUnread } from "./listing";
import { Unclear, Unusable } from "./outcome";
import type { Receiver } from "./receiver";

/**
 * Starts the prefix and stops it, with requests that must be refused, and learns the form of the receiver's answers. Nothing is
 * stopped before a status has shown the start: a status that no setting reads may hide a signaling of another client.
 *
 * @returns the status before (`idle`); the start, the status that shows it and the milliseconds until then; a second start
 *   (`again`) and a status with a wrong secret while it is active; once it is stopped, a stop with a wrong secret, and one of an
 *   inactive prefix (`idleStop`).
 * @throws {Unclear} if it is active, or cannot be started. @throws {Unusable} if no setting reads its answers.
 */
export async function tryStart(receiver: Receiver) {
  const { prefix } = receiver;
  const idle = await receiver.status();
  const active = receiver.firstIn(idle);
  if (!active) throw new Unclear(`the status is refused: ${idle.quote}`, [idle]);
  const overlapping = active.filter((one) => one.overlaps(prefix));
  if (overlapping.length > 0) {
    const named = overlapping.join(", ");
    throw new Unclear(`signaling of ${named} is active: --signaling needs a prefix without any`, [idle]);
  }
  await findLock(receiver);
  receiver.begin(idle);
  const texts = [prefix.toString()];
  const start = await receiver.start(texts);
  if (start.status >= 300 || refusalIn(start.body) !== undefined)
    throw new Unclear(`the start of ${prefix} is refused: ${start.quote}`, [start]);
  const { answer: status, ms: delayMs, shown } = await receiver.shows(prefix.toString());
  if (!shown) throw startNotShown(receiver, start, status);
  if (active.length === 0) receiver.showsNothing(idle);
  receiver.succeeded("start", start);
  const again = await receiver.start(texts);
  const wrongStatus = await receiver.status(WRONG_SECRET);
  await receiver.clear();
  const wrongStop = await receiver.stop(texts, WRONG_SECRET);
  const idleStop = await receiver.stop(texts);
  // Some receivers look at no secret.
  if (!isSame(wrongStop, start)) receiver.failed("stop", wrongStop);
  // Some receivers stop what is not active, or start what is, without an error.
  if (!receiver.isDone(idleStop, "stop")) receiver.failed("stop", idleStop);
  if (!receiver.isDone(again)) receiver.failed("start", again);
  if (!receiver.isDone(start)) {
    throw new Unusable(
      "no setting reads its answer to a start as a success",
      start.quote,
      'Let it answer "ok", or JSON with a member that says how it went.',
      [start],
    );
  }
  return { idle, wrongStatus, wrongStop, idleStop, start, status, delayMs, again };
}

/**
 * A receiver may lock a client after a wrong secret, and the stop of its signaling would be refused: it is found out while nothing
 * is started.
 *
 * @throws {Unclear} if it does.
 */
async function findLock(receiver: Receiver): Promise<void> {
  await receiver.status(WRONG_SECRET);
  const status = await receiver.status();
  if (!receiver.firstIn(status))
    throw new Unclear(`after one with a wrong secret the status is refused: ${status.quote}`, [status]);
}

/** Error for a start that no status shows. */
function startNotShown(receiver: Receiver, start: Answer, status: Answer): Unclear {
  const reading = receiver.read(status);
  const evidence = [start, status];
  if (reading.kind === "done")
    return new Unclear(
      `the status never shows ${receiver.prefix}, whose start was answered with ${start.quote}`,
      evidence,
    );
  const why = `the status is not understood: ${whyUnread(reading)}`;
  // Starts work without a status: their own answers count.
  if (receiver.isDone(start)) return new Unclear(why, evidence);
  return new Unusable("its answers cannot be read", why, undefined, evidence);
}

/** The first address of a prefix; `undefined` for a single address. */
export function firstAddress(prefix: Prefix): Prefix | undefined {
  return prefix.size === 1n ? undefined : Prefix.parse(prefix.address);
}

/** True for a refusal, also one in the contract's words with any status. */
export function isRefused(answer: Answer): boolean {
  return refusalIn(answer.body) !== undefined || answer.isRefusal;
}
