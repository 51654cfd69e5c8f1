import type { MarkType } from "../../model/mark";
import { prefixIn } from "../../model/readable";
import type { Columns, Member } from "../../wire/answers";
import { lengthOf } from "../../wire/entry-members";
import { readNumber } from "../../wire/json";
import { isAddressLike } from "../../wire/places";
import { type KnownEntry, membersOf } from "./entry-shape";

/** What fields of rows are: those that are proved, and those that only seem likely. */
type ColumnGuess = Record<"known" | "guessed", Columns>;

/**
 * Which column is what in the rows of a set. With known entries each of them proves it; without, only the one address does,
 * and whole numbers are a guess.
 */
export function columnsOfEntries(all: readonly (readonly unknown[])[], known: readonly KnownEntry[]): ColumnGuess {
  const { rows, name } = bodyOf(all);
  if (known.length > 0) {
    const records = rows.map((row) => ({ ...row }));
    const names = Object.entries(membersOf(records, known).names);
    return { known: Object.fromEntries(names.map(([member, at]) => [member, name(Number(at))])), guessed: {} };
  }
  const columns = [...Array(Math.max(0, ...rows.map(({ length }) => length))).keys()];
  const [prefix, second] = columns.filter((at) => rows.every((row) => isAddressLike(String(row[at]))));
  if (prefix === undefined) return NOTHING;
  const isApart = rows.every((row) => !String(row[prefix]).includes("/"));
  const numbers = columns.filter((at) => rows.every((row) => readNumber(row[at]) !== undefined));
  const lengths = [...(second === undefined ? [] : [second]), ...numbers];
  const isLength = (address: unknown, content: unknown) => prefixIn(`${address}/${lengthOf(content)}`) !== undefined;
  // A length leaves no host bits; a counter does.
  const length = isApart ? lengths.find((at) => rows.every((row) => isLength(row[prefix], row[at]))) : undefined;
  const value = numbers.find((at) => at !== length);
  return { known: named({ prefix }, name), guessed: named({ prefixLength: length, value }, name) };
}

/** Which column is what in rows of profiles and rules: a name that is known, else the first text; an id is a guess. */
export function columnsOfRecords(
  all: readonly (readonly unknown[])[],
  kind: "profiles" | "rules",
  names: readonly string[],
): ColumnGuess {
  const { rows, name } = bodyOf(all);
  const columns = [...(rows[0] ?? []).keys()];
  const numbers = columns.filter((at) => rows.every((row) => readNumber(row[at]) !== undefined));
  const texts = columns.filter((at) => !numbers.includes(at));
  const proved = columns.find((at) => rows.some((row) => names.includes(String(row[at]))));
  if (kind === "profiles") {
    return proved === undefined
      ? { known: {}, guessed: named({ name: texts[0] ?? 0 }, name) }
      : { known: named({ name: proved }, name), guessed: {} };
  }
  const id = numbers.find((at) => new Set(rows.map((row) => String(row[at]))).size === rows.length);
  return { known: {}, guessed: named({ id, name: texts[0] }, name) };
}

/** The addresses of a mark by the type of its table. */
const ADDRESSES = {
  shost: ["source"],
  dhost: ["destination"],
  sdhost: ["source", "destination"],
  conn: ["source", "destination", "sourcePort", "destinationPort", "protocol"],
} as const satisfies Record<MarkType, readonly Member[]>;

/** Which column is what in tables of marks, in the order in which most write them; it holds for all tables together. */
export function columnsOfMarks(
  tables: readonly { readonly type: MarkType; readonly rows: readonly (readonly unknown[])[] }[],
): Columns {
  const columns: Columns[] = tables.map(({ type, rows: all }) => {
    const { rows, name } = bodyOf(all);
    const width = [...(rows[0] ?? []).keys()];
    const from = width.find((at) => rows.every((row) => isAddressLike(String(row[at])))) ?? -1;
    const numbers = width.filter((at) => at < from && rows.every((row) => readNumber(row[at]) !== undefined));
    const [id, value, lifetime] = numbers;
    const behind = Object.fromEntries(ADDRESSES[type].map((member, index) => [member, from + index]));
    return from < 0 ? {} : named({ id, value, lifetime, ...behind }, name);
  });
  return Object.assign({}, ...columns);
}

function bodyOf(all: readonly (readonly unknown[])[]) {
  const head = headOf(all);
  return { rows: head ? all.slice(1) : all, name: (at: number) => head?.[at] ?? at };
}

const NOTHING: ColumnGuess = { known: {}, guessed: {} };

function named(at: Partial<Record<keyof Columns, number | undefined>>, name: (at: number) => string | number): Columns {
  return Object.fromEntries(
    Object.entries(at).flatMap(([member, one]) => (one === undefined ? [] : [[member, name(one)]])),
  );
}

/** The first row where it holds names alone, and others do not. */
function headOf([first, second]: readonly (readonly unknown[])[]): string[] | undefined {
  const isWords = (row: readonly unknown[] | undefined) =>
    row?.every((field) => typeof field === "string" && /^[a-z_][\w -]*$/i.test(field)) === true;
  return first && second && isWords(first) && !isWords(second) ? first.map(String) : undefined;
}
