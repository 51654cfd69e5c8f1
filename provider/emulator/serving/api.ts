import type { IncomingMessage } from "node:http";
import type { Variation } from "../behaviour/fault-kind";
import type { Reply } from "../http/reply";
import type { RequestSummary } from "../journal/entry";
import type { CommitRecord } from "../state/prefix-set-store";

/** A request that was read whole. */
export interface Incoming {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

/** A request that was understood, or found wrong: its summary, and the function that carries it out. */
export interface Interpretation {
  readonly summary: RequestSummary;
  /** Carries the request out. `committed` is called with what a commit changed, at once or later. */
  run(variation: Variation, committed: (record: CommitRecord) => void): Reply | Promise<Reply>;
  /** Is called when the answer is out, or will never be. */
  over?(): void;
  /** An error in the form of this API: with a status, or as the dialect answers a request that is too large. */
  error(why: number | "tooLarge", message: string): Reply;
}

/** Path of the node API when it redirects. */
export const REDIRECTED = "/redirected/fapi";

/** One of the HTTP interfaces that an emulator serves. */
export interface Api {
  /** The answer to a request that is turned away before it is read. */
  admit?(request: IncomingMessage): Reply | undefined;
  interpret(request: Incoming): Interpretation;
}
