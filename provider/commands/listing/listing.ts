import type { ListedEntry, Mark, Profile, Rule } from "../../client";
import { groupBy } from "../../model/group";
import type { JsonObject } from "../../model/json";
import { Prefix } from "../../model/prefix";
import { PrefixIndex } from "../../model/prefix-index";
import { count } from "../../model/text";

export type Cell = string | number | JsonObject | undefined;

/** Records under common columns, and a sentence that sums them up. */
export interface Listing {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, Cell>>[];
  /** For people, below the table. */
  readonly summary: string;
}

/**
 * Entries of a set, in the order of addresses; or only those that cover a prefix, the longest first. A spelling of the node's
 * own is shown, since it may delete by that alone.
 */
export function listEntries(entries: readonly ListedEntry[], covered?: Prefix): Listing {
  const shown = covered ? covering(entries, covered) : entries.toSorted((a, b) => Prefix.compare(a.prefix, b.prefix));
  const rows = shown.map(({ prefix, value, spelling }) => ({
    prefix: prefix.toString(),
    value,
    ...(spelling !== prefix.toString() && { spelling }),
  }));
  const total = count(entries.length, "entry", "entries");
  const summary = covered
    ? `${rows.length === 0 ? "No entry covers" : `${count(rows.length, "entry covers", "entries cover")}`} ${covered}, of ${total}.`
    : `${total}.`;
  return withoutEmpty({ columns: ["prefix", "value", "spelling"], rows, summary }, 2);
}

/** Keeps both entries if a node lists a prefix twice. */
function covering(entries: readonly ListedEntry[], covered: Prefix): ListedEntry[] {
  const index = new PrefixIndex<ListedEntry[]>();
  const same = groupBy(entries, ({ prefix }) => prefix.toString());
  for (const [prefix, group] of same) index.set(Prefix.fromCanonical(prefix), group);
  return [...index.covering(covered)].flat();
}

/** The profiles of an arena, in the node's order. */
export function listProfiles(profiles: readonly Profile[]): Listing {
  const rows = profiles.map(({ name, extra }) => ({ name, extra }));
  return withoutEmpty({ columns: ["name", "extra"], rows, summary: `${count(rows.length, "profile")}.` }, 1);
}

/** The rules of a profile, in their order, which decides. */
export function listRules(rules: readonly Rule[]): Listing {
  const rows = rules.map(({ id, name, exact, extra }) => ({ id: exact?.id ?? id, name, extra }));
  return withoutEmpty({ columns: ["id", "name", "extra"], rows, summary: `${count(rows.length, "rule")}.` }, 2);
}

const MARK_COLUMNS = [
  "address",
  "source",
  "sourcePort",
  "destination",
  "destinationPort",
  "protocol",
  "id",
  "value",
  "lifetime",
  "age",
  "status",
  "extra",
] as const satisfies readonly (keyof Mark)[];

/** Marks of one table, in the node's order; integers beyond 2⁵³ with all their digits. */
export function listMarks(marks: readonly Mark[]): Listing {
  const rows = marks.map((mark) =>
    Object.fromEntries(MARK_COLUMNS.map((name): [string, Cell] => [name, mark.exact?.[name] ?? mark[name]])),
  );
  const present = MARK_COLUMNS.filter((name) => rows.some((row) => row[name] !== undefined));
  const columns = present.length > 0 ? present : ["id", "value", "lifetime"];
  return { columns, rows, summary: `${count(rows.length, "mark")}.` };
}

/** Lists of several nodes as one, with the node of each row. */
export function together(lists: readonly { readonly node: string; readonly listing: Listing }[]): Listing {
  const columns = [...new Set(lists.flatMap(({ listing }) => listing.columns))];
  return {
    columns: ["node", ...columns],
    rows: lists.flatMap(({ node, listing }) => listing.rows.map((row) => ({ node, ...row }))),
    summary: lists.map(({ node, listing }) => `${node}: ${listing.summary}`).join("\n"),
  };
}

/** A list without its empty columns, except for the first `always`. */
export function withoutEmpty({ columns, rows, summary }: Listing, always: number): Listing {
  const isShown = (name: string, index: number) => index < always || rows.some((row) => row[name] !== undefined);
  return { columns: columns.filter(isShown), rows, summary };
}
