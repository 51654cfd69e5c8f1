import { isObject, type JsonObject } from "../model/json";
import {
  type Answers,
  LIST_KINDS,
  type ListFormat,
  type ListKind,
  type Member,
  type NodeHabits,
  type PerKind,
  type ReceiverAnswers,
  type Sign,
} from "./answers";

/** Usual names of lists, in lower case. */
const NATURAL_NAMES = new Set(
  "data result results response entries records items list rows profiles rules marks prefixes prefixset".split(" "),
);

/** Deepest level at which lists are searched: a deeply nested answer must not cost much. */
const MAX_DEPTH = 5;

/** The path of the whole answer, for a setting that declares its members the records. */
export const WHOLE = ".";

/** A place in an answer where a list could be. */
export interface Place {
  /** Names from the root to it, with dots; empty for the root. */
  readonly path: string;
  /** True when all these names are natural ones. */
  readonly isNatural: boolean;
  /** The objects on the way, the root first. */
  readonly within: readonly JsonObject[];
  readonly found: ListCandidate;
}

/** Value at a place: an array, an object whose keys are addresses, some or all of them, `{}`, or null. */
export type ListCandidate =
  | { readonly kind: "array"; readonly elements: readonly unknown[] }
  | { readonly kind: "keyed"; readonly members: JsonObject }
  | { readonly kind: "mixed" | "hollow" | "null" };

/** True for texts that begin as an address or prefix does. The parser decides. */
export function isAddressLike(text: string): boolean {
  return /^\d{1,3}(\.\d{1,3}){3}(\/|$)|^[\da-f]*:[\da-f.]*:[\da-f:.]*(\/|$)/i.test(text);
}

const LEAST_INTEGER = 2 ** 24;
const LONGEST_INTEGER = 2 ** 32;
const HEX_IPV4 = /^0x[\da-f]{7,8}$/i;

/**
 * The text of an address in other forms: an integer (IPv4, from 1.0.0.0 on, since lower ones may be ids), hexadecimal, or its
 * octets. Returns any other text unchanged, and `undefined` for anything else.
 */
export function addressText(value: unknown): string | undefined {
  if (typeof value === "string") return HEX_IPV4.test(value) ? addressText(Number(value)) : value;
  if (typeof value === "number") {
    if (!Number.isInteger(value) || value < LEAST_INTEGER || value >= LONGEST_INTEGER) return undefined;
    return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join(".");
  }
  if (!Array.isArray(value) || (value.length !== 4 && value.length !== 16)) return undefined;
  if (!value.every((octet) => Number.isInteger(octet) && octet >= 0 && octet <= 255)) return undefined;
  if (value.length === 4) return value.join(".");
  const bytes = Buffer.from(value).toString("hex");
  return (bytes.match(/.{4}/g) ?? []).join(":");
}

/** True for names that an object around a list usually has. */
export function isNaturalName(name: string): boolean {
  return NATURAL_NAMES.has(name.toLowerCase());
}

/** All places of an object where a list could be, in the order of the answer. */
export function placesIn(json: JsonObject): Place[] {
  const places: Place[] = [];
  visit(json, [], true, [], places);
  return places;
}

function visit(
  value: unknown,
  path: readonly string[],
  isNatural: boolean,
  within: readonly JsonObject[],
  places: Place[],
) {
  const found = listCandidate(value);
  if (found) places.push({ path: path.join("."), isNatural, within, found });
  else if (isObject(value) && path.length < MAX_DEPTH) {
    for (const name in value) {
      visit(value[name], [...path, name], isNatural && isNaturalName(name), [...within, value], places);
    }
  }
}

/** Kind of a value as a list; `undefined` for single values, and for objects that may hold a list. */
export function listCandidate(value: unknown): ListCandidate | undefined {
  if (value === null) return { kind: "null" };
  if (Array.isArray(value)) return { kind: "array", elements: value };
  if (!isObject(value)) return undefined;
  const names = Object.keys(value);
  if (names.length === 0) return { kind: "hollow" };
  if (names.every(isAddressLike)) return { kind: "keyed", members: value };
  return names.some(isAddressLike) ? { kind: "mixed" } : undefined;
}

