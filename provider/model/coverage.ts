import { type CanonicalPrefix, Prefix } from "./prefix";

/** IP versions. */
export type Family = 4 | 6;

/** Share of a family's addresses. A set that covers more is usually a mistake. */
export const QUARTER = 0.25;

const SLASH = "/".charCodeAt(0);
const ZERO = "0".charCodeAt(0);

/** Shares of both families that prefixes cover. Nested ones count twice: with less than a quarter no exact count is needed. */
export function sharesOf(prefixes: readonly CanonicalPrefix[]): Record<Family, number> {
  const shares = { 4: 0, 6: 0 };
  prefixes.forEach((prefix) => {
    shares[familyOf(prefix)] += shareOf(prefix);
  });
  return shares;
}

/** Families of which these prefixes cover more than a quarter. `up`, `block`, import and policies decide by it. */
export function wideFamilies(prefixes: readonly CanonicalPrefix[]): Family[] {
  const shares = sharesOf(prefixes);
  return ([4, 6] as const).filter(
    (family) => shares[family] > QUARTER && isWide(prefixes.filter((prefix) => familyOf(prefix) === family)),
  );
}

function isWide(ofFamily: readonly CanonicalPrefix[]): boolean {
  const shares = outermost(ofFamily.map(Prefix.fromCanonical)).map((prefix) => shareOf(prefix.toString()));
  return shares.reduce((sum, share) => sum + share, 0) > QUARTER;
}

/** The prefixes that no other one contains, so that no address is counted twice. */
export function outermost(prefixes: readonly Prefix[]): Prefix[] {
  const outer: Prefix[] = [];
  // In this order a prefix follows the one that contains it, or others inside that one.
  for (const prefix of [...prefixes].sort(Prefix.compare)) if (!outer.at(-1)?.contains(prefix)) outer.push(prefix);
  return outer;
}

function shareOf(prefix: CanonicalPrefix): number {
  return 2 ** -lengthOf(prefix);
}

/** Length of a canonical prefix, in bits. */
export function lengthOf(prefix: CanonicalPrefix): number {
  let length = 0;
  // Digit by digit from the end, without a text for each of ten thousand.
  for (let at = prefix.length - 1, weight = 1; prefix.charCodeAt(at) !== SLASH; at--, weight *= 10)
    length += (prefix.charCodeAt(at) - ZERO) * weight;
  return length;
}

/** IP version of a canonical prefix. */
export function familyOf(prefix: CanonicalPrefix): Family {
  return prefix.includes(":") ? 6 : 4;
}
