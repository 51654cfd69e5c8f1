import type { CanonicalPrefix } from "../../model/prefix";

/** Change of a prefix: given members are written, `null` removes one, others stay. */
export interface EntryChange {
  readonly value?: number | undefined;
  readonly reason?: string | undefined;
  readonly ticket?: string | undefined;
  readonly expires?: string | null | undefined;
  /** Places where it was put, as `formatSent` writes them. */
  readonly sent?: string | null | undefined;
}

/** Changes by prefix; `undefined` removes the prefix from the file. */
export type Edit = ReadonlyMap<CanonicalPrefix, EntryChange | undefined>;

/** Error for published lists and other documents without a place for your own entries. */
export function notEditable(): Error {
  return new Error(
    "This file is neither an object or map with prefixes as keys nor an array of prefixes: name a file of your own, and let the program merge both (mergeEntries).",
  );
}
