/** What the shared configuration must say before a rule can judge. */
export type Need = "role" | "direction" | "ownedPrefixes" | "managementPrefixes";

/** Thrown while a rule judges, when it needs what the shared configuration does not say. The rule then says so, once. */
export class NotConfigured extends Error {
  override readonly name = "NotConfigured";

  constructor(
    /** What is missing. */
    readonly need: Need,
    /** The set without a role or direction. */
    readonly set?: string,
  ) {
    super(set === undefined ? `\`${need}\` is not configured` : `${set} has no \`${need}\``);
  }
}
