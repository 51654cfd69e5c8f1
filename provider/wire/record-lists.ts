import { z } from "zod";
import type { Profile, Rule } from "../model/mark";
import { readNumber } from "./json";
import { notAList, openEnvelope } from "./node-answer";
import { describe, isRecord, ShapeError } from "./shape";

/** Names under which the one thing that a profile must have is looked for. The contract shows no record of either. */
const PROFILE_NAMES = ["name", "profile"] as const;

const name = z.union([z.string().min(1), z.number().transform(String)]);
const record = z.record(z.string(), z.unknown());

/** Reads the profiles of an arena: records with a name, or the names alone. @throws {ShapeError} on anything else. */
export function readProfileList(json: unknown): Profile[] {
  return elementsOf(json).map((element, index): Profile => {
    const alone = name.safeParse(element);
    if (alone.success) return { name: alone.data };
    const members = record.safeParse(element).data;
    const key = PROFILE_NAMES.find((candidate) => name.safeParse(members?.[candidate]).success);
    if (!members || key === undefined) {
      throw new ShapeError(`element ${index} is no profile with a name but ${describe(element)}`);
    }
    return { name: name.parse(members[key]), ...extraOf(members, [key]) };
  });
}

/**
 * Reads the rules of a profile, in their order. Rules are matched with marks by id; all else is kept untouched. A rule
 * that is written as one line of text is kept as `extra.text`.
 *
 * @throws {ShapeError} when an element is neither a text nor an object with members.
 */
export function readRuleList(json: unknown): Rule[] {
  return elementsOf(json).map((element, index): Rule => {
    if (typeof element === "string" && element.trim() !== "") return { extra: { text: element } };
    const members = record.safeParse(element).data;
    if (!members || !isRecord(element) || Object.keys(members).length === 0) {
      throw new ShapeError(`element ${index} is no rule but ${describe(element)}`);
    }
    const id = readNumber(members.id);
    const named = z.string().safeParse(members.name);
    return {
      ...(id && { id: id.number }),
      ...(id?.exact !== undefined && { exact: { id: id.exact } }),
      ...(named.success && { name: named.data }),
      ...extraOf(members, [...(id ? ["id"] : []), ...(named.success ? ["name"] : [])]),
    };
  });
}

function elementsOf(json: unknown): readonly unknown[] {
  const elements = openEnvelope(json);
  if (!elements) throw notAList(json);
  return elements;
}

function extraOf(members: Readonly<Record<string, unknown>>, known: readonly string[]): { extra?: Profile["extra"] } {
  const rest = Object.entries(members).filter(([key]) => !known.includes(key));
  return rest.length === 0 ? {} : { extra: Object.fromEntries(rest) };
}
