import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Variation } from "../behaviour/fault-kind";
import type { Reply } from "../http/reply";
import type { RequestSummary } from "../journal/entry";
import type { CommitRecord } from "../state/prefix-set-store";

/** Target and headers of a request, before its body is read. */
export type Head = Pick<IncomingMessage, "method" | "url" | "headers">;

/** A complete request. */
export interface Incoming {
  readonly method: string;
  /** Path and query, unchanged. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A parsed or refused request: its summary, and the function that carries it out. */
export interface Interpretation {
  readonly summary: RequestSummary;
  /** Carries the request out. `committed` is called with the changes of a commit, at once or later. */
  run(variation: Variation, committed: (record: CommitRecord) => void): Reply | Promise<Reply>;
  /** Called when the answer is sent, or will never be. */
  over?(): void;
  /** An error in the form of this API: with a status, or that of the dialect for a request that is too large. */
  error(why: number | "tooLarge", message: string): Reply;
}

/** Path of the node API if it redirects. */
export const REDIRECTED = "/redirected/fapi";

export interface Api {
  /** The answer to a request that is refused unread. */
  admit?(request: Head): Reply | undefined;
  interpret(request: Incoming): Interpretation;
}
