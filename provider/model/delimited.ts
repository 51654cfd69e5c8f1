/** One field of a row. */
export interface Field {
  readonly text: string;
  /** Position in the record, in UTF-16 code units. */
  readonly offset: number;
}

/**
 * Splits a record into fields, separated by `delimiter` and quoted as in RFC 4180; blanks around unquoted fields are removed.
 * Returns `"open"` if a quoted field continues in the next line, and the problem with its place if quotes are wrong.
 */
export function splitRecord(
  record: string,
  delimiter: string,
): readonly Field[] | "open" | { readonly offset: number; readonly message: string } {
  const fields: Field[] = [];
  for (let start = 0; ; ) {
    let end: number;
    if (record.charAt(start) === '"') {
      end = start + 1;
      for (; record.charAt(end) !== '"' || record.charAt(end + 1) === '"'; end += record.charAt(end) === '"' ? 2 : 1) {
        if (end >= record.length) return "open";
      }
      fields.push({ text: record.slice(start + 1, end).replaceAll('""', '"'), offset: start });
      end++;
      if (end < record.length && record.charAt(end) !== delimiter) {
        return {
          offset: end,
          message: `follows a closing quote: write ${delimiter === "\t" ? "a tab" : `"${delimiter}"`} there, and double each quote within a text.`,
        };
      }
    } else {
      end = record.indexOf(delimiter, start);
      if (end < 0) end = record.length;
      const text = record.slice(start, end);
      fields.push({ text: text.trim(), offset: start + text.length - text.trimStart().length });
    }
    if (end >= record.length) return fields;
    start = end + 1;
  }
}

/** The most frequent separator of a line: a comma, a semicolon or a tab. */
export function delimiterOf(line: string): string {
  const counted = [",", ";", "\t"].map((one) => ({ one, count: line.split(one).length }));
  return counted.reduce((best, other) => (other.count > best.count ? other : best)).one;
}
