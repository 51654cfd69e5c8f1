import { z } from "zod";
import { isObject, type JsonObject } from "../model/json";
import type { Profile, Rule } from "../model/mark";
import type { NodeHabits } from "./answers";
import { findList } from "./envelope";
import { describe, readNumber, ShapeError } from "./json";
import { namesFor } from "./places";
import { describedBy } from "./remedies";

/** Members that may hold the name of a profile. The contract shows no record of profiles or rules. */
const PROFILE_NAMES = ["name", "profile"] as const;

const name = z.union([z.string().min(1), z.number().transform(String)]);

/**
 * Reads the profiles of an arena: records with a name, the names alone, or an object keyed by name at the place in the
 * settings.
 *
 * @throws {ShapeError} on anything else.
 */
export function readProfileList(json: unknown, habits: NodeHabits = {}): Profile[] {
  const list = findList(json, "profiles", habits);
  if (list.kind === "keyed") {
    return Object.entries(list.members).map(([key, members], index): Profile => {
      if (!isObject(members)) throw notA("profile with a name", members, index);
      const own = nameKey(members, habits);
      return { name: key, ...extraOf(members, own !== undefined && members[own] === key ? [own] : []) };
    });
  }
  return list.elements.map((element, index): Profile => {
    const alone = name.safeParse(element);
    if (alone.success) return { name: alone.data };
    const key = isObject(element) ? nameKey(element, habits) : undefined;
    if (!isObject(element) || key === undefined)
      throw notA("profile with a name", element, index, describedBy("names"));
    return { name: name.parse(element[key]), ...extraOf(element, [key]) };
  });
}

/**
 * Reads the rules of a profile, in their order: records with an id or a name, or an object keyed by id at the place in the
 * settings. Marks refer to rules by id; all else is kept untouched. A rule in one line of text is kept as `extra.text`.
 *
 * @throws {ShapeError} on anything else: a record with neither id nor name need not be a rule.
 */
export function readRuleList(json: unknown, habits: NodeHabits = {}): Rule[] {
  const list = findList(json, "rules", habits);
  if (list.kind === "array") return list.elements.map((element, index) => readRule(element, index, habits));
  // JavaScript sorts members that are numbers, and keeps others in the order of the text.
  return Object.entries(list.members).map(([key, rule], index): Rule => {
    const id = readNumber(key);
    if (!id) throw new ShapeError("the rules are keyed by something else than their ids, and so have no order");
    return { ...numbered(id), ...readRule(rule, index, habits, true) };
  });
}

function readRule(element: unknown, index: number, habits: NodeHabits, isKeyed = false): Rule {
  if (typeof element === "string" && element.trim() !== "") return { extra: { text: element } };
  if (!isObject(element) || Object.keys(element).length === 0) throw notA("rule", element, index);
  const own = namesFor(habits.answers ?? {}, "rules");
  const ids = [own.id, "id"];
  const idKey = keyOf(element, ids, (value) => readNumber(value) !== undefined);
  const nameKey = keyOf(element, [own.name, "name"], isText);
  if (!isKeyed && idKey === undefined && nameKey === undefined && keyOf(element, ids, isText) === undefined)
    throw notA("rule with an id or a name", element, index, describedBy("names"));
  const id = idKey === undefined ? undefined : readNumber(element[idKey]);
  return {
    ...(id && numbered(id)),
    ...(nameKey !== undefined && { name: String(element[nameKey]) }),
    ...extraOf(element, [idKey, nameKey]),
  };
}

const numbered = ({ number, exact }: NonNullable<ReturnType<typeof readNumber>>): Rule => ({
  id: number,
  ...(exact !== undefined && { exact: { id: exact } }),
});

const isText = (value: unknown) => typeof value === "string" && value !== "";

function nameKey(members: JsonObject, { answers }: NodeHabits): string | undefined {
  return keyOf(
    members,
    [namesFor(answers ?? {}, "profiles").name, ...PROFILE_NAMES],
    (value) => name.safeParse(value).success,
  );
}

/** The first of some names that a record has in any case, with a value that fits. */
function keyOf(
  members: JsonObject,
  names: readonly (string | undefined)[],
  fits: (value: unknown) => boolean,
): string | undefined {
  const keys = Object.keys(members);
  for (const expected of names) {
    const found = keys.find((key) => key.toLowerCase() === expected?.toLowerCase() && fits(members[key]));
    if (found !== undefined) return found;
  }
  return undefined;
}

function notA(what: string, element: unknown, index: number, remedy?: string): ShapeError {
  return new ShapeError(`element ${index} is no ${what} but ${describe(element)}`, remedy);
}

function extraOf(members: JsonObject, known: readonly (string | undefined)[]): { extra?: Profile["extra"] } {
  const rest = Object.entries(members).filter(([key]) => !known.includes(key));
  return rest.length === 0 ? {} : { extra: Object.fromEntries(rest) };
}
