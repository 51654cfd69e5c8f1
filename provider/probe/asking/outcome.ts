import type { Answer } from "./answer";

/** Thrown by a point that cannot be asked of this node. */
export class Skipped extends Error {}

/** Thrown by a point whose question does not arise at this node: nothing is missed. */
export class Moot extends Skipped {}

/** Thrown by a point whose answers make no sense. */
export class Unclear extends Error {
  constructor(
    message: string,
    readonly evidence: readonly Answer[] = [],
  ) {
    super(message);
  }
}

/** Thrown by a point without which the node or receiver cannot be used. */
export class Unusable extends Unclear {
  /**
   * @param lacks End of the sentence "it cannot be used, because …".
   * @param remedy The remedy, as a sentence.
   */
  constructor(
    readonly lacks: string,
    message: string,
    readonly remedy: string | undefined,
    evidence: readonly Answer[] = [],
  ) {
    super(message, evidence);
  }
}

/** For {@link Unusable}, if no setting reads a list: `lacks`, and the remedy. */
export const UNREADABLE = "lists of its sets cannot be read";
export const OWN_READER = "A module of your own reads it: `answers.read`.";

/** Lists or statuses in a row that cannot be read though a known good one was, after which a probe ends. */
export const UNREAD = 3;
