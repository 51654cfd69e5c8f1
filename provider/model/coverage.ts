import { type CanonicalPrefix, Prefix } from "./prefix";

/** IP versions. */
type Family = 4 | 6;

/** Share of a family's addresses. A set that covers more is usually a mistake. */
const QUARTER = 0.25;

const SLASH = "/".charCodeAt(0);
const ZERO = "0".charCodeAt(0);

/** Share of the address space that prefixes cover, counted one prefix at a time. */
export class Coverage {
  private readonly prefixes = { 4: new Set<CanonicalPrefix>(), 6: new Set<CanonicalPrefix>() };
  private readonly sums = { 4: 0, 6: 0 };

  add(prefix: CanonicalPrefix): void {
    const family = familyOf(prefix);
    if (this.prefixes[family].has(prefix)) return;
    this.prefixes[family].add(prefix);
    this.sums[family] += shareOf(prefix);
  }

  /** False where surely no more than a quarter is covered, without an exact count. */
  mayBeWide(family: Family): boolean {
    return this.sums[family] > QUARTER;
  }

  /** True where more than a quarter of the family is covered. */
  isWide(family: Family): boolean {
    return this.mayBeWide(family) && isWide([...this.prefixes[family]]);
  }
}

/** Families of which these prefixes cover more than a quarter. `up`, `block`, import and policies decide by it. */
export function wideFamilies(prefixes: readonly CanonicalPrefix[]): Family[] {
  // Counts nested prefixes twice: a sum below a quarter needs no exact count.
  const sums = { 4: 0, 6: 0 };
  for (const prefix of prefixes) sums[familyOf(prefix)] += shareOf(prefix);
  return ([4, 6] as const).filter(
    (family) => sums[family] > QUARTER && isWide(prefixes.filter((prefix) => familyOf(prefix) === family)),
  );
}

function isWide(ofFamily: readonly CanonicalPrefix[]): boolean {
  let covered = 0;
  let outer: Prefix | undefined;
  // In this order a prefix follows the one that contains it, or others inside that one.
  for (const prefix of ofFamily.map(Prefix.fromCanonical).sort(Prefix.compare)) {
    if (outer?.contains(prefix)) continue;
    outer = prefix;
    covered += shareOf(prefix.toString());
  }
  return covered > QUARTER;
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
