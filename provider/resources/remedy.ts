import { RequestError } from "../client/errors";

/** What a failed write ends with when nothing was changed: an error names what failed, where, and what to do. */
export function untouched(error: unknown): unknown {
  if (!(error instanceof RequestError)) return error;
  const remedy =
    error.outcome === "refused"
      ? "put right what it says, and run the same pulumi command again"
      : "run the same pulumi command again once it answers";
  return new Error(`${error.message} Nothing was changed: ${remedy}.`, { cause: error });
}
