/**
 * Base class of all errors that this package throws to its callers. `message` is a sentence for people, `code` a stable word
 * for programs. None of `message`, `code`, `stack` and `cause` contains secrets of a connection.
 *
 * @example
 * ```ts
 * try {
 *   Prefix.parse(text);
 * } catch (error) {
 *   if (error instanceof PacketFilterError) console.error(error.code, error.message);   // invalid-prefix …
 * }
 * ```
 */
export class PacketFilterError extends Error {
  override readonly name: string = "PacketFilterError";

  constructor(
    message: string,
    /** Stable, in kebab case; for example `"request-refused"`. */
    readonly code: string,
    options?: {
      /** The error that led to this one. */
      readonly cause?: unknown;
    },
  ) {
    super(message, options);
  }
}

/** Message of any thrown value; its name if the message is empty, as in an `AggregateError` of several addresses. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

/** The system's or library's code of an error, as `ECONNREFUSED`. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** A class of errors. Compilers below 4.2 cannot read it. @internal */
type ErrorClass<E extends Error> = abstract new (...args: never[]) => E;

/** Result of the work, or of `instead` for an error of this kind; other errors are rethrown. @internal */
export function caught<T, E extends Error, R>(work: () => T, kind: ErrorClass<E>, instead: (error: E) => R): T | R {
  try {
    return work();
  } catch (error) {
    if (error instanceof kind) return instead(error);
    throw error;
  }
}

/** Result of the work; `undefined` if it fails, with an error of this kind if one is named. @internal */
export function attempt<T>(work: () => T, kind: ErrorClass<Error> = Error): T | undefined {
  return caught(work, kind, () => undefined);
}

/** The thrown value as an error. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
