import type { Columns, Member } from "./answers";
import { ShapeError, short } from "./json";

/** The record that a row of fields is. Members have the names of `columns`; fields that it leaves out are left out. */
export function recordOf(fields: readonly unknown[], columns: Columns): Readonly<Record<string, unknown>> {
  const record: Record<string, unknown> = {};
  for (const member in columns) {
    const column = columns[member as Member];
    if (typeof column === "number" && column < fields.length) record[member] = fields[column];
  }
  return record;
}

/**
 * What each field of a row is called: by numbers, and by names in the head line, whose own names the others keep.
 *
 * @throws {ShapeError} for a name that the head line has not.
 */
export function namesOfFields(columns: Columns, head: readonly string[] | undefined): (string | undefined)[] {
  const names: (string | undefined)[] = [...(head ?? [])];
  for (const member in columns) {
    const column = columns[member as Member];
    const at = typeof column === "string" ? indexIn(head ?? [], column) : column;
    if (at !== undefined) names[at] = member;
  }
  return names;
}

function indexIn(head: readonly string[], name: string): number {
  const at = head.findIndex((title) => title.toLowerCase() === name.toLowerCase());
  if (at >= 0) return at;
  throw new ShapeError(`the head line has no column ${short(name)}, but ${head.map(short).join(", ")}`);
}
