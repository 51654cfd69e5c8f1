import { z } from "zod";
import type { Profile, Rule } from "../model/mark";
import { type NodeHabits, namesSetting } from "./answers";
import { findList, type ListInAnswer } from "./envelope";
import { describe, isRecord, readNumber, ShapeError } from "./json";

type Json = Readonly<Record<string, unknown>>;

/** Names under which the one thing that a profile must have is looked for. The contract shows no record of either. */
const PROFILE_NAMES = ["name", "profile"] as const;

const name = z.union([z.string().min(1), z.number().transform(String)]);
const record = z.record(z.string(), z.unknown());

/**
 * Reads the profiles of an arena: records with a name, the names alone, or, where the settings say where they are, an
 * object keyed by name.
 *
 * @throws {ShapeError} on anything else.
 */
export function readProfileList(json: unknown, habits: NodeHabits = {}): Profile[] {
  const list = findList(json, "profiles", habits);
  if (list.kind === "keyed") {
    return Object.entries(list.members).map(([key, members], index): Profile => {
      if (!isRecord(members)) throw notA("profile with a name", members, index);
      const own = nameKey(members, habits);
      return own !== undefined && members[own] === key
        ? { name: key, ...extraOf(members, [own]) }
        : { name: key, ...extraOf(members, []) };
    });
  }
  return list.elements.map((element, index): Profile => {
    const alone = name.safeParse(element);
    if (alone.success) return { name: alone.data };
    const members = record.safeParse(element).data;
    const key = members && nameKey(members, habits);
    if (!members || key === undefined) throw notA("profile with a name", element, index, guessName(element, habits));
    return { name: name.parse(members[key]), ...extraOf(members, [key]) };
  });
}

/**
 * Reads the rules of a profile, in their order. Rules are matched with marks by id; all else is kept untouched. A rule
 * that is written as one line of text is kept as `extra.text`.
 *
 * @throws {ShapeError} when an element is neither a text nor an object with members.
 */
export function readRuleList(json: unknown, habits: NodeHabits = {}): Rule[] {
  return elementsOf(findList(json, "rules", habits), json).map((element, index): Rule => {
    if (typeof element === "string" && element.trim() !== "") return { extra: { text: element } };
    const members = record.safeParse(element).data;
    if (!members || !isRecord(element) || Object.keys(members).length === 0) throw notA("rule", element, index);
    const idKey = keyOf(members, [habits.answers?.names?.id, "id"], (value) => readNumber(value) !== undefined);
    const nameKey = keyOf(members, [habits.answers?.names?.name, "name"], (value) => typeof value === "string");
    const id = idKey === undefined ? undefined : readNumber(members[idKey]);
    return {
      ...(id && { id: id.number }),
      ...(id?.exact !== undefined && { exact: { id: id.exact } }),
      ...(nameKey !== undefined && { name: String(members[nameKey]) }),
      ...extraOf(members, [idKey, nameKey]),
    };
  });
}

/** Rules have an order, which an object has not. */
function elementsOf(list: ListInAnswer, json: unknown): readonly unknown[] {
  if (list.kind === "array") return list.elements;
  throw new ShapeError(`the answer is ${describe(json)}, and rules that are keyed by something have no order`);
}

function nameKey(members: Json, { answers }: NodeHabits): string | undefined {
  return keyOf(members, [answers?.names?.name, ...PROFILE_NAMES], (value) => name.safeParse(value).success);
}

/** The first of some names that a record has in any case, with a value that fits. */
function keyOf(
  members: Json,
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
  if (!isRecord(element)) return undefined;
  const texts = Object.keys(element).filter((key) => typeof element[key] === "string" && element[key] !== "");
  const [likely] = texts.filter((key) => /name|title|label|profile/i.test(key)).concat(texts);
  return likely === undefined ? undefined : `If that is its name, set ${namesSetting(answers, { name: likely })}.`;
}

function notA(what: string, element: unknown, index: number, remedy?: string): ShapeError {
  return new ShapeError(`element ${index} is no ${what} but ${describe(element)}`, remedy);
}

function extraOf(members: Json, known: readonly (string | undefined)[]): { extra?: Profile["extra"] } {
  const rest = Object.entries(members).filter(([key]) => !known.includes(key));
  return rest.length === 0 ? {} : { extra: Object.fromEntries(rest) };
}
