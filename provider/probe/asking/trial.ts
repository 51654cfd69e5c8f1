import { Prefix } from "../../model/prefix";
import { refusalIn } from "../../wire/signaling";
import type { Answer } from "./answer";
import { whyUnread } from "./listing";
import { Unclear, Unusable } from "./outcome";
import type { Receiver } from "./receiver";

/** No receiver has this secret. */
const WRONG = "pulumi-packetfilter-probe";

/**
 * Starts the prefix, after everything that must be refused before, and learns how the receiver answers.
 *
 * @returns the status before (`idle`); status and stop with a wrong secret; the stop of what is not active (`idleStop`); the
 *   start, the status that shows it and the milliseconds until then; the start of what is active (`again`).
 * @throws {Unclear} where it is active, or cannot be started. @throws {Unusable} where no setting reads what it answers.
 */
export async function tryStart(receiver: Receiver) {
  const { prefix } = receiver;
  const idle = await receiver.status();
  const active = receiver.shownIn(idle);
  if (!active) throw new Unclear(`the status is refused: ${idle.quote}`, [idle]);
  const overlapping = active.filter((one) => one.overlaps(prefix));
  if (overlapping.length > 0) {
    const named = overlapping.join(", ");
    throw new Unclear(`signaling of ${named} is active: --signaling needs a prefix without any`, [idle]);
  }
  const texts = [prefix.toString()];
  const wrongStatus = await receiver.status({ secret: WRONG });
  const wrongStop = await receiver.stop(texts, { secret: WRONG });
  const idleStop = await receiver.stop(texts);
  const start = await receiver.start(texts);
  if (start.status >= 300 || refusalIn(start.body) !== undefined)
    throw new Unclear(`the start of ${prefix} is refused: ${start.quote}`, [start]);
  const { answer: status, ms: delayMs, shown } = await receiver.shows(prefix.toString());
  if (!shown) throw unseen(receiver, start, status);
  if (active.length === 0) receiver.showsNothing(idle);
  if (!receiver.succeeded("start", start)) {
    throw new Unusable(
      "no setting reads its answer to a start as a success",
      start.quote,
      'Let it answer "ok", or JSON with a member that says how it went.',
      [start],
    );
  }
  const again = await receiver.start(texts);
  return { idle, wrongStatus, wrongStop, idleStop, start, status, delayMs, again };
}

/** A start that no status shows, with what is known of it all the same. */
function unseen(receiver: Receiver, start: Answer, status: Answer): Unclear {
  const reading = receiver.read(status);
  const evidence = [start, status];
  if (reading.kind === "done")
    return new Unclear(
      `the status never shows ${receiver.prefix}, whose start was answered with ${start.quote}`,
      evidence,
    );
  const why = `the status is not understood: ${whyUnread(reading)}`;
  // Starts are carried out without it: what holds is their own answer.
  if (receiver.isStarted(start)) return new Unclear(why, evidence);
  return new Unusable("its answers cannot be read", why, undefined, evidence);
}

/** The first address of a prefix, alone; `undefined` where it is one itself. */
export function firstAddress(prefix: Prefix): Prefix | undefined {
  return prefix.size === 1n ? undefined : Prefix.parse(prefix.address);
}

/** True for a refusal in the contract's own words, whatever its form. */
export function isRefused(answer: Answer): boolean {
  return refusalIn(answer.body) !== undefined || answer.isRefusal;
}
