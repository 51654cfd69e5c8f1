import { beginsCommand, visible, visibleJson, visibleLines } from "../../model/foreign-text";
import type { Cell, Listing } from "./listing";

/** Forms of a list: a table for people, an array of objects for programs, CSV (RFC 4180) with a head line for spreadsheets. */
const FORMS = { table, json, csv };

export type Output = keyof typeof FORMS;
export const OUTPUTS = Object.keys(FORMS) as Output[];

export function printed(listing: Listing, output: Output): string {
  return FORMS[output](listing);
}

export function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/**
 * Columns padded with blanks, numbers to the right. The usual library for tables takes most of a minute for 50 000 entries.
 */
function table({ columns, rows, summary }: Listing): string {
  if (rows.length === 0) return `${summary}\n`;
  const cells = [columns, ...rows.map((row) => columns.map((name) => visible(textOf(row[name]))))];
  const isNumeric = columns.map((name) => rows.every((row) => ["number", "undefined"].includes(typeof row[name])));
  const widths = columns.map((_, index) => cells.reduce((most, row) => Math.max(most, row[index]?.length ?? 0), 0));
  const lines = cells.map((row) =>
    row
      .map((text, index) => (isNumeric[index] ? text.padStart(widths[index] ?? 0) : text.padEnd(widths[index] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n\n${summary}\n`;
}

/** One record a line, for comparisons line by line. */
function json({ rows }: Listing): string {
  return rows.length === 0
    ? "[]\n"
    : `[\n${rows.map((row) => `  ${visibleJson(JSON.stringify(row))}`).join(",\n")}\n]\n`;
}

function csv({ columns, rows }: Listing): string {
  const lines = [columns, ...rows.map((row) => columns.map((name) => quoted(cellOf(row[name]))))];
  return lines.map((line) => `${line.join(",")}\r\n`).join("");
}

/**
 * Puts an apostrophe before a text of the node that a spreadsheet would take for a formula
 * (https://owasp.org/www-community/attacks/CSV_Injection); numbers stay numbers.
 */
function cellOf(cell: Cell): string {
  // A field that begins a line as a command to a runner is quoted, and stays as it is.
  const text = visibleLines(`"${textOf(cell)}`).slice(1);
  return typeof cell === "string" && /^(?!-?\d+$)[=+\-@\t\r\n＝＋－＠]/.test(cell) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) || beginsCommand(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function textOf(cell: Cell): string {
  if (cell === undefined) return "";
  return typeof cell === "object" ? JSON.stringify(cell) : String(cell);
}
