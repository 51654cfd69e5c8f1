import { isRecord } from "./json";

type Json = Readonly<Record<string, unknown>>;

/** Names under which lists usually stand, in lower case. */
const NATURAL_NAMES = new Set(
  "data result results response entries records items list rows profiles rules marks prefixes prefixset".split(" "),
);

/** Deeper lists are not looked for: an answer nested without end must not cost without end. */
const MAX_DEPTH = 5;

/** A place in an answer where a list could be. */
export interface Place {
  /** Names from the root to it, with dots; empty for the root. */
  readonly path: string;
  /** True when all these names are natural ones. */
  readonly isNatural: boolean;
  /** The objects on the way, the root first. */
  readonly within: readonly Json[];
  readonly found: ListCandidate;
}

/** What stands at a place: an array, an object whose keys are addresses, some or all of them, `{}`, or null. */
export type ListCandidate =
  | { readonly kind: "array"; readonly elements: readonly unknown[] }
  | { readonly kind: "keyed"; readonly members: Json }
  | { readonly kind: "mixed" | "hollow" | "null" };

/** True for texts that begin as an address or prefix does. The parser has the last word. */
export function isAddressLike(text: string): boolean {
  return /^\d{1,3}(\.\d{1,3}){3}(\/|$)|^[\da-f]*:[\da-f.]*:[\da-f:.]*(\/|$)/i.test(text);
}

/** True for names that an object around a list usually has. */
export function isNaturalName(name: string): boolean {
  return NATURAL_NAMES.has(name.toLowerCase());
}

/** All places of an object where a list could be, in the order of the answer. */
export function placesIn(json: Json): Place[] {
  const places: Place[] = [];
  visit(json, [], true, [], places);
  return places;
}

function visit(value: unknown, path: readonly string[], isNatural: boolean, within: readonly Json[], places: Place[]) {
  const found = listCandidate(value);
  if (found) places.push({ path: path.join("."), isNatural, within, found });
  else if (isRecord(value) && path.length < MAX_DEPTH) {
    for (const name in value) {
      visit(value[name], [...path, name], isNatural && isNaturalName(name), [...within, value], places);
    }
  }
}

/** What a value is as the place of a list; `undefined` for single values, and for objects that may hold one. */
export function listCandidate(value: unknown): ListCandidate | undefined {
  if (value === null) return { kind: "null" };
  if (Array.isArray(value)) return { kind: "array", elements: value };
  if (!isRecord(value)) return undefined;
  const names = Object.keys(value);
  if (names.length === 0) return { kind: "hollow" };
  if (names.every(isAddressLike)) return { kind: "keyed", members: value };
  return names.some(isAddressLike) ? { kind: "mixed" } : undefined;
}

/** Something under another name that could as well be the list. Arrays of words and numbers cannot. */
export function isRival(found: ListCandidate): boolean {
  if (found.kind === "keyed" || found.kind === "mixed") return true;
  return found.kind === "array" && holdsRecords(found.elements);
}

/** True for an array whose first element is one. */
export function holdsRecords([first]: readonly unknown[]): boolean {
  return typeof first === "string" ? isAddressLike(first) : typeof first === "object" && first !== null;
}

/**
 * What stands at a dotted path; names that have dots themselves are found as well. Digits choose an element of an array.
 * `undefined` when nothing does.
 */
export function follow(json: unknown, path: string): { value: unknown; within: readonly Json[] } | undefined {
  return step(json, path.split("."), []);
}

function step(
  value: unknown,
  names: readonly string[],
  within: readonly Json[],
): { value: unknown; within: readonly Json[] } | undefined {
  if (names.length === 0) return { value, within };
  if (Array.isArray(value)) {
    const at = Number(names[0]);
    return Number.isInteger(at) && at >= 0 && at < value.length ? step(value[at], names.slice(1), within) : undefined;
  }
  if (!isRecord(value)) return undefined;
  for (let end = 1; end <= names.length; end++) {
    const name = names.slice(0, end).join(".");
    if (!Object.hasOwn(value, name)) continue;
    const rest = step(value[name], names.slice(end), [...within, value]);
    if (rest) return rest;
  }
  return undefined;
}
