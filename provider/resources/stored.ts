import { z } from "zod";
import type { ListedValue } from "../model/entry-value";
import { type CanonicalPrefix, Prefix } from "../model/prefix";
import type { PrefixSetUrl } from "../model/resource-url";
import { setUrl } from "./arguments";
import { isObject, type JsonObject } from "./json";
import { UNKNOWN } from "./unknown";

/**
 * Readers of what states and checked inputs hold. States of earlier versions and states that people wrote by hand are read
 * as far as they make sense: a member that is absent or of another kind has its default.
 */

const texts = z.array(z.string()).catch([]);

/** A text, where there is one. */
export const optionalText = z.string().optional().catch(undefined);

/** Where the set is. @throws {Error} when it cannot be told. */
export function readAddress(json: JsonObject): PrefixSetUrl {
  const address = setUrl(json);
  if (!address) throw new Error("The set has no valid arena, profile and set.");
  return address;
}

/** The value of an entry: one of ours, or one that another writer put there and a refresh found. Not the unknown marker. */
export const listedValue = z.union([z.number(), z.string().refine((text) => text !== UNKNOWN)]);

/** Prefix to value. @throws {PrefixError} for a key that is no prefix. */
export function readEntries(value: unknown): Map<CanonicalPrefix, ListedValue> {
  const entries = new Map<CanonicalPrefix, ListedValue>();
  const members = membersOf(value);
  for (const prefix of Object.keys(members)) {
    const listed = members[prefix];
    if (isListedValue(listed)) entries.set(Prefix.canonical(prefix), listed);
  }
  return entries;
}

/** Without a schema, which copies what it reads and costs more than all the rest: states hold ten thousand entries. */
function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

/** As {@link listedValue}, without a schema for the same reason. */
function isListedValue(value: unknown): value is ListedValue {
  return typeof value === "number" || (typeof value === "string" && value !== UNKNOWN);
}

/** Prefix to note, as text. @throws {PrefixError} for a key that is no prefix. */
export function readNotes(value: unknown): Map<CanonicalPrefix, string> {
  const notes = new Map<CanonicalPrefix, string>();
  for (const [prefix, note] of Object.entries(membersOf(value))) {
    if (typeof note === "string") notes.set(Prefix.canonical(prefix), note);
  }
  return notes;
}

/** Prefixes in their order. @throws {PrefixError} for a text that is no prefix. */
export function readPrefixes(value: unknown): CanonicalPrefix[] {
  return texts.parse(value).map((prefix) => Prefix.canonical(prefix));
}
