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
    /** An entry with an address in it, or in the half beside it. */
    readonly at: number,
    /** Its length. */
    readonly depth: number,
    /** Content of the longest match there. */
    readonly says: number,
    /** With one of these inherited or put there it needs `cost` further entries, with any other one more. In ascending order. */
    readonly contents: readonly number[],
    readonly cost: number,
    /** `bound`: nothing can be put here, what is inherited must be what it says. `beside`: it is the other half. */
    readonly kind: "bound" | "beside" | "usual",
    readonly left?: Need,
    readonly right?: Need,
  ) {}
}

/**
 * The fewest entries that say the same, after Draves et al., "Constructing Optimal IP Routing Tables" (INFOCOM 1999):
 * from the leaves up, which contents a prefix can have at no further cost; from the root down, an entry only where what is
 * inherited is none of those. Restricted to what is covered, since there is no entry that says "nothing": each prefix that
 * is covered as a whole is solved for itself, and stays as it is where nothing is saved.
 *
 * An entry that ends some day, or that remembers where it was sent, stays where it is: below it other entries would be
 * seen, or not, once it is gone. What lies within it is solved for itself.
 *
 * @returns the table itself where nothing is saved.
 */
export function fewestEntries(table: PrefixTable): PrefixTable {
  const { length, content } = table;
  const ranks = ranksOf(table);
  const isFixed = table.contents.map((entry) => entry.expires !== undefined || sentIn(entry) !== undefined);
  const kept = new Uint8Array(table.size).fill(1);
  const added: Addition[] = [];
  /** Ranges to be solved, each with the fixed entry that it lies in. */
  const layers: Layer[] = [{ start: 0, end: table.size }];
  for (let layer = layers.pop(); layer; layer = layers.pop()) {
    const regions = coveredRegions(layer);
    const [region] = regions;
    if (region && layer.within !== undefined && region.depth === length[layer.within]) {
      // What is covered as a whole from within is never seen.
      if (sentIn(table.entry(layer.within)) !== undefined) continue;
      kept[layer.within] = 0;
    }
    for (const region of regions) if (region.end - region.start >= 3) solve(region);
  }
  return kept.includes(0) ? table.changed(kept, added) : table;

  /** The widest prefixes that the entries of a range cover, whatever they say. */
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
   * Entries that a prefix of `depth` bits needs for a range of entries, if the next wider entry has the content `outer`. Of the entries
   * those that may be replaced are noted in `own`.
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
    const beside = new Need(inner.at, branch, says, [says], 0, "beside");
    const nearest = halves(branch - 1, says, inner, beside);
    if (branch - 1 === depth) return nearest;
    // What lies beside it further up says the same, so that nothing else is worth inheriting there.
    return new Need(nearest.at, depth, says, beside.contents, nearest.cost, "usual", nearest);
  }

  /** Entries below a prefix, from the root down. */
  function place(need: Need, inherited: number): void {
    let says = inherited;
    if (need.kind !== "bound" && !has(need.contents, inherited)) {
      // What the entries say there already is chosen first, so that less changes.
      says = has(need.contents, need.says) ? need.says : (need.contents[0] as number);
      added.push({
        from: need.at,
        length: need.depth,
        isBeside: need.kind === "beside",
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

/** Contents numbered as they come in the table: not by the order in which entries were given, which must change nothing. */
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

/** As `includes`, for numbers in ascending order: there can be as many as entries. */
function has(contents: readonly number[], wanted: number): boolean {
  let [low, high] = [0, contents.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((contents[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return contents[low] === wanted;
}
