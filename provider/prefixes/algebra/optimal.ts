import { sentIn } from "../../model/entry";
import type { Addition, PrefixTable } from "./table";

/** Content of a place that no entry covers. */
const NOTHING = -1;

/** A prefix that is covered as a whole, with the range of the entries in it. */
interface Region {
  readonly start: number;
  readonly end: number;
  readonly depth: number;
}

interface Layer {
  readonly start: number;
  readonly end: number;
  readonly within?: number;
}

/** Entries that a prefix needs. A class, since there are several for each entry, and one object shape takes least memory. */
class Need {
  constructor(
    /** An entry with an address in it, or in its sibling, the other half. */
    readonly at: number,
    /** Its length. */
    readonly depth: number,
    /** Content of the longest match there. */
    readonly says: number,
    /** Best contents to inherit or to place there, in ascending order: with any other one, one more entry is needed. */
    readonly contents: readonly number[],
    /** Entries below it, with one of the best contents. */
    readonly cost: number,
    /** `bound`: no entry can be placed here, only the content in `says` can be inherited. `sibling`: it is the other half. */
    readonly kind: "bound" | "sibling" | "usual",
    readonly left?: Need,
    readonly right?: Need,
  ) {}
}

/**
 * The fewest entries with the same meaning, after Draves et al., "Constructing Optimal IP Routing Tables" (INFOCOM 1999):
 * from the leaves up, the contents that a prefix can have at no further cost; from the root down, an entry only where the
 * inherited content is none of these. No entry means "nothing", so each prefix that is covered as a whole is solved by itself,
 * and stays unchanged if no entry is saved.
 *
 * An entry with an expiry or a note of `block --now` stays: without it, other entries would apply. Entries within it are
 * solved by themselves.
 *
 * @returns the table itself if no entry is saved.
 */
export function fewestEntries(table: PrefixTable): PrefixTable {
  const { length, content } = table;
  const ranks = ranksOf(table);
  // Halves with one content are merged before, and no entry lies within another.
  if (ranks.back.length <= 1) return table;
  const isFixed = table.contents.map((entry) => entry.expires !== undefined || sentIn(entry) !== undefined);
  const kept = new Uint8Array(table.size).fill(1);
  const added: Addition[] = [];
  /** Ranges to be solved, each with the fixed entry around it. */
  const layers: Layer[] = [{ start: 0, end: table.size }];
  for (let layer = layers.pop(); layer; layer = layers.pop()) {
    const regions = coveredRegions(layer);
    const [region] = regions;
    if (region && layer.within !== undefined && region.depth === length[layer.within]) {
      // Entries within it hide it for all of its addresses.
      if (sentIn(table.entry(layer.within)) !== undefined) continue;
      kept[layer.within] = 0;
    }
    for (const region of regions) if (region.end - region.start >= 3) solve(region);
  }
  return kept.includes(0) ? table.changed(kept, added) : table;

  /** The widest prefixes that the entries of a range cover as a whole, whatever their content. */
  function coveredRegions({ start, end }: Layer): Region[] {
    const regions: Region[] = [];
    for (let index = start, next = start; index < end; index = next) {
      next = table.endOf(index, end);
      if (fixed(index)) {
        if (next > index + 1) layers.push({ start: index + 1, end: next, within: index });
        continue;
      }
      let region: Region = { start: index, end: next, depth: length[index] as number };
      for (let left = regions.at(-1); left && areHalves(left, region); left = regions.at(-1)) {
        regions.pop();
        region = { start: left.start, end: next, depth: left.depth - 1 };
      }
      regions.push(region);
    }
    return regions;
  }

  function areHalves(left: Region, right: Region): boolean {
    return left.depth === right.depth && left.depth > 0 && table.agree(left.start, right.start, left.depth - 1);
  }

  function solve(region: Region): void {
    const own: number[] = [];
    const root = build(region.depth, region.start, region.end, NOTHING, own);
    if (root.cost + 1 >= own.length) return;
    for (const index of own) kept[index] = 0;
    place(root, NOTHING);
  }

  /**
   * Entries that a prefix of `depth` bits needs for a range of entries, if the next wider entry has the content `outer`. Adds
   * the entries that may be replaced to `own`.
   */
  function build(depth: number, start: number, end: number, outer: number, own: number[]): Need {
    let [first, says] = [start, outer];
    if (start < end && length[start] === depth) {
      if (fixed(start)) {
        if (end > start + 1) layers.push({ start: start + 1, end, within: start });
        return new Need(start, depth, says, [says], 0, "bound");
      }
      own.push(start);
      says = ranks.of[content[start] as number] as number;
      first++;
    }
    if (first === end) return new Need(start, depth, says, [says], 0, "usual");
    const branch = Math.min(length[first] as number, table.common(first, end - 1));
    if (branch === depth) {
      const middle = table.middle(first, end, depth);
      return halves(depth, says, build(depth + 1, first, middle, says, own), build(depth + 1, middle, end, says, own));
    }
    const inner = build(branch, first, end, says, own);
    const sibling = new Need(inner.at, branch, says, [says], 0, "sibling");
    const nearest = halves(branch - 1, says, inner, sibling);
    if (branch - 1 === depth) return nearest;
    // The other halves further up have this content, so no other is worth inheriting.
    return new Need(nearest.at, depth, says, sibling.contents, nearest.cost, "usual", nearest);
  }

  /** Adds the entries of a prefix, from the root down. */
  function place(need: Need, inherited: number): void {
    let says = inherited;
    if (need.kind !== "bound" && !has(need.contents, inherited)) {
      // Prefers the present content, so that less changes.
      says = has(need.contents, need.says) ? need.says : (need.contents[0] as number);
      added.push({
        from: need.at,
        length: need.depth,
        isSibling: need.kind === "sibling",
        content: ranks.back[says] as number,
      });
    }
    if (need.left) place(need.left, says);
    if (need.right) place(need.right, says);
  }

  function fixed(index: number): boolean {
    return isFixed[content[index] as number] as boolean;
  }
}

/** Numbers contents by their order in the table: the order in which entries were given must not change the result. */
function ranksOf({ contents, content }: PrefixTable) {
  const of = new Int32Array(contents.length).fill(NOTHING);
  const back: number[] = [];
  for (const one of content) if (of[one] === NOTHING) of[one] = back.push(one) - 1;
  return { of, back };
}

/** Entries that a prefix needs, given those of both halves. */
function halves(depth: number, says: number, left: Need, right: Need): Need {
  const node = (contents: readonly number[], cost: number) =>
    new Need(left.at, depth, says, contents, left.cost + right.cost + cost, "usual", left, right);
  if (left.kind === "bound" || right.kind === "bound") {
    const bound = left.kind === "bound" ? left : right;
    return node(bound.contents, [left, right].filter(({ contents }) => !has(contents, bound.says)).length);
  }
  const common = left.contents.filter((content) => has(right.contents, content));
  if (common.length > 0) return node(common, 0);
  return node(
    [...left.contents, ...right.contents].sort((a, b) => a - b),
    1,
  );
}

/** As `includes`, for numbers in ascending order: there may be as many as entries. */
function has(contents: readonly number[], target: number): boolean {
  let [low, high] = [0, contents.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((contents[middle] as number) < target) low = middle + 1;
    else high = middle;
  }
  return contents[low] === target;
}
