import type { Answers } from "../../wire/answers";
import { IN_TEXT } from "../../wire/entry-members";
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

function bodyOf(all: readonly (readonly unknown[])[]) {
  const head = headOf(all);
  return { rows: head ? all.slice(1) : all, name: (at: number) => head?.[at] ?? at };
}

/** The first row, if it alone consists of names. */
function headOf([first, second]: readonly (readonly unknown[])[]): string[] | undefined {
  const isWords = (row: readonly unknown[] | undefined) =>
    row?.every((field) => typeof field === "string" && /^[a-z_][\w -]*$/i.test(field)) === true;
  return first && second && isWords(first) && !isWords(second) ? first.map(String) : undefined;
}
