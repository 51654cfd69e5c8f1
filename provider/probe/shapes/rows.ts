import type { Answers, Columns } from "../../wire/answers";
import { IN_TEXT } from "../../wire/entry-members";
import { namesIn, type Records } from "./names";

/** Columns of rows of entries or profiles, as records whose names are the numbers of fields. */
export function columnsIn(
  all: readonly (readonly unknown[])[],
  kind: "prefixset" | "profiles" | "rules",
  told: Pick<Records, "entries" | "names">,
): Answers[] {
  const head = headOf(all);
  const records = (head ? all.slice(1) : all).map((row) => ({ ...row }));
  return namesIn({ ...told, kind, shape: "rows", records }).map((names): Answers => {
    const members = Object.entries(names);
    const columns = members.flatMap(([member, at]) =>
      at === IN_TEXT ? [] : [[member, head?.[Number(at)] ?? Number(at)] as const],
    );
    return {
      columns: { [kind]: Object.fromEntries(columns) as Columns },
      names: Object.fromEntries(members.filter(([, at]) => at === IN_TEXT)),
    };
  });
}

/** The first row, if it alone consists of names. */
function headOf([first, second]: readonly (readonly unknown[])[]): string[] | undefined {
  const isWords = (row: readonly unknown[] | undefined) =>
    row?.every((field) => typeof field === "string" && /^[a-z_][\w -]*$/i.test(field)) === true;
  return first && second && isWords(first) && !isWords(second) ? first.map(String) : undefined;
}
