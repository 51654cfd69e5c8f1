import { Prefix } from "../provider/model/prefix";
import { SPECIAL_PURPOSE_BLOCKS, type SpecialPurposeBlock } from "./data/iana-blocks";
import { PrefixBuckets } from "./prefix-buckets";

const table = new PrefixBuckets(SPECIAL_PURPOSE_BLOCKS.map((row) => [Prefix.parse(row.block), row]));
const citations = new Map(SPECIAL_PURPOSE_BLOCKS.map((row) => [row, `${row.name}, ${row.reference}, ${row.registry}`]));

/** The most specific registered block that contains `prefix`, unless it is globally reachable like any other address. */
export function specialPurpose(prefix: Prefix): SpecialPurposeBlock | undefined {
  const block = table.covering(prefix);
  return block?.global ? undefined : block;
}

/** The registered blocks that are not globally reachable and share an address with `prefix`. */
export function specialPurposeWithin(prefix: Prefix): SpecialPurposeBlock[] {
  const covering = table.covering(prefix);
  if (covering) return covering.global ? [] : [covering];
  return table.overlapping(prefix).filter((block) => !block.global);
}

/** `Private-Use, RFC 1918, IANA IPv4 Special-Purpose Address Registry`. */
export function citation(block: SpecialPurposeBlock): string {
  return citations.get(block) ?? block.name;
}

/** The names that the registries use. */
export const SPECIAL_PURPOSE_NAMES: ReadonlySet<string> = new Set(SPECIAL_PURPOSE_BLOCKS.map(({ name }) => name));
