/** Thrown by a point that cannot be asked of this node. */
export class Skipped extends Error {
  override readonly name = "Skipped";
}

/** Thrown by a point whose answers do not tell. */
export class Unclear extends Error {
  override readonly name = "Unclear";

  constructor(
    message: string,
    readonly evidence: readonly string[] = [],
  ) {
    super(message);
  }
}
