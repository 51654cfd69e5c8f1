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

/** Thrown by a point after which nothing more can be asked. The probe ends, and says why. */
export class Blocked extends Error {
  override readonly name = "Blocked";
}
