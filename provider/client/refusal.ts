import { RequestError } from "./errors";

/** Refusals by which the node says nothing about the entries sent: smaller requests would meet the same. */
const ABOUT_THE_CALLER: ReadonlySet<number> = new Set([301, 302, 303, 307, 308, 401, 403, 405, 407, 501, 505, 507]);

/** True for an error by which the node said no to what was sent, so that it can be narrowed down to single entries. */
export function isRefusal(error: unknown): error is RequestError {
  return error instanceof RequestError && error.outcome === "refused" && !ABOUT_THE_CALLER.has(error.status ?? 0);
}

/** True where nobody answered at all: no connection, or no answer in time. Any answer, of whatever status, is one. */
export function isUnreachable(error: unknown): error is RequestError {
  if (!(error instanceof RequestError) || error.status !== undefined) return false;
  return error.code === "request-not-sent" || error.code === "request-unknown";
}

/** True when the request was sent more than once: a refusal may be the echo of an earlier try that did happen. */
export function wasRepeated(error: unknown): boolean {
  return error instanceof RequestError && error.tries > 1;
}
