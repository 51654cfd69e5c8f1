import type { Answers, ListKind } from "../../wire/answers";
import { isRecord } from "../../wire/json";
import { follow, isAddressLike, listCandidate, type Place, pathFor, placesIn } from "../../wire/places";

/** Where a list stands in an answer, and as what. */
export interface ListPlace {
  /** Names with dots; empty for the whole answer. */
  readonly path: string;
  readonly kind: "array" | "keyed" | "hollow" | "null";
  /** Elements of an array. */
  readonly elements: readonly unknown[];
  /** Members of an object keyed by address. */
  readonly members: Readonly<Record<string, unknown>>;
}

/** The place that a reader of lists takes, or the only one that it could; `undefined` where there is none, or several. */
export function placeOfList(json: unknown, kind: ListKind, answers: Answers = {}): ListPlace | undefined {
  const path = pathFor({ answers }, kind);
  const named = path === undefined ? undefined : follow(json, path);
  if (path !== undefined && named) return at(path, named.value);
  const root = at("", json);
  if (root) return root;
  if (!isRecord(json)) return undefined;
  const places = placesIn(json);
  const chosen = best(places.filter(({ isNatural }) => isNatural)) ?? best(places);
  return chosen && at(chosen.path, follow(json, chosen.path)?.value);
}

/** The one that holds something; where none does, the only one. */
function best(places: readonly Place[]): Place | undefined {
  const full = places.filter(({ found }) => found.kind === "array" || found.kind === "keyed");
  const [first, second] = full.length > 0 ? full : places;
  return second === undefined ? first : undefined;
}

function at(path: string, value: unknown): ListPlace | undefined {
  const found = listCandidate(value);
  switch (found?.kind) {
    case "array":
      return { path, kind: "array", elements: found.elements, members: {} };
    case "keyed":
      return { path, kind: "keyed", elements: [], members: found.members };
    case "hollow":
    case "null":
      return { path, kind: found.kind, elements: [], members: {} };
    default:
      return undefined;
  }
}

/** True where no text of an answer, and no name in it, begins as an address does: such a list of a set is empty. */
export function showsNoAddress(value: unknown): boolean {
  if (typeof value === "string") return !isAddressLike(value);
  if (Array.isArray(value)) return value.every(showsNoAddress);
  if (!isRecord(value)) return true;
  return Object.entries(value).every(([name, member]) => !isAddressLike(name) && showsNoAddress(member));
}
