/**
 * Thrown when something is asked of an emulator that it does not hold: a set, a profile, a signaling client.
 * `message` says what there is, or how to write it.
 */
export class UnknownResource extends RangeError {
  override readonly name = "UnknownResource";
  readonly code = "unknown-resource";
}
