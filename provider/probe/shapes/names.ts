import { isObject, type JsonObject } from "../../model/json";
import type { MarkType } from "../../model/mark";
import type { Answers, Columns, ListKind } from "../../wire/answers";
import { IN_TEXT } from "../../wire/entry-members";
import { MARK_NAMES, markNames } from "../../wire/mark-names";
import { addressText, isAddressLike } from "../../wire/places";
import { type KnownEntry, membersOf } from "./entry-shape";
import type { ListPlace } from "./list-place";

type Names = NonNullable<Answers["names"]>;

/** Entries of a set, and names of profiles, that are known to be in a list. */
export interface Known {
  readonly entries?: readonly KnownEntry[];
  readonly names?: readonly string[];
}

/**
 * Settings for members that have one possible meaning only: by the known entries of a set, else as the only address of an entry
 * or a mark, or as a known name of a profile. No order and no range of numbers shows what they mean.
 */
export function meaningsIn(place: Omit<ListPlace, "path">, kind: ListKind, known: Known): Answers[] {
  const rows = place.elements.filter(Array.isArray);
  const isKeyed = place.kind === "keyed";
  // A known prefix is the key.
  if (isKeyed && kind === "prefixset" && known.entries?.length) return [{ names: { prefixLength: IN_TEXT } }];
  const records = (isKeyed ? Object.values(place.members) : place.elements).filter(isObject);
  if (rows.length === 0) return namesIn(records, kind, known).map((names) => ({ names }));
  if (kind === "marks") return [];
  const head = headOf(rows);
  const fields = (head ? rows.slice(1) : rows).map((row) => ({ ...row }));
  return namesIn(fields, kind, known).map(({ prefixLength, ...names }): Answers => {
    const length = prefixLength === undefined || prefixLength === IN_TEXT ? {} : { prefixLength };
    const columns = Object.entries({ ...names, ...length }).map(([name, at]) => [
      name,
      head?.[Number(at)] ?? Number(at),
    ]);
    return {
      columns: { [kind]: Object.fromEntries(columns) as Columns },
      ...(prefixLength === IN_TEXT && { names: { prefixLength } }),
    };
  });
}

/** The first row, if it alone consists of names. */
function headOf([first, second]: readonly (readonly unknown[])[]): string[] | undefined {
  const isWords = (row: readonly unknown[] | undefined) =>
    row?.every((field) => typeof field === "string" && /^[a-z_][\w -]*$/i.test(field)) === true;
  return first && second && isWords(first) && !isWords(second) ? first.map(String) : undefined;
}

/** Names of members of records; of rows the numbers of fields. */
function namesIn(records: readonly JsonObject[], kind: ListKind, { entries = [], names = [] }: Known): Names[] {
  const [first] = records;
  if (!first || kind === "rules") return [];
  if (kind === "profiles") {
    const isKnown = (name: string) => records.some((record) => names.includes(String(record[name])));
    return Object.keys(first).flatMap((name) => (isKnown(name) ? [{ name }] : []));
  }
  if (kind === "prefixset" && entries.length > 0) return withoutLength(membersOf(records, entries).names);
  const addresses = Object.keys(first).filter((name) => isAddressLike(addressText(first[name]) ?? ""));
  const [only, ...others] = addresses;
  if (only === undefined || others.length > 0) return [];
  return kind === "marks" ? [{ address: only }] : withoutLength({ prefix: only });
}

/** The names, and the same with the length in the text of the prefix alone. */
function withoutLength(names: Names): Names[] {
  return names.prefixLength === undefined ? [names, { prefixLength: IN_TEXT, ...names }] : [names];
}

/** A record of a table, as it came. */
export interface RawMark {
  readonly type: MarkType;
  readonly record: JsonObject;
}

/** The emulator's names for members of marks; the short ones are the first of the natural names. */
const SHORT = Object.fromEntries(Object.entries(MARK_NAMES).map(([member, [first]]) => [member, first]));
const LONG: typeof SHORT = {
  ...SHORT,
  address: "addr",
  source: "saddr",
  destination: "daddr",
  value: "value",
  lifetime: "lifetime",
};

/** The emulator's switch `markKeys`: `short`, `long`, or the differences from the short names. */
export function markKeys(records: readonly RawMark[], answers: Answers): string {
  const names = new Map<string, string>();
  for (const { type, record } of records) {
    const { meet } = markNames(type, answers);
    for (const name of Object.keys(record)) {
      const field = meet(name);
      if (field && !names.has(field.name)) names.set(field.name, name);
    }
  }
  const other = (usual: typeof SHORT) => [...names].filter(([member, name]) => usual[member] !== name);
  if (other(SHORT).length === 0) return "short";
  if (other(LONG).length === 0) return "long";
  return other(SHORT)
    .map(([member, name]) => `${member}=${name}`)
    .join(",");
}
