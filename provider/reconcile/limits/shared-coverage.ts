import { type Family, QUARTER, sharesOf, wideFamilies } from "../../model/coverage";
import type { CanonicalPrefix } from "../../model/prefix";
import { madeOnce } from "../../model/prefix-map";
import type { ContentLimits } from "./content";

type Prefixes = readonly CanonicalPrefix[];

const shares = madeOnce(sharesOf);
const joined = madeOnce((prefixes: Prefixes) => prefixes.join());

/** The part of a set that one resource writes. */
interface Part {
  readonly prefixes: Prefixes;
  readonly shares: Readonly<Record<Family, number>>;
  /** Families of which it allows more than a quarter. */
  readonly wide: ReadonlySet<Family>;
}

/** The addresses that all resources of a deployment cover together in one set of one node. */
export class SharedCoverage {
  private readonly parts = new Map<string, Part>();
  /** Sums of the shares of all parts: while these are few, no exact count is made. */
  private readonly upper = { 4: 0, 6: 0 };

  /**
   * Adds what a resource writes, in place of what it wrote before.
   *
   * @param id Urn of the resource. The server of dynamic resources does not know it: then one with these prefixes.
   * @param prefixes One list for all nodes of a group that get the same.
   * @returns a sentence for each family of which more than a quarter is covered, unless every resource allows it
   */
  add(id: string | undefined, prefixes: Prefixes, { wide }: Pick<ContentLimits, "wide">): string[] {
    const part = { prefixes, shares: shares(prefixes), wide };
    const key = id ?? joined(prefixes);
    const before = this.parts.get(key);
    this.parts.set(key, part);
    return ([4, 6] as const).flatMap((family) => {
      this.upper[family] += part.shares[family] - (before?.shares[family] ?? 0);
      return this.problem(family, part) ?? [];
    });
  }

  private problem(family: Family, own: Part): string | undefined {
    const writes = ({ shares }: Part) => shares[family] > 0;
    // Another resource reports its own part.
    if (!writes(own) || this.upper[family] <= QUARTER) return undefined;
    const parts = [...this.parts.values()].filter(writes);
    if (parts.length < 2 || parts.every(({ wide }) => wide.has(family))) return undefined;
    if (!wideFamilies(parts.flatMap(({ prefixes }) => prefixes)).includes(family)) return undefined;
    return `the IPv${family} entries of all ${parts.length} resources that write to this set together cover more than a quarter of all addresses: write the intended prefixes, or allow it with shortestPrefix ({ ipv${family}: 1 }) in each of them.`;
  }
}
