import { isObject, type JsonObject } from "../model/json";
import type { ListKind, NodeHabits } from "./answers";
import { describe, ShapeError, sketch } from "./json";
import { appliedFirst, holdsRecords, mayBeEmptyList, type Place, placesIn, WHOLE } from "./places";
import { pathSetting } from "./remedies";

/** Error with the shape of an answer that is not a list, and the setting that would find one in it. */
export function unknownShape(json: unknown, kind: ListKind, { answers }: NodeHabits, more?: string): ShapeError {
  const isNested = typeof json === "object" && json !== null && Object.keys(json).length > 0;
  const told = [`the answer is ${describe(json)}`, more, isNested && `its shape is ${sketch(json)}`];
  const places = isObject(json) ? placesIn(json) : [];
  const [likeliest, next] = places
    .filter(({ found, path }) => path !== "" && (found.kind === "array" || found.kind === "keyed"))
    .sort((a, b) => likelihood(b, kind) - likelihood(a, kind));
  if (likeliest && next && likelihood(likeliest, kind) === likelihood(next, kind))
    return competing(likeliest, next, kind, { answers });
  const guess = likeliest ?? lastResort(json, places, kind);
  const remedy = guess
    ? `If the list is there, set ${pathSetting(answers, kind, guess.path)}${guess.found.kind === "hollow" ? ' and answers.empty: "{}"' : ""}.`
    : isNested
      ? `If a list is in it, say where: ${pathSetting(answers, kind, "…")}.`
      : undefined;
  return new ShapeError(told.filter((part) => typeof part === "string").join("; "), remedy);
}

/** Error for two lists whose names do not show which one is the right one. */
export function competing(one: Place, two: Place, kind: ListKind, { answers }: NodeHabits): ShapeError {
  const what = one.found.kind === "array" && two.found.kind === "array" ? "arrays" : "lists";
  const ordered = [one, two].sort(
    (a, b) =>
      (kind === "prefixset" ? appliedFirst(a.path, b.path) : 0) ||
      Number(isNamedAfter(b, kind)) - Number(isNamedAfter(a, kind)),
  );
  const settings = ordered.map(({ path }) => pathSetting(answers, kind, path));
  return new ShapeError(
    `both "${one.path}" and "${two.path}" are ${what}`,
    `Name the right one: ${settings.join(" or ")}.`,
  );
}

/** The only place with an empty object; for profiles and rules an object that may be keyed by name or id. */
function lastResort(json: unknown, places: readonly Place[], kind: ListKind) {
  if ((kind === "profiles" || kind === "rules") && isObject(json)) {
    const isKey = (name: string) => kind === "profiles" || /^\d{1,10}$/.test(name);
    const holdsObjects = (value: unknown): value is JsonObject =>
      isObject(value) &&
      Object.keys(value).length > 0 &&
      Object.keys(value).every(isKey) &&
      Object.values(value).every(isObject);
    const [[path, members] = [], ...more] = Object.entries(json).filter(([, value]) => holdsObjects(value));
    if (more.length === 0 && path !== undefined && isObject(members))
      return { path, found: { kind: "keyed", members } as const };
    if (path === undefined && holdsObjects(json))
      return { path: WHOLE, found: { kind: "keyed", members: json } as const };
  }
  const [hollow, ...more] = places.filter(({ found }) => found.kind === "hollow");
  return more.length > 0 || hollow?.path === "" ? undefined : hollow;
}

function likelihood(place: Place, kind: ListKind): number {
  const { found } = place;
  // The applied list of a set may be empty beside the entries that wait for a commit.
  const mayBeSet = kind === "prefixset" && mayBeEmptyList(place);
  const records = mayBeSet || found.kind === "keyed" || (found.kind === "array" && holdsRecords(found.elements));
  return (isNamedAfter(place, kind) ? 4 : 0) + (records ? 2 : 0) + (place.isNatural ? 1 : 0);
}

function isNamedAfter({ path }: Place, kind: ListKind): boolean {
  const name = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return name === kind || (kind === "prefixset" && (name === "prefixes" || name === "entries"));
}