/** True for a value under another name that could be the list too. Arrays of words and numbers cannot. */
export function isRival(found: ListCandidate): boolean {
  if (found.kind === "keyed" || found.kind === "mixed") return true;
  return found.kind === "array" && holdsRecords(found.elements);
}

/** True for an array whose first element is a record or an address. */
function holdsRecords([first]: readonly unknown[]): boolean {
  return typeof first === "string" ? isAddressLike(first) : typeof first === "object" && first !== null;
}

/** Orders paths of lists in one answer: applied ones first, those that wait for a commit last. Names are only a hint. */
export function appliedFirst(one: string, two: string): number {
  return rank(one) - rank(two);
}

function rank(path: string): number {
  if (/\b(running|active|applied|current|effective|operational|live)\b/i.test(path)) return 0;
  return /\b(candidate|staged|pending|draft|new|next|uncommitted)\b/i.test(path) ? 2 : 1;
}

/** True for an empty list that is named as the applied one: the list beside it waits for a commit. */
export function isNothingApplied({ found, path }: Pick<Place, "found" | "path">): boolean {
  const isEmpty = found.kind === "hollow" || (found.kind === "array" && found.elements.length === 0);
  return isEmpty && rank(path) === 0;
}

/** True for an array that may be an empty list, and not the empty errors or links of another one. */
export function mayBeEmptyList({ found, path }: Pick<Place, "found" | "path">): boolean {
  const isEmpty = found.kind === "array" && found.elements.length === 0;
  return isEmpty && !/(err|error|warning|message|note|alert|link)s?$/i.test(path);
}

/**
 * Value at a dotted path, also of names with dots. Digits select an element of an array.
 * `undefined` if there is none.
 */
export function follow(json: unknown, path: string): { value: unknown; within: readonly JsonObject[] } | undefined {
  if (path === WHOLE) return { value: json, within: [] };
  return step(json, path.split("."), []);
}

function step(value: unknown, names: readonly string[], within: readonly JsonObject[]): ReturnType<typeof follow> {
  if (names.length === 0) return { value, within };
  if (Array.isArray(value)) {
    const at = Number(names[0]);
    return Number.isInteger(at) && at >= 0 && at < value.length ? step(value[at], names.slice(1), within) : undefined;
  }
  if (!isObject(value)) return undefined;
  for (let end = 1; end <= names.length; end++) {
    const name = names.slice(0, end).join(".");
    if (!Object.hasOwn(value, name)) continue;
    const rest = step(value[name], names.slice(end), [...within, value]);
    if (rest) return rest;
  }
  return undefined;
}

/** The setting for one kind of list; `undefined` if there is none. */
export function forKind<T>(setting: PerKind<T> | undefined, kind: ListKind): T | undefined {
  const isByKind = typeof setting === "object" && setting !== null && LIST_KINDS.some((name) => name in setting);
  return isByKind ? (setting as Partial<Record<ListKind, T>>)[kind] : (setting as T | undefined);
}

/** The node's names of members in one kind of list. */
export function namesFor({ names = {} }: Pick<Answers, "names">, kind: ListKind): Partial<Record<Member, string>> {
  const own = Object.entries(names).map(([member, name]) => [member, forKind<string>(name, kind)]);
  return Object.fromEntries(own.filter(([, name]) => name !== undefined));
}

/** The format of one kind of list, by the settings. */
export function formatFor(answers: Pick<Answers, "format">, kind: ListKind): ListFormat {
  return forKind<ListFormat>(answers.format, kind) ?? "json";
}

/** The verdict for one command or operation; `undefined` if there is none. */
export function verdictFor(
  setting: Answers["success"] | ReceiverAnswers["success"],
  command: string,
): Sign | undefined {
  if (setting === undefined || isSign(setting)) return setting as Sign | undefined;
  return (setting as Readonly<Record<string, Sign | undefined>>)[command];
}

/** True for one sign for all commands. */
export function isSign(setting: object): setting is Sign {
  return "member" in setting || "text" in setting;
}

/** Place of one kind of list, by the settings; `undefined` if they name none. */
export function pathFor({ answers, place }: NodeHabits, kind: ListKind): string | undefined {
  const path = forKind(answers?.path, kind);
  if (place === undefined) return path;
  return path?.replace(/\{(arena|profile|set)\}/g, (whole, name: "arena" | "profile" | "set") => place[name] ?? whole);
}
