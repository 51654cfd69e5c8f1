import type { JsonObject } from "../../model/json";
import type { MarkType } from "../../model/mark";
import type { Answers, ListKind } from "../../wire/answers";
import { IN_TEXT } from "../../wire/entry-members";
import { MARK_NAMES, markNames } from "../../wire/mark-names";
import { addressText, isAddressLike } from "../../wire/places";
import { type KnownEntry, membersOf } from "./entry-shape";

type Names = NonNullable<Answers["names"]>;

/** The records of a list whose members have unusual names. */
export interface Records {
  /** `keyed`: keys of an object are the prefixes; `rows`: names of members are the numbers of fields. */
  readonly shape: "keyed" | "records" | "rows";
  readonly records: readonly JsonObject[];
  readonly kind: ListKind;
  /** Entries and names that are known to be in the list. */
  readonly entries: readonly KnownEntry[];
  readonly names: readonly string[];
}

/**
 * Names of members that have one possible meaning only: by the known entries of a set, else as the only address of an entry or a
 * mark, or as a known name of a profile. No order and no range of numbers shows what they mean.
 */
export function namesIn({ shape, records, kind, entries, names }: Records): Names[] {
  const [first] = records;
  if (!first || kind === "rules") return [];
  if (kind === "profiles") {
    const isKnown = (name: string) => records.some((record) => names.includes(String(record[name])));
    return Object.keys(first).flatMap((name) => (isKnown(name) ? [{ name }] : []));
  }
  const known = kind === "prefixset" && entries.length > 0;
  if (known) return withoutLength(shape === "keyed" ? {} : membersOf(records, entries).names);
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
