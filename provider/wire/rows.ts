import type { JsonObject } from "../model/json";
import { type Columns, type ListKind, MEMBERS_OF } from "./answers";
import { naturalRole } from "./entry-members";
import { quoted, ShapeError } from "./json";
import { markNames } from "./mark-names";

/**
 * Makes a record of a row of fields. Members have the names of `columns`; other fields are kept under their numbers, since they
 * may matter to the reader.
 */
export function recordOf(fields: readonly unknown[], columns: Columns, kind: ListKind): JsonObject {
  const names = namesOfFields(columns, undefined, kind);
  return Object.fromEntries(fields.map((field, at) => [names[at] ?? unnamed(at), field]));
}

/** Name of a field without one: `column 3`, counted from 0 as in the settings. */
export function unnamed(at: number): string {
  return `column ${at}`;
}

/**
 * Names of the fields of a row, from numbers and names of the head line; other fields keep the names of the head line, but for
 * that of such a member, and but for a repeated one. Columns of members that only other kinds of lists have need not be there.
 *
 * @throws {ShapeError} for a name that the head line lacks, and for one that matters and stands there twice unless all columns
 * are numbers.
 */
export function namesOfFields(
  columns: Columns,
  head: readonly string[] | undefined,
  kind: ListKind,
): (string | undefined)[] {
  const assigned = new Map<number, string>();
  for (const member of MEMBERS_OF[kind]) {
    const column = columns[member];
    const at = typeof column === "string" ? indexIn(head ?? [], column) : column;
    if (at !== undefined) assigned.set(at, member);
  }
  const taken = new Set([...assigned.values()].map((member) => member.toLowerCase()));
  const names: (string | undefined)[] = (head ?? []).map((name) => (taken.has(name.toLowerCase()) ? undefined : name));
  for (const [at, member] of assigned) names[at] = member;
  const settings = Object.values(columns);
  const isByNumber = assigned.size > 0 && settings.every((column) => typeof column === "number");
  const asked = new Set<string>([...MEMBERS_OF[kind], ...settings.map((column) => String(column).toLowerCase())]);
  for (const [at, title] of (head ?? []).entries()) {
    if (indexIn(head ?? [], title) === at) continue;
    if (!isByNumber && (isUsualName(title) || asked.has(title.toLowerCase())))
      throw new ShapeError(`the head line has the column ${quoted(title)} twice`, "Set answers.columns with numbers.");
    if (!assigned.has(at)) names[at] = undefined;
  }
  return names;
}

/** Usual names of the members of a mark. */
export const MARK_FIELDS = markNames("shost", undefined);

/** True for a usual name of a member of an entry or a mark. */
export function isUsualName(name: string): boolean {
  return naturalRole(name) !== undefined || MARK_FIELDS.meet(name) !== null;
}

function indexIn(head: readonly string[], name: string): number {
  const at = head.findIndex((title) => title.toLowerCase() === name.toLowerCase());
  if (at >= 0) return at;
  throw new ShapeError(`the head line has no column ${quoted(name)}, but ${head.map(quoted).join(", ")}`);
}
