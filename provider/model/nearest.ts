/** The known name with the fewest letters to change, if those are few: what a misspelt one was probably meant to be. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const ranked = known.map((each) => ({ known: each, edits: distance(name.toLowerCase(), each.toLowerCase()) }));
  ranked.sort((a, b) => a.edits - b.edits);
  const [best] = ranked;
  return best && best.edits <= Math.max(2, Math.floor(name.length / 3)) ? best.known : undefined;
}

/** Letters to insert, remove or replace (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const [left = 0, above = 0, corner = 0] = [next[j], row[j + 1], row[j]];
      next.push(Math.min(left + 1, above + 1, corner + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
