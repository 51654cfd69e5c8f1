import { given } from "../../client/options";
import type { JsonObject } from "../../model/json";
import type { MarkType } from "../../model/mark";
import type { Answers, ListKind, Member } from "../../wire/answers";
import { guessLength, guessValue } from "../../wire/entry-guess";
import { IN_TEXT, naturalRole } from "../../wire/entry-members";
import { MARK_NAMES, markNames } from "../../wire/mark-names";
import { addressText, isAddressLike } from "../../wire/places";
import { likelyNames } from "../../wire/record-lists";
import type { Lesson } from "../asking/learned";
import { type KnownEntry, membersOf } from "./entry-shape";
import type { ListPlace } from "./list-place";

type Names = Partial<Record<Member, string>>;

/** The records of a list whose members have names of their own. */
interface Records {
  readonly place: ListPlace;
  readonly records: readonly JsonObject[];
  readonly kind: ListKind;
  /** Entries and names that are known to be in it. */
  readonly entries: readonly KnownEntry[];
  readonly names: readonly string[];
}

/** Names for records that none of the natural names fits, the likeliest first. */
export function namesIn({ place, records, kind, entries, names }: Records): Lesson[] {
  const [first] = records;
  if (!first) return [];
  if (kind === "prefixset") {
    if (entries.length === 0) return guessEntryNames(first, records);
    // Keys tell their prefixes, whatever stands below them.
    const names = place.kind === "keyed" ? {} : membersOf(records, entries).names;
    // A number beside a bare address that is none of its lengths.
    return [lesson(names), ...(names.prefixLength === undefined ? [lesson({ ...names, prefixLength: IN_TEXT })] : [])];
  }
  const likely = likelyNames(first);
  if (kind === "marks") {
    const addresses = likely.filter((name) => isAddressLike(String(first[name])));
    return addresses.map((address) => (addresses.length === 1 ? lesson({ address }) : lesson({}, { address })));
  }
  const proved = likely.filter((name) => records.some((record) => names.includes(String(record[name]))));
  return [...proved.map((name) => lesson({ name })), ...likely.map((name) => lesson({}, { name }))];
}

/** The only address of an entry is its prefix; which of its numbers is what, only known entries tell. */
function guessEntryNames(first: JsonObject, records: readonly JsonObject[]): Lesson[] {
  const addresses = Object.keys(first).filter((name) => isAddressLike(addressText(first[name]) ?? ""));
  return addresses.map((prefix) => {
    const others = records.map(({ [prefix]: _, ...rest }) => rest);
    const isApart = records.some((record) => !String(record[prefix]).includes("/"));
    const hasLength = Object.keys(first).some((name) => naturalRole(name) === "length");
    const prefixLength = isApart && !hasLength ? guessLength(others) : undefined;
    const value = guessValue(others.map(({ [prefixLength ?? ""]: _, ...rest }) => rest));
    const guessed = given({ prefixLength, value }) as Names;
    return addresses.length === 1 ? lesson({ prefix }, guessed) : lesson({}, { prefix, ...guessed });
  });
}

function lesson(known: Names, guessed: Names = {}): Lesson {
  const setting = (names: Names): Answers => (Object.keys(names).length > 0 ? { names } : {});
  return { known: setting(known), guessed: setting(guessed) };
}

/**
 * Names for members of marks that no natural name fits, where only one thing can be meant. The only address of a table of
 * single addresses is certain; the only number where only the id or only the value is missing is a guess.
 */
export function guessMarkNames(marks: readonly RawMark[], answers: Answers): Lesson {
  const known: Names = {};
  const guessed: Names = {};
  for (const { type, record } of marks) {
    const { meet } = markNames(type, answers);
    const told = new Set(Object.keys(record).map((name) => meet(name)?.name));
    const unknown = Object.keys(record).filter((name) => meet(name) === null);
    const addresses = unknown.filter((name) => isAddressLike(String(record[name])));
    const numbers = unknown.filter((name) => Number.isInteger(record[name]));
    const [address, otherAddress] = addresses;
    const isSingle = type === "shost" || type === "dhost";
    if (isSingle && !told.has("address") && address !== undefined && otherAddress === undefined)
      known.address ??= address;
    const [number, otherNumber] = numbers;
    const missing = (["id", "value"] as const).filter((member) => !told.has(member));
    const [member] = missing;
    if (missing.length === 1 && member && number !== undefined && otherNumber === undefined) guessed[member] ??= number;
  }
  return lesson(known, guessed);
}

/** The name of the only whole number that every rule has, and that is another one in each. */
export function guessRuleId(rules: readonly JsonObject[]): string | undefined {
  const [first] = rules;
  const numbers = Object.keys(first ?? {}).filter((name) => rules.every((rule) => Number.isInteger(rule[name])));
  const [name, other] = numbers.filter((one) => new Set(rules.map((rule) => rule[one])).size === rules.length);
  return other === undefined ? name : undefined;
}

/** The emulator's names of members of marks: the short ones come first among the natural ones; and the long ones. */
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

/** The switch `markKeys` with which the emulator names members so: `short`, `long`, or the short ones but for some. */
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
