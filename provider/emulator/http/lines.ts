/** Formats of a list in lines: JSON texts, or fields separated by blanks or commas. */
export type LineFormat = "ndjson" | "lines" | "ok-lines" | "csv" | "csv-head";

/** Text before the first line of a list: `OK n`, the names of the fields, or nothing. */
export function headLine(format: LineFormat, names: readonly string[], count: number): string {
  if (format === "ok-lines") return `OK ${count}\n`;
  return format === "csv-head" ? lineOf(names, format) : "";
}

/** An element as a line: the members of an object, or the elements of an array. `undefined` becomes `-` or nothing. */
export function lineOf(element: unknown, format: LineFormat): string {
  if (format === "ndjson") return `${JSON.stringify(element)}\n`;
  const fields: unknown[] = typeof element === "object" && element !== null ? Object.values(element) : [element];
  const isCsv = format === "csv" || format === "csv-head";
  return `${fields.map(isCsv ? quoted : plain).join(isCsv ? "," : " ")}\n`;
}

export function lineType(format: LineFormat): string {
  if (format === "ndjson") return "application/x-ndjson";
  return `text/${format === "csv" || format === "csv-head" ? "csv" : "plain"}; charset=utf-8`;
}

function plain(field: unknown): string {
  return field === undefined ? "-" : String(field);
}

/** RFC 4180. */
function quoted(field: unknown): string {
  const text = field === undefined ? "" : String(field);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
