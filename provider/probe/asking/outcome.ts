import type { Answer } from "./answer";

/** Thrown by a point that cannot be asked of this node. */
export class Skipped extends Error {}

/** Thrown by a point whose question does not come up at this node: nothing is missed. */
export class Moot extends Skipped {}

/** Thrown by a point whose answers do not tell. */
export class Unclear extends Error {
  constructor(
    message: string,
    readonly evidence: readonly Answer[] = [],
  ) {
    super(message);
  }
}

/** Thrown by a point without which the node or receiver is of no use: nothing that rests on it can be asked. */
export class Unusable extends Unclear {
  /**
   * @param lacks What cannot be done, as the end of "it cannot be used, because …".
   * @param wayOut A sentence: what would help.
   */
  constructor(
    readonly lacks: string,
    message: string,
    readonly wayOut: string | undefined,
    evidence: readonly Answer[] = [],
  ) {
    super(message, evidence);
  }
}

/** What a node lacks whose lists no setting reads. */
export const UNREADABLE = "lists of its sets cannot be read";

/** The way out where no setting reads a list. */
export const OWN_READER = "A module of your own reads it: `answers.read`.";

/** Thrown by a point after which nothing more can be asked. The probe ends, and says why. */
export class Blocked extends Error {}
