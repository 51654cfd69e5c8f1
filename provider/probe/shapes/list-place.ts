import { isObject, type JsonObject } from "../../model/json";
import type { ResourceUrl } from "../../model/resource-url";
import type { Answers, ListKind } from "../../wire/answers";
import {
  addressText,
  appliedFirst,
  follow,
  listCandidate,
  type Place,
  pathFor,
  placesIn,
  WHOLE,
} from "../../wire/places";
import { prefixesIn } from "./status-search";

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
  // The first part of that name counts.
  const parts = Object.entries(url).filter(([part]) => part !== "kind");
  const names = new Map(parts.reverse().map(([part, name]) => [name, `{${part}}`]));
  return path
    .split(".")
    .map((name) => names.get(name) ?? name)
    .join(".");
}

interface Listed {
  readonly isEmpty: boolean;
  readonly json: unknown;
  readonly body: string;
}

/** The arrays in an answer that could be its list. */
export function arraysIn(json: unknown): readonly (readonly unknown[])[] {
  const root = Array.isArray(json) && json.length === 1 ? json[0] : json;
  return [json, ...listsIn(root).map(({ value }) => value)].filter(Array.isArray);
}

/** A part of an address, whatever stands around it: a set is not taken for empty because its spelling is unknown. */
const OF_ADDRESS = /\d\.\d+\.\d+\.\d|[\da-f]::|::[\da-f]/i;

/** True for the list of a set without any address, whatever its shape, where an array holds texts at most; meaningless for refusals. */
export function isHollow({ isEmpty, json, body }: Listed): boolean {
  const isNone = (one: unknown) =>
    isObject(one) ? !isRecord(one) : typeof one === "string" && addressText(one) === one;
  const hasNone = prefixesIn(body).length === 0 && !OF_ADDRESS.test(body);
  return isEmpty || (hasNone && arraysIn(json).every((array) => array.every(isNone)));
}

/** Message for rows without a readable address; `undefined` if there are none. */
export function unreadRows({ json, body }: Omit<Listed, "isEmpty">): string | undefined {
  const [only = [], ...more] = arraysIn(json).filter(({ length }) => length > 0);
  const rows = more.length > 0 ? [] : only.filter(isRecord);
  if (rows.length === 0 || prefixesIn(body).length > 0) return undefined;
  return `${rows.length} ${rows.length === 1 ? "row" : "rows"}, but no address that the probe can read: ${JSON.stringify(rows[0])}`;
}
