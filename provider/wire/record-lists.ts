import { z } from "zod";
import { isObject, type JsonObject } from "../model/json";
import type { Profile, Rule } from "../model/mark";
import type { NodeHabits } from "./answers";
import { findList } from "./envelope";
import { describe, readNumber, ShapeError } from "./json";
import { isNaturalName, type ListCandidate, pathFor } from "./places";
import { namesSetting } from "./remedies";

/** Names under which the one thing that a profile must have is looked for. The contract shows no record of either. */
const PROFILE_NAMES = ["name", "profile"] as const;

const name = z.union([z.string().min(1), z.number().transform(String)]);

/**
 * Reads the profiles of an arena: records with a name, the names alone, or, where the settings say where they are, an
 * object keyed by name.
 *
 * @throws {ShapeError} on anything else.
 */
export function readProfileList(json: unknown, habits: NodeHabits = {}): Profile[] {
  const list = keyedByName(json, "profiles", habits) ?? findList(json, "profiles", habits);
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
      throw notA("profile with a name", element, index, guessName(element, habits));
    return { name: name.parse(element[key]), ...extraOf(element, [key]) };
  });
}

/**
 * Reads the rules of a profile, in their order. Rules are matched with marks by id; all else is kept untouched. A rule
 * that is written as one line of text is kept as `extra.text`.
 *
 * @throws {ShapeError} when an element is neither a text nor an object with members.
 */
export function readRuleList(json: unknown, habits: NodeHabits = {}): Rule[] {
  const list = keyedByName(json, "rules", habits) ?? findList(json, "rules", habits);
  if (list.kind === "keyed") return rulesById(list.members, habits);
  return list.elements.map((element, index): Rule => {
    if (typeof element === "string" && element.trim() !== "") return { extra: { text: element } };
    if (!isObject(element) || Object.keys(element).length === 0) throw notA("rule", element, index);
    const idKey = keyOf(element, [habits.answers?.names?.id, "id"], (value) => readNumber(value) !== undefined);
    const nameKey = keyOf(element, [habits.answers?.names?.name, "name"], (value) => typeof value === "string");
    const id = idKey === undefined ? undefined : readNumber(element[idKey]);
    return {
      ...(id && { id: id.number }),
      ...(id?.exact !== undefined && { exact: { id: id.exact } }),
      ...(nameKey !== undefined && { name: String(element[nameKey]) }),
      ...extraOf(element, [idKey, nameKey]),
    };
  });
}

/**
 * Profiles keyed by their names and rules keyed by their ids, as a whole answer or under a natural name: objects under names
 * of their own, none of which usually wraps a list or tells about one. `undefined` for anything else.
 */
function keyedByName(
  json: unknown,
  kind: "profiles" | "rules",
  habits: NodeHabits,
  isNamed = false,
): Extract<ListCandidate, { kind: "keyed" }> | undefined {
  if (!isObject(json) || pathFor(habits, kind) !== undefined) return undefined;
  const names = Object.keys(json);
  const [only] = names;
  if (names.length === 1 && only !== undefined && isNaturalName(only)) {
    return keyedByName(json[only], kind, habits, true);
  }
  const isOwn = (name: string) =>
    kind === "rules" ? /^\d{1,10}$/.test(name) : !isNaturalName(name) && !ABOUT.test(name);
  // Objects that hold nothing but objects may wrap the profiles themselves.
  const isOne = (value: unknown) =>
    isObject(value) && (isNamed || Object.values(value).some((member) => !isObject(member)));
  const isKeyed = names.length > 0 && names.every((name) => isOwn(name) && isOne(json[name]));
  return isKeyed ? { kind: "keyed", members: json } : undefined;
}

/** Names of objects that tell about an answer. */
const ABOUT = /^_|^(meta|metadata|page|paging|pagination|links|info|header|status|error|errors|payload|body|content)$/i;

/** Rules that are keyed by their ids, which are their order then. @throws {ShapeError} where something else is the key. */
function rulesById(members: JsonObject, habits: NodeHabits): Rule[] {
  return Object.entries(members).map(([key, rule], index): Rule => {
    const id = readNumber(key);
    if (!id) throw new ShapeError("the rules are keyed by something else than their ids, and so have no order");
    const [read] = readRuleList([rule], { answers: { ...habits.answers, path: undefined, columns: undefined } });
    if (!read) throw notA("rule", rule, index);
    return { id: id.number, ...(id.exact !== undefined && { exact: { id: id.exact } }), ...read };
  });
}

function nameKey(members: JsonObject, { answers }: NodeHabits): string | undefined {
  return keyOf(members, [answers?.names?.name, ...PROFILE_NAMES], (value) => name.safeParse(value).success);
}

/** The first of some names that a record has in any case, with a value that fits. */
function keyOf(
  members: JsonObject,
  names: readonly (string | undefined)[],
  fits: (value: unknown) => boolean,
): string | undefined {
  const keys = Object.keys(members);
  for (const wanted of names) {
    const found = keys.find((key) => key.toLowerCase() === wanted?.toLowerCase() && fits(members[key]));
    if (found !== undefined) return found;
  }
  return undefined;
}

function guessName(element: unknown, { answers }: NodeHabits): string | undefined {
  if (!isObject(element)) return undefined;
  const texts = Object.keys(element).filter((key) => typeof element[key] === "string" && element[key] !== "");
  const [likely] = texts.filter((key) => /name|title|label|profile/i.test(key)).concat(texts);
  return likely === undefined ? undefined : `If that is its name, set ${namesSetting(answers, { name: likely })}.`;
}

function notA(what: string, element: unknown, index: number, remedy?: string): ShapeError {
  return new ShapeError(`element ${index} is no ${what} but ${describe(element)}`, remedy);
}

function extraOf(members: JsonObject, known: readonly (string | undefined)[]): { extra?: Profile["extra"] } {
  const rest = Object.entries(members).filter(([key]) => !known.includes(key));
  return rest.length === 0 ? {} : { extra: Object.fromEntries(rest) };
}
