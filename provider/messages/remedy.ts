import { isRefusal, isUnreachable, RequestError, SignalingIncomplete, SignalingRefused } from "../client/errors";
import { messageOf } from "../model/errors";
import type { Advice } from "./advice";

/** Remedy for a wave that does not pass. */
export function passWave(url: string): string {
  return `PACKETFILTER_ALLOW_WAVE=${url} counts the wave as passed, for one run.`;
}

/** Error of a failed write that changed nothing: it names the failure, its place and the remedy. */
export function untouched(error: unknown): unknown {
  const request = requestOf(error);
  if (!request) return error;
  const remedy =
    request.outcome === "refused"
      ? "correct what it says, and run the same pulumi command again"
      : "run the same pulumi command again once it answers";
  return new Error(`${messageOf(error)} Nothing was changed: ${remedy}.`, { cause: error });
}

/** The failed request in an error or in its causes. */
function requestOf(error: unknown): RequestError | undefined {
  if (error instanceof RequestError) return error;
  return error instanceof Error && error.cause !== undefined ? requestOf(error.cause) : undefined;
}

/** Advice of the failed request in an error. */
export function adviceIn(error: unknown): string | undefined {
  return requestOf(error)?.remedy;
}

/** The error with these ways out behind its message; its own advice and theirs are shown once a run. */
export function advised(advice: Advice, error: unknown, ...ways: readonly (string | undefined)[]): unknown {
  advice.of(adviceIn(error));
  const sentences = advice.of(...ways);
  return sentences.length === 0 ? error : new Error([messageOf(error), ...sentences].join(" "), { cause: error });
}

/** True if a node did not answer at all. */
export function isUnreachableNode(error: unknown): boolean {
  return isUnreachable(requestOf(error));
}

/** The refusal, if a node refused to list a set: usually it does not know the set. */
export function refusedList(error: unknown): RequestError | undefined {
  const request = requestOf(error);
  return isRefusal(request) && request.operation === "list" ? request : undefined;
}

/** Remedy for a node that does not answer the delete of a resource. */
export const GONE_NODE =
  "If it is gone for good, remove the resource from the state: pulumi state delete '<urn>' (pulumi stack --show-urns lists them).";

/**
 * Advice if a node or receiver refuses the credentials of a read or a delete: the engine uses the configuration of the last
 * `up` for refresh and destroy, and today's may be right.
 */
export function credentialsOfState(error: unknown): string | undefined {
  const request = requestOf(error);
  const said =
    request instanceof SignalingRefused || request instanceof SignalingIncomplete ? request.reason : undefined;
  if (said !== "secret-invalid" && request?.status !== 401 && request?.status !== 403) return undefined;
  return 'Refresh and destroy use the configuration of the last "pulumi up": if the credentials have changed since, run a plain "pulumi up" first, or run the same command with --run-program. A provider resource that left the program together with this one keeps its old credentials: put it back with the new ones, and remove only this resource.';
}

/**
 * Remedies if a node refuses to list a set.
 *
 * @param status Status of the refusal; `answers.absent: "empty"` is about 404.
 * @param isOfState True if a state has the set: then it existed once.
 */
export function unknownSet(status: number | undefined, isOfState: boolean): string {
  const ways = ["create it there"];
  if (status === 404) {
    const when = isOfState ? ", and run the same command with --run-program" : "";
    ways.push(
      `set answers.absent: "empty" of the node, so that the set counts as empty and the first insert creates it${when}`,
    );
  }
  if (isOfState) {
    ways.push(
      "remove the resource from the state with pulumi state delete '<urn>' (pulumi stack --show-urns lists them)",
    );
  }
  return `If the node has no such set${isOfState ? " any more" : ""}: ${ways.join("; or ")}.`;
}
