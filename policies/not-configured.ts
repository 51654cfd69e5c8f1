/** Settings of the shared configuration without which a rule cannot judge. */
export type Need = "role" | "direction" | "ownedPrefixes" | "managementPrefixes";

/** Thrown by a rule if a setting of the shared configuration is missing. The rule then reports it, once. */
export class NotConfigured extends Error {
  override readonly name = "NotConfigured";

  constructor(
    /** Missing setting. */
    readonly need: Need,
    /** The set without a role or direction. */
    readonly set?: string,
  ) {
    super(set === undefined ? `\`${need}\` is not configured` : `${set} has no \`${need}\``);
  }
}
