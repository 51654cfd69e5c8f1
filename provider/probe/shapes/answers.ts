import type { Answers, ListKind, Member } from "../../wire/answers";
import { isRecord, ShapeError } from "../../wire/json";
import { isAddressLike, placesIn } from "../../wire/places";
import { placeOfList } from "./list-place";

/** What reads an answer by some settings, and whether it reads in it what it should. */
export type TryRead = (answers: Answers) => boolean;

/**
 * The settings with which a list is read: none where the natural shapes do, else a place, else a place and names. What
 * counts is that the reader itself takes the answer then. `undefined` where no guess is read.
 *
 * @param before What was found out before, which stays.
 * @param names Names that are known from what is in the list.
 */
export function settingsFor(
  json: unknown,
  kind: ListKind,
  read: TryRead,
  before: Answers = {},
  names: Partial<Record<Member, string>> = {},
): Answers | undefined {
  if (attempt(read, before)) return before;
  for (const named of [{}, names, ...guessedNames(json, kind)]) {
    const withNames = Object.keys(named).length === 0 ? before : merged(before, { names: named });
    if (attempt(read, withNames)) return withNames;
    for (const path of pathsIn(json)) {
      const guess = merged(withNames, { path: { [kind]: path } });
      if (attempt(read, guess)) return guess;
    }
  }
  return undefined;
}

/** Settings of several lists, together. A place that holds for all four kinds is written once. */
export function merged(one: Answers, two: Answers): Answers {
  const path = { ...pathsOf(one), ...pathsOf(two) };
  const names = { ...one.names, ...two.names };
  const empty = two.empty ?? one.empty;
  return {
    ...(Object.keys(path).length > 0 && { path }),
    ...(Object.keys(names).length > 0 && { names }),
    ...(empty !== undefined && { empty }),
  };
}

function pathsOf({ path }: Answers): Partial<Record<ListKind, string>> {
  if (typeof path !== "string") return path ?? {};
  return { prefixset: path, profiles: path, rules: path, marks: path };
}

function pathsIn(json: unknown): string[] {
  if (!isRecord(json)) return [];
  const found = placesIn(json).map(({ path }) => path);
  // Profiles may be keyed by their names, which no reader takes for a list of its own accord.
  const objects = Object.keys(json).filter((name) => isRecord(json[name]));
  return [...new Set([...found, ...objects])].filter((path) => path !== "");
}

/** Names for a first record that none of the natural names fits: an address, a text that is a name. */
function guessedNames(json: unknown, kind: ListKind): Partial<Record<Member, string>>[] {
  const places = isRecord(json) ? placesIn(json).map(({ path }) => placeOfList(json, kind, { path })) : [];
  const records = [placeOfList(json, kind), ...places].flatMap(
    (place) => place?.elements.filter(isRecord).slice(0, 1) ?? [],
  );
  return records.flatMap((record): Partial<Record<Member, string>>[] => {
    const texts = Object.keys(record).filter((name) => typeof record[name] === "string" && record[name] !== "");
    const addresses = texts.filter((name) => isAddressLike(String(record[name])));
    if (kind === "marks") return addresses.map((address) => ({ address }));
    if (kind === "prefixset") return addresses.map((prefix) => ({ prefix }));
    const likely = texts.filter((name) => /name|title|label|profile/i.test(name)).concat(texts);
    return likely.map((name) => ({ name }));
  });
}

function attempt(read: TryRead, answers: Answers): boolean {
  try {
    return read(answers);
  } catch (error) {
    if (error instanceof ShapeError) return false;
    throw error;
  }
}
