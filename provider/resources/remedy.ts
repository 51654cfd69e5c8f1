import { isRefusal, RequestError } from "../client/errors";
import { messageOf } from "../model/errors";

/** What a failed write ends with when nothing was changed: an error names what failed, where, and what to do. */
export function untouched(error: unknown): unknown {
  const request = requestOf(error);
  if (!request) return error;
  const remedy =
    request.outcome === "refused"
      ? "put right what it says, and run the same pulumi command again"
      : "run the same pulumi command again once it answers";
  return new Error(`${messageOf(error)} Nothing was changed: ${remedy}.`, { cause: error });
}

/** The failed request in an error, which may have been given further words since. */
function requestOf(error: unknown): RequestError | undefined {
  if (error instanceof RequestError) return error;
  return error instanceof Error && error.cause !== undefined ? requestOf(error.cause) : undefined;
}

/** True where the node answered the list of a set with a no: as a rule it does not know the set. */
export function isListRefused(error: unknown): error is RequestError {
  return isRefusal(error) && error.operation === "list";
}

/**
 * The ways out where a node refuses to list a set.
 *
 * @param status Of the refusal; `absentSet` is about 404.
 * @param isOfState True where a state knows the set: then it was there once.
 */
export function unknownSet(status: number | undefined, isOfState: boolean): string {
  const ways = ["make it there"];
  if (status === 404) {
    const when = isOfState ? ", and run the same command with --run-program" : "";
    ways.push(`give the node absentSet: "empty", with which it counts as empty and its first insert makes it${when}`);
  }
  if (isOfState) {
    ways.push(
      "take the resource out of the state with pulumi state delete '<urn>' (pulumi stack --show-urns lists them)",
    );
  }
  return `If the node has no such set${isOfState ? " any more" : ""}: ${ways.join("; or ")}.`;
}
