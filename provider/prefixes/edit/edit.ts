import type { CanonicalPrefix } from "../../model/prefix";

/** What is to be said of a prefix: members that are given are written, `null` takes one out, others stay as they are. */
export interface EntryChange {
  readonly value?: number | undefined;
  readonly reason?: string | undefined;
  readonly ticket?: string | undefined;
  readonly expires?: string | null | undefined;
}

/** Prefix to its change; `undefined`: the prefix leaves the file. */
export type Edit = ReadonlyMap<CanonicalPrefix, EntryChange | undefined>;
