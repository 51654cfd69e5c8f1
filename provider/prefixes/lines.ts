/** A line longer than this is no entry of any list, and is not kept in memory. */
export const LONGEST_LINE = 1024 * 1024;

/**
 * The lines of a text that comes in pieces, without their ends (LF or CR LF). Of a line that is longer than
 * {@link LONGEST_LINE} somewhat more than that many characters come, so that it can be told.
 */
export function* linesOf(chunks: Iterable<string>): Generator<string, void> {
  let begun = "";
  for (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", start)) {
      const rest = chunk.slice(start, chunk.charCodeAt(end - 1) === 13 && end > start ? end - 1 : end);
      start = end + 1;
      if (begun === "") yield rest;
      else {
        // The CR may have come with the piece before.
        yield (begun + rest).replace(/\r$/, "");
        begun = "";
      }
    }
    if (begun.length <= LONGEST_LINE) begun += chunk.slice(start);
  }
  if (begun !== "") yield begun.replace(/\r$/, "");
}
