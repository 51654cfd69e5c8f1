import { given } from "../../client/options";
import type { JsonObject } from "../../model/json";
import type { MarkType } from "../../model/mark";
import { prefixIn } from "../../model/readable";
import type { Answers, ListKind } from "../../wire/answers";
import { guessLength, guessValue } from "../../wire/entry-guess";
import { IN_TEXT, lengthOf, naturalRole } from "../../wire/entry-members";
import { readNumber } from "../../wire/json";
import { MARK_NAMES, markNames } from "../../wire/mark-names";
import { addressText, isAddressLike } from "../../wire/places";
import { likelyNames } from "../../wire/record-lists";
import type { Lesson } from "./answers";
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

/** Possible names for records without natural names, the likeliest first. */
export function namesIn({ shape, records, kind, entries, names }: Records): Lesson[] {
  const [first] = records;
  if (!first) return [];
  if (kind === "prefixset") {
    if (entries.length === 0) return guessEntryNames(first, records, shape === "rows");
    const names = shape === "keyed" ? {} : membersOf(records, entries).names;
    return withoutLength(lesson(names));
  }
  const isNumber = (name: string) => records.every((record) => readNumber(record[name]) !== undefined);
  const likely = likelyNames(first).toSorted((a, b) => Number(isNumber(a)) - Number(isNumber(b)));
  if (kind === "marks") {
    const addresses = likely.filter((name) => isAddressLike(String(first[name])));
    return addresses.map((address) => (addresses.length === 1 ? lesson({ address }) : lesson({}, { address })));
  }
  if (kind === "rules" && shape === "rows") {
    const id = Object.keys(first).find((name) => isNumber(name) && isDifferent(name, records));
    return [lesson({}, given({ id, name: likely.find((name) => !isNumber(name)) }) as Names)];
  }
  const proved = likely.filter((name) => records.some((record) => names.includes(String(record[name]))));
  return [...proved.map((name) => lesson({ name })), ...likely.map((name) => lesson({}, { name }))];
}

/** The only address of an entry is its prefix; the meaning of its numbers is a guess without known entries. */
function guessEntryNames(first: JsonObject, records: readonly JsonObject[], isRow: boolean): Lesson[] {
  const addresses = Object.keys(first).filter((name) => isAddressLike(addressText(first[name]) ?? ""));
  return addresses.flatMap((prefix) => {
    const others = records.map(({ [prefix]: _, ...rest }) => rest);
    // A length leaves no host bits; a counter does.
    const isLength = (name: string) =>
      records.every((record) => prefixIn(`${addressText(record[prefix])}/${lengthOf(record[name])}`) !== undefined);
    const isApart = records.some((record) => !String(record[prefix]).includes("/"));
    const hasLength = Object.keys(first).some((name) => naturalRole(name) === "length");
    const lengths = others.map((rest) => Object.fromEntries(Object.entries(rest).filter(([name]) => isLength(name))));
    const prefixLength = isApart && !hasLength ? guessLength(lengths) : undefined;
    const rest = others.map(({ [prefixLength ?? ""]: _, ...left }) => left);
    const isNumber = (name: string) => rest.every((record) => readNumber(record[name]) !== undefined);
    // Fields have no names that distinguish a value from a counter after it.
    const value = guessValue(rest) ?? (isRow ? Object.keys(rest[0] ?? {}).find(isNumber) : undefined);
    const guessed = given({ prefixLength, value }) as Names;
    const one = addresses.length === 1 ? lesson({ prefix }, guessed) : lesson({}, { prefix, ...guessed });
    return isRow ? withoutLength(one) : [one];
  });
}

/** The lesson, and the same one with the length in the text of the prefix alone. */
function withoutLength({ known, guessed }: Lesson): Lesson[] {
  const inText: Names = { prefixLength: IN_TEXT, ...known.names, ...guessed.names };
  if (inText.prefixLength !== IN_TEXT) return [{ known, guessed }];
  return [{ known, guessed }, guessed.names ? lesson({}, inText) : lesson(inText)];
}

/** True for a member that differs in all records. */
function isDifferent(name: string, records: readonly JsonObject[]): boolean {
  return new Set(records.map((record) => String(record[name]))).size === records.length;
}

function lesson(known: Names, guessed: Names = {}): Lesson {
  const setting = (names: Names): Answers => (Object.keys(names).length > 0 ? { names } : {});
  return { known: setting(known), guessed: setting(guessed) };
}

/**
 * Names for members of marks without natural names, if only one meaning is possible. The only address in a table of single
 * addresses is certain; the only number is a guess for the id or value, whichever is missing.
 */
export function guessMarkNames(marks: readonly RawMark[], answers: Answers): Lesson {
  const known = new Map<"address", string>();
  const guessed = new Map<"id" | "value", string>();
  for (const { type, record } of marks) {
    const { meet } = markNames(type, answers);
    const told = new Set(Object.keys(record).map((name) => meet(name)?.name));
    const unknown = Object.keys(record).filter((name) => meet(name) === null);
    const addresses = unknown.filter((name) => isAddressLike(String(record[name])));
    const numbers = unknown.filter((name) => Number.isInteger(record[name]));
    const [address, otherAddress] = addresses;
    const isSingle = type === "shost" || type === "dhost";
    if (isSingle && !told.has("address") && address !== undefined && otherAddress === undefined)
      known.set("address", known.get("address") ?? address);
    const [number, otherNumber] = numbers;
    const missing = (["id", "value"] as const).filter((member) => !told.has(member));
    const [member] = missing;
    if (missing.length === 1 && member && number !== undefined && otherNumber === undefined)
      guessed.set(member, guessed.get(member) ?? number);
  }
  // Rules have ids, and sets values of other names.
  const ofMarks = [...guessed].map(([member, name]) => [member, { marks: name }]);
  return lesson(Object.fromEntries(known), Object.fromEntries(ofMarks));
}

/** The name of the only whole number that differs in all rules. */
export function guessRuleId(rules: readonly JsonObject[]): string | undefined {
  const [first] = rules;
  const numbers = Object.keys(first ?? {}).filter((name) => rules.every((rule) => Number.isInteger(rule[name])));
  const [name, other] = numbers.filter((one) => isDifferent(one, rules));
  return other === undefined ? name : undefined;
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

/** A record of a table, as it came. */
export interface RawMark {
  readonly type: MarkType;
  readonly record: JsonObject;
}

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
