import { type CanonicalPrefix, Prefix } from "./prefix";

/** IP versions. */
type Family = 4 | 6;

/** Of all addresses of a family. More of them stand in a set by mistake far more often than on purpose. */
const QUARTER = 0.25;

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

  /** True where more than a quarter of the family is covered. */
  isWide(family: Family): boolean {
    return this.sums[family] > QUARTER && isWide([...this.prefixes[family]]);
  }
}

/** The families of which these prefixes cover more than a quarter: what decides for `up`, `block`, import and policies alike. */
export function wideFamilies(prefixes: readonly CanonicalPrefix[]): Family[] {
  // As if no prefix stood in another one: nearly always that is enough to know.
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

/** The bits of a prefix that is written in canonical form. */
export function lengthOf(prefix: CanonicalPrefix): number {
  return Number(prefix.slice(prefix.indexOf("/") + 1));
}

/** Its IP version. */
export function familyOf(prefix: CanonicalPrefix): Family {
  return prefix.includes(":") ? 6 : 4;
}
