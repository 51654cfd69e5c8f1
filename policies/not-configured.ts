/** Settings of the shared configuration without which a rule cannot judge. */
export type Need = "role" | "direction" | "ownedPrefixes" | "managementPrefixes";

/** Thrown while a rule judges, when it needs what the shared configuration does not say. The rule then says so, once. */
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
