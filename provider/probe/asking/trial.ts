import { Prefix } from "../../model/prefix";
import { refusalIn } from "../../wire/signaling";
import type { Answer } from "./answer";
import { Blocked } from "./outcome";
import type { Receiver } from "./receiver";

/** No receiver has this secret. */
const WRONG = "pulumi-packetfilter-probe";

/** What happened when a prefix was started and stopped, rightly and wrongly. */
export interface Trial {
  /** Status, and stop of what is not active, with a wrong secret. */
  readonly wrongStatus: Answer;
  readonly wrongStop: Answer;
  /** Stop of what is not active. */
  readonly idleStop: Answer;
  readonly start: Answer;
  /** The status that shows it, and how long after the start that was. */
  readonly status: Answer;
  readonly delayMs: number;
  /** Start of what is active. */
  readonly again: Answer;
}

/**
 * Starts the prefix, after everything that must be refused before.
 *
 * @throws {Blocked} where it is active, or cannot be started: then nothing more can be asked of the receiver.
 */
export async function tryStart(receiver: Receiver): Promise<Trial> {
  const { prefix } = receiver;
  const active = await receiver.active();
  const overlapping = active.filter((text) => Prefix.parse(text).overlaps(prefix));
  if (overlapping.length > 0) {
    throw new Blocked(`signaling of ${overlapping.join(", ")} is active: --signaling needs a prefix without any`);
  }
  const texts = [prefix.toString()];
  const wrongStatus = await receiver.status({ secret: WRONG });
  const wrongStop = await receiver.stop(texts, { secret: WRONG });
  const idleStop = await receiver.stop(texts);
  const start = await receiver.start(texts);
  if (!receiver.isStarted(start)) throw new Blocked(`the start of ${prefix} is refused: ${start.quote}`);
  const { answer: status, ms: delayMs, shown } = await receiver.shows(prefix.toString());
  if (!shown) throw new Blocked(`the status never shows ${prefix}, whose start was answered with ${start.quote}`);
  const again = await receiver.start(texts);
  return { wrongStatus, wrongStop, idleStop, start, status, delayMs, again };
}

/** The first address of a prefix, alone; `undefined` where it is one itself. */
export function firstAddress(prefix: Prefix): Prefix | undefined {
  return prefix.size === 1n ? undefined : Prefix.parse(prefix.address);
}

/** True for a refusal in the contract's own words, whatever its form. */
export function isRefused(answer: Answer): boolean {
  return refusalIn(answer.body) !== undefined || answer.isRefusal;
}
