import { isObject, type JsonObject } from "../../model/json";
import { prefixIn } from "../../model/readable";
import type { ResourceUrl } from "../../model/resource-url";
import type { Answers, ListKind } from "../../wire/answers";
import {
  addressText,
  appliedFirst,
  follow,
  isAddressLike,
  listCandidate,
  type Place,
  pathFor,
  placesIn,
  WHOLE,
} from "../../wire/places";

/** Place and kind of a list in an answer. */
export interface ListPlace {
  /** Names with dots; empty for the whole answer. */
  readonly path: string;
  readonly kind: "array" | "keyed" | "hollow" | "null";
  /** Elements of an array. */
  readonly elements: readonly unknown[];
  /** Members of an object keyed by address. */
  readonly members: JsonObject;
}

/** The place that the client's reader takes, or the only possible one; `undefined` if there are several, or none. */
export function placeOfList(
  json: unknown,
  kind: ListKind,
  answers: Answers = {},
  url?: ResourceUrl,
): ListPlace | undefined {
  const path = pathFor({ answers, ...(url && { place: url }) }, kind);
  const named = path === undefined ? undefined : follow(json, path);
  if (path !== undefined && named) return at(pathFor({ answers }, kind) ?? path, named.value);
  const root = at("", json);
  if (root) return root;
  if (!isObject(json)) return undefined;
  const places = placesIn(json);
  const chosen = best(places.filter(({ isNatural }) => isNatural)) ?? best(places);
  return chosen && at(chosen.path, follow(json, chosen.path)?.value);
}

/** The only place with elements, else the only place. */
function best(places: readonly Place[]): Place | undefined {
  const full = places.filter(({ found }) => found.kind === "array" || found.kind === "keyed");
  const [first, second] = full.length > 0 ? full : places;
  return second === undefined ? first : undefined;
}

function at(path: string, value: unknown): ListPlace | undefined {
  const found = listCandidate(value);
  if (found === undefined || found.kind === "mixed") return undefined;
  const { kind } = found;
  return {
    path,
    kind,
    elements: kind === "array" ? found.elements : [],
    members: kind === "keyed" ? found.members : {},
  };
}

/**
 * Possible paths of a list for `answers.path`: in an object, or in the only object of an array. The names of arena, profile
 * and set are placeholders, since the next list has others.
 */
export function pathsIn(json: unknown, url: ResourceUrl): string[] {
  const root = Array.isArray(json) && json.length === 1 ? json[0] : json;
  if (!isObject(root)) return [];
  const found = placesIn(root).map(({ path }) => path);
  // Profiles may be keyed by name and rules by id, which no reader takes for a list without the setting.
  const objects = Object.keys(root).filter((name) => isObject(root[name]));
  const isKeyed = root === json && Object.values(root).every(isRecord);
  const paths = [...new Set([...found, ...objects, ...(isKeyed ? [WHOLE] : [])])].filter((path) => path !== "");
  const named = paths.toSorted(appliedFirst).map((path) => generic(path, url));
  return root === json ? named : named.map((path) => `0.${path}`);
}

/** The lists in an object that could be the set, empty ones included. */
export function listsIn(json: unknown): { readonly path: string; readonly value: unknown }[] {
  if (!isObject(json)) return [];
  return placesIn(json)
    .filter(({ path }) => path !== "")
    .map(({ path }) => ({ path, value: follow(json, path)?.value }));
}

/** True for an object with a text or number; one of lists and objects alone is an envelope. */
function isRecord(value: unknown): boolean {
  return isObject(value) && Object.values(value).some((member) => typeof member !== "object");
}

/** `edge.blocked` is `{arena}.{set}` for that set. */
function generic(path: string, url: ResourceUrl): string {
  if (path === WHOLE) return path;
  const names = Object.entries(url).filter(([part]) => part !== "kind");
  return path
    .split(".")
    .map((name) => names.find(([, value]) => value === name)?.[0])
    .map((part, index) => (part === undefined ? path.split(".")[index] : `{${part}}`))
    .join(".");
}

/** True for the list of a set without any address, whatever its shape; meaningless for refusals. */
export function isHollow(answer: {
  readonly isEmpty: boolean;
  readonly json: unknown;
  readonly body: string;
}): boolean {
  if (answer.isEmpty) return true;
  return answer.json === undefined
    ? tellsNoAddress(answer.body)
    : showsNoAddress(answer.json) && rowsIn(answer.json).length === 0;
}

/** The records in the only array of an answer, whatever they hold. */
function rowsIn(json: unknown): JsonObject[] {
  const all = [{ value: json }, ...listsIn(json)].map(({ value }) => value);
  const arrays = all.filter(Array.isArray).filter(({ length }) => length > 0);
  const [only = [], ...more] = arrays;
  const isRow = (one: unknown) => isObject(one) && Object.values(one).filter((value) => !isObject(value)).length > 1;
  return more.length > 0 ? [] : only.filter(isRow);
}

/** Message for rows without a readable address; `undefined` if there are none. */
export function unreadRows(json: unknown): string | undefined {
  const rows = rowsIn(json);
  if (rows.length === 0 || !showsNoAddress(json)) return undefined;
  return `${rows.length} ${rows.length === 1 ? "row" : "rows"}, but no address that the probe can read: ${JSON.stringify(rows[0])}`;
}

/**
 * True if no text and no name in an answer is an address: such a list of a set is empty. In a list numbers and octets may be
 * addresses as well.
 */
function showsNoAddress(value: unknown, isInList = false): boolean {
  if (typeof value === "string") return tellsNoAddress(value) && (!isInList || addressText(value) === value);
  if (typeof value === "number") return !isInList || addressText(value) === undefined;
  if (Array.isArray(value)) return addressText(value) === undefined && value.every((one) => showsNoAddress(one, true));
  if (!isObject(value)) return true;
  return Object.entries(value).every(([name, member]) => !isAddress(name) && showsNoAddress(member, isInList));
}

/** The same for a text, or an answer that is not JSON. */
function tellsNoAddress(text: string): boolean {
  return text.split(/[^\da-z.:/]+/i).every((word) => !isAddress(word.replace(/[.:]$/, "")));
}

function isAddress(text: string): boolean {
  return isAddressLike(text) && prefixIn(text, { hostBits: "mask" }) !== undefined;
}
