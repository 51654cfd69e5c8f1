import { z } from "zod";
import { isEntryValue } from "../model/entry-value";
import { type CanonicalPrefix, Prefix } from "../model/prefix";
import type { PrefixSetUrl } from "../model/resource-url";
import { setUrl } from "./arguments";
import type { JsonObject } from "./json";

/**
 * Readers of what states and checked inputs hold. States of earlier versions and states that people wrote by hand are read
 * as far as they make sense: a member that is absent or of another kind has its default.
 */

const object = z.record(z.string(), z.unknown()).catch({});
const texts = z.array(z.string()).catch([]);

/** A text, where there is one. */
export const optionalText = z.string().optional().catch(undefined);

/** Where the set is. @throws {Error} when it cannot be told. */
export function readAddress(json: JsonObject): PrefixSetUrl {
  const address = setUrl(json);
  if (!address) throw new Error("The set has no valid arena, profile and set.");
  return address;
}

/** Prefix to value. @throws {PrefixError} for a key that is no prefix. */
export function readEntries(value: unknown): Map<CanonicalPrefix, number> {
  const entries = new Map<CanonicalPrefix, number>();
  for (const [prefix, number] of Object.entries(object.parse(value))) {
    if (isEntryValue(number)) entries.set(Prefix.canonical(prefix), number);
  }
  return entries;
}

/** Prefix to note, as text. @throws {PrefixError} for a key that is no prefix. */
export function readNotes(value: unknown): Map<CanonicalPrefix, string> {
  const notes = new Map<CanonicalPrefix, string>();
  for (const [prefix, note] of Object.entries(object.parse(value))) {
    if (typeof note === "string") notes.set(Prefix.canonical(prefix), note);
  }
  return notes;
}

/** Prefixes in their order. @throws {PrefixError} for a text that is no prefix. */
export function readPrefixes(value: unknown): CanonicalPrefix[] {
  return texts.parse(value).map((prefix) => Prefix.canonical(prefix));
}
