/**
 * The known name that a misspelt one probably means: the one with the fewest letters to change, if these are few and at most
 * half of them.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const ranked = known.map((each) => ({ known: each, edits: distance(name.toLowerCase(), each.toLowerCase()) }));
  ranked.sort((a, b) => a.edits - b.edits);
  const [best] = ranked;
  if (!best || best.edits > Math.max(2, Math.floor(name.length / 3))) return undefined;
  return best.edits * 2 <= Math.max(name.length, best.known.length) ? best.known : undefined;
}

/** A sentence that names the likely meaning of a misspelt name, after a blank; empty if no known name is near. */
export function likelyMeant(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? "" : ` Did you mean ${JSON.stringify(near)}?`;
}

/** Letters to insert, remove, replace or swap with their neighbour (optimal string alignment). */
function distance(a: string, b: string): number {
  let above: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const [left = 0, up = 0, corner = 0] = [next[j], row[j + 1], row[j]];
      const edits = Math.min(left + 1, up + 1, corner + (a[i] === b[j] ? 0 : 1));
      const swapped = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      next.push(swapped ? Math.min(edits, (above[j - 1] ?? 0) + 1) : edits);
    }
    above = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}
