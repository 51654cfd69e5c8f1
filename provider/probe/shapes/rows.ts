import type { MarkType } from "../../model/mark";
import type { Answers, Columns, Member } from "../../wire/answers";
import { IN_TEXT } from "../../wire/entry-members";
import { readNumber } from "../../wire/json";
import { isAddressLike } from "../../wire/places";
import type { Lesson } from "./answers";
import { namesIn, type Records } from "./name-guesses";

/** Possible columns for rows of entries, profiles or rules, as records whose names are the numbers of fields. */
export function columnsIn(
  all: readonly (readonly unknown[])[],
  kind: "prefixset" | "profiles" | "rules",
  told: Pick<Records, "entries" | "names">,
): Lesson[] {
  const { rows, name } = bodyOf(all);
  const lessons = namesIn({ ...told, kind, shape: "rows", records: rows.map((row) => ({ ...row })) });
  return lessons.map(({ known, guessed }): Lesson => {
    const names = Object.entries({ ...guessed.names, ...known.names });
    const columns = names.flatMap(([member, at]) => (at === IN_TEXT ? [] : [[member, name(Number(at))]]));
    const one: Answers = {
      columns: { [kind]: Object.fromEntries(columns) },
      names: Object.fromEntries(names.filter(([, at]) => at === IN_TEXT)),
    };
    // Columns are one setting: if one of them is a guess, all are.
    return guessed.names === undefined ? { known: one, guessed: {} } : { known: {}, guessed: one };
  });
}

const ADDRESSES = {
  shost: ["source"],
  dhost: ["destination"],
  sdhost: ["source", "destination"],
  conn: ["source", "destination", "sourcePort", "destinationPort", "protocol"],
} as const satisfies Record<MarkType, readonly Member[]>;

/** Likely columns for tables of marks, in the most usual order; they hold for all tables. */
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

function named(at: Partial<Record<keyof Columns, number | undefined>>, name: (at: number) => string | number): Columns {
  return Object.fromEntries(
    Object.entries(at).flatMap(([member, one]) => (one === undefined ? [] : [[member, name(one)]])),
  );
}

/** The first row, if it alone consists of names. */
function headOf([first, second]: readonly (readonly unknown[])[]): string[] | undefined {
  const isWords = (row: readonly unknown[] | undefined) =>
    row?.every((field) => typeof field === "string" && /^[a-z_][\w -]*$/i.test(field)) === true;
  return first && second && isWords(first) && !isWords(second) ? first.map(String) : undefined;
}
