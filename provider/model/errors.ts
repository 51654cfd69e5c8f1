/**
 * Base of all errors of this package that a caller can get. `message` is a sentence for people, `code` a stable word for
 * programs. Neither they nor `stack` and `cause` contain secrets of a connection.
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
    options?: { cause?: Error },
  ) {
    super(message, options);
  }
}

/** What a thrown value says, whatever it is. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The thrown value as an error. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
