import type { Answers, ListKind } from "../../wire/answers";
import type { EntryShape } from "../shapes/entry-shape";
import type { ListPlace } from "../shapes/list-place";
import type { Answer } from "./answer";

/** Kinds of lists of records. */
export type RecordKind = Exclude<ListKind, "prefixset">;

/** What earlier points found out and later ones need. */
export class Learned {
  /** How lists are read. */
  answers: Answers = {};
  /** Places where keyed objects were listed. */
  readonly keyedPlaces = new Set<string>();
  /** The list of a set with entries: where it stands, and how they are written. */
  filled: { readonly place: ListPlace; readonly entry: EntryShape } | undefined;
  /** Where lists of other kinds stand. */
  readonly places: { [K in RecordKind]?: ListPlace } = {};
  /** Empty lists: of a set, and of something else. */
  readonly empty: { set?: ListPlace | "nothing"; records?: ListPlace | "nothing" } = {};
  /** The answer to the list of a set that no node has. */
  unknown: Answer | undefined;
  /** Names of profiles that a list showed. */
  profiles: readonly string[] = [];
  /** Milliseconds from the answer of a commit until the list showed it. */
  commitDelay = 0;
  /** Status that lists a single address, and whether prefixes within the user's own can be started. */
  singleStatus: Answer | undefined;
  takesLonger: boolean | undefined;
  insertExisting: "overwrite" | "error" | "ignored" | undefined;
  deleteAbsent: "success" | "error" | undefined;
  /** Bytes of the largest request that was accepted. */
  bytesAtOnce = 16_384;
  /** Most entries of one request that were accepted. */
  entriesAtOnce = 100;

  /** True for a profile that the node itself named. */
  profileIsListed(name: string): boolean {
    return this.profiles.includes(name);
  }
}
