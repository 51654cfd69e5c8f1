/**
 * Thrown when something is asked of an emulator that it does not hold: a set, a profile, a signaling client.
 * `message` says what there is, or how to write it.
 *
 * @example
 * ```ts
 * emulator.prefixSet("prefixset://edge/bloked");   // throws UnknownResource, which names the sets that there are
 * ```
 */
export class UnknownResource extends RangeError {
  override readonly name = "UnknownResource";
  /** What kind of error it is, for programs that do not share the class. */
  readonly code = "unknown-resource";
}
