import { type ListKind, type NodeHabits, pathSetting } from "./answers";
import { isAddressLike, type ListCandidate, listCandidate, type Place, placesIn } from "./places";
import { describe, isRecord, ShapeError, sketch } from "./shape";

/** What the answer was instead of a list, and the setting that would find one in it. */
export function unknownShape(json: unknown, kind: ListKind, { answers }: NodeHabits, more?: string): ShapeError {
  const isNested = typeof json === "object" && json !== null && Object.keys(json).length > 0;
  const told = [`the answer is ${describe(json)}`, more, isNested && `its shape is ${sketch(json)}`];
  const places = isRecord(json) ? placesIn(json) : [];
  const guess =
    places
      .filter(({ found, path }) => path !== "" && (found.kind === "array" || found.kind === "keyed"))
      .sort((a, b) => likelihood(b, kind) - likelihood(a, kind))[0] ?? lastResort(json, places, kind);
  const remedy = guess
    ? `If the list is there, set ${pathSetting(answers, kind, guess.path)}${guess.found.kind === "hollow" ? ' and answers.empty: "{}"' : ""}.`
    : isNested
      ? `If a list is in it, say where: ${pathSetting(answers, kind, "…")}.`
      : undefined;
  return new ShapeError(told.filter((part) => typeof part === "string").join("; "), remedy);
}

/** Two lists, and no name that says which one is meant. */
export function competing(one: Place, two: Place, kind: ListKind, { answers }: NodeHabits): ShapeError {
  const what = one.found.kind === "array" && two.found.kind === "array" ? "arrays" : "lists";
  const ordered = [one, two].sort((a, b) => Number(isNamedAfter(b, kind)) - Number(isNamedAfter(a, kind)));
  const settings = ordered.map(({ path }) => pathSetting(answers, kind, path));
  return new ShapeError(
    `both "${one.path}" and "${two.path}" are ${what}`,
    `Say which one is meant: ${settings.join(" or ")}.`,
  );
}

/** An array of one object that holds the list itself: no entry of a set holds a list of entries. */
export function refuseInner({ path, found }: Pick<Place, "path" | "found">, { answers }: NodeHabits): void {
  const [only, ...others] = found.kind === "array" ? found.elements : [];
  if (!isRecord(only) || others.length > 0 || listCandidate(only) !== undefined) return;
  // A record with an address is an entry, whatever else it holds.
  if (Object.values(only).some((member) => typeof member === "string" && isAddressLike(member))) return;
  const [inner, ...more] = placesIn(only).filter((place) => place.isNatural && isRival(place.found));
  if (!inner || more.length > 0) return;
  const name = [path, "0", inner.path].filter((part) => part !== "").join(".");
  throw new ShapeError(
    `the answer is an array with one object, which holds a list; its shape is ${sketch(only)}`,
    `If the list is there, set ${pathSetting(answers, "prefixset", name)}.`,
  );
}

/** Something under another name that could as well be the list. Arrays of words and numbers cannot. */
export function isRival(found: ListCandidate): boolean {
  if (found.kind === "keyed" || found.kind === "mixed") return true;
  return found.kind === "array" && holdsRecords(found.elements);
}

function holdsRecords([first]: readonly unknown[]): boolean {
  return typeof first === "string" ? isAddressLike(first) : typeof first === "object" && first !== null;
}

/** The one place that may have been left empty; for profiles the object that may be keyed by their names. */
function lastResort(
  json: unknown,
  places: readonly Place[],
  kind: ListKind,
): Pick<Place, "path" | "found"> | undefined {
  if (kind === "profiles" && isRecord(json)) {
    const holdsObjects = (value: unknown) =>
      isRecord(value) && Object.keys(value).length > 0 && Object.values(value).every(isRecord);
    const [[path, value] = [], ...more] = Object.entries(json).filter(([, value]) => holdsObjects(value));
    if (more.length === 0 && path !== undefined && isRecord(value))
      return { path, found: { kind: "keyed", members: value } };
  }
  const [hollow, ...more] = places.filter(({ found }) => found.kind === "hollow");
  return more.length > 0 || hollow?.path === "" ? undefined : hollow;
}

function likelihood(place: Place, kind: ListKind): number {
  const { found } = place;
  const records = found.kind === "keyed" || (found.kind === "array" && holdsRecords(found.elements));
  return (isNamedAfter(place, kind) ? 4 : 0) + (records ? 2 : 0) + (place.isNatural ? 1 : 0);
}

function isNamedAfter({ path }: Place, kind: ListKind): boolean {
  const name = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return name === kind || (kind === "prefixset" && (name === "prefixes" || name === "entries"));
}
