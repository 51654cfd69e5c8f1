import { Coverage, familyOf } from "../../model/coverage";
import type { CanonicalPrefix } from "../../model/prefix";
import type { ContentLimits } from "./content";

/** Family of addresses. */
type Family = 4 | 6;

/** The part of a set that one resource writes. */
interface Part {
  readonly prefixes: readonly CanonicalPrefix[];
  /** Families of which it allows more than a quarter. */
  readonly wide: ReadonlySet<Family>;
}

/** The addresses that all resources of a deployment cover together in one set of one node. */
export class SharedCoverage {
  private readonly parts = new Map<string, Part>();
  /** All prefixes that were ever added: while these are few, no exact count is made. */
  private readonly upper = new Coverage();

  /**
   * Adds what a resource writes, in place of what it wrote before.
   *
   * @param id Urn of the resource. The server of dynamic resources does not know it: then one with these prefixes.
   * @returns a sentence for each family of which more than a quarter is covered, unless every resource allows it
   */
  add(id: string | undefined, prefixes: Iterable<CanonicalPrefix>, { wide }: Pick<ContentLimits, "wide">): string[] {
    const part = { prefixes: [...prefixes], wide };
    this.parts.set(id ?? part.prefixes.join(), part);
    for (const prefix of part.prefixes) this.upper.add(prefix);
    return ([4, 6] as const).flatMap((family) => this.problem(family, part) ?? []);
  }

  private problem(family: Family, own: Part): string | undefined {
    const writes = ({ prefixes }: Part) => prefixes.some((prefix) => familyOf(prefix) === family);
    // Another resource reports its own part.
    if (!writes(own) || !this.upper.mayBeWide(family)) return undefined;
    const parts = [...this.parts.values()].filter(writes);
    if (parts.length < 2 || parts.every(({ wide }) => wide.has(family))) return undefined;
    const exact = new Coverage();
    for (const { prefixes } of parts) for (const prefix of prefixes) exact.add(prefix);
    if (!exact.isWide(family)) return undefined;
    return `the IPv${family} entries of all ${parts.length} resources that write to this set together cover more than a quarter of all addresses: write the intended prefixes, or allow it with shortestPrefix ({ ipv${family}: 1 }) in each of them.`;
  }
}
