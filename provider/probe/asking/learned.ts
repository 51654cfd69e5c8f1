import type { Answers, ListKind } from "../../wire/answers";
import { merged, without } from "../shapes/answers";
import type { EntryShape } from "../shapes/entry-shape";
import type { ListPlace } from "../shapes/list-place";
import type { Answer } from "./answer";

/** Kinds of lists of records. */
export type RecordKind = Exclude<ListKind, "prefixset">;

/** Settings that the answers prove, and those that only seem likely. */
export interface Lesson {
  readonly known: Answers;
  readonly guessed: Answers;
}

/** What earlier points found out and later ones need. */
export class Learned {
  /** Places where keyed objects were listed. */
  readonly keyedPlaces = new Set<string>();
  /** The list of a set with entries: where it stands, and how they are written. */
  filled: { readonly place: ListPlace; readonly entry: EntryShape; readonly body: string } | undefined;
  /** Where lists of other kinds stand, and the answers that show it. */
  readonly places: { [K in RecordKind]?: ListPlace & { readonly body: string } } = {};
  /** Empty lists: of a set, and of something else. */
  readonly empty: { set?: ListPlace | "nothing"; records?: ListPlace | "nothing" } = {};
  /** The list of a set in which nothing stands. */
  emptyBody = "";
  /** The answer to the list of a set that no node has. */
  unknown: Answer | undefined;
  /** Whether a list of a set that is not there is an empty one, since an insert makes it. */
  absentIsEmpty = false;
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
  private all: Answers;

  /** @param known How lists are read, as far as the user says it or the answers prove it. */
  constructor(public known: Answers) {
    this.all = known;
  }

  /** What seems likely, and is proved by nothing. */
  guessed: Answers = {};

  /** How lists are read: all that is known, and where nothing is, what seems likely. */
  get answers(): Answers {
    return this.all;
  }

  learn({ known, guessed }: Partial<Lesson>): void {
    this.known = merged(this.known, known ?? {});
    this.guessed = without(merged(this.guessed, guessed ?? {}), this.known);
    this.all = merged(this.guessed, this.known);
  }

  /** Keeps what known entries of a set have proved; what seemed likely about entries counts no more. */
  prove(known: Answers): void {
    const of = { prefix: "", prefixLength: "", value: "", rangeStart: "", rangeEnd: "" };
    this.guessed = without(this.guessed, {
      names: of,
      columns: { prefixset: {} },
      path: { prefixset: "" },
      format: { prefixset: "json" },
    });
    this.learn({ known });
  }

  /** True for a profile that the node itself named. */
  profileIsListed(name: string): boolean {
    return this.profiles.includes(name);
  }
}
