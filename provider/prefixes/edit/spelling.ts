import { type CanonicalPrefix, Prefix, PrefixError } from "../../model/prefix";

/** The prefix that a file spells, if it is one: ranges are none, and neither are other texts. */
export function canonicalOf(spelling: unknown): CanonicalPrefix | undefined {
  try {
    return typeof spelling === "string" ? Prefix.parse(spelling).toString() : undefined;
  } catch (error) {
    if (error instanceof PrefixError) return undefined;
    throw error;
  }
}

/** Thrown for documents of the published lists and others that have no place for an entry of one's own. */
export function notEditable(): Error {
  return new Error(
    "This file is neither an object or map with prefixes as keys nor an array of prefixes: name a file of your own, and let the program merge both (mergeEntries).",
  );
}
