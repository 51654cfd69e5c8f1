import type { JsonObject } from "../model/json";
import type { Columns, Member } from "./answers";
import { ShapeError, short } from "./json";

/**
 * The record that a row of fields is. Members have the names of `columns`; what these leave out is kept under its number, since
 * it may say something about the others.
 */
export function recordOf(fields: readonly unknown[], columns: Columns): JsonObject {
  const names = namesOfFields(columns, undefined);
  return Object.fromEntries(fields.map((field, at) => [names[at] ?? unnamed(at), field]));
}

/** Name of a field without one: `column 3`, counted from 0 as in the settings. */
export function unnamed(at: number): string {
  return `column ${at}`;
}

/** The number in such a name. */
export function columnOf(name: string): number | undefined {
  const [, digits] = /^column (\d{1,3})$/.exec(name) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * Name of each field of a row: by numbers, and by names in the head line; the other fields keep the head line's names.
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
