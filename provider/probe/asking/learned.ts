import type { Absent, Answers, ListKind } from "../../wire/answers";
import { errorText } from "../../wire/node-answer";
import { type Lesson, merged, without } from "../shapes/answers";
import type { EntryShape } from "../shapes/entry-shape";
import type { ListPlace } from "../shapes/list-place";
import type { Answer } from "./answer";

/** Kinds of lists of records. */
export type RecordKind = Exclude<ListKind, "prefixset">;

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
  /** The last list of the set to write to in which nothing stood, once all that was put into it was taken out. */
  cleared: Answer | undefined;
  /** The answer to the list of a set that no node has. */
  unknown: Answer | undefined;
  /** Whether a list of a set that is not there is an empty one, since an insert makes it. */
  absentIsEmpty = false;
  /** Names of profiles that a list showed. */
  profiles: readonly string[] = [];
  /** Milliseconds from the answer of a commit until the list showed it; `undefined` until that was measured. */
  measuredDelay: number | undefined;
  /** Status that lists a single address, and whether prefixes within the user's own can be started. */
  singleStatus: Answer | undefined;
  takesLonger: boolean | undefined;
  insertExisting: "overwrite" | "error" | "ignored" | undefined;
  deleteAbsent: "success" | "error" | undefined;
  /** Bytes of the largest request that was accepted. */
  bytesAtOnce = 16_384;
  /** Most entries of one request that were accepted. */
  entriesAtOnce = 100;

  /** The same, or none where nothing is known yet. */
  get commitDelay(): number {
    return this.measuredDelay ?? 0;
  }

  /** @param known How lists are read, as far as the user says it or the answers prove it. */
  constructor(public known: Answers) {}

  /** What seems likely, and is proved by nothing. */
  guessed: Answers = {};

  /** How lists are read: all that is known, and where nothing is, what seems likely. */
  get answers(): Answers {
    return merged(this.guessed, this.known);
  }

  learn({ known, guessed }: Partial<Lesson>): void {
    this.known = merged(this.known, known ?? {});
    this.guessed = without(merged(this.guessed, guessed ?? {}), this.known);
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

  /** True for a refusal as that of a set that no node has. */
  isLikeUnknown({ isRefusal, status }: Answer): boolean {
    return isRefusal && (status === 404 || (this.unknown?.isRefusal === true && this.unknown.status === status));
  }

  /** True where a list says that the set is not there, in a way that a setting can name; it counts as empty from then on. */
  isAbsent(list: Answer, name: string): boolean {
    if (!this.isLikeUnknown(list)) return false;
    const absent = list.status === 404 ? undefined : absentIn(list, name);
    if (list.status !== 404 && absent === undefined) return false;
    this.absentIsEmpty = true;
    this.learn({ known: { absent: absent ?? "empty" } });
    return true;
  }
}

/** How a node says that a set is not there: by a status of its own, in words without the name, or by a code. */
function absentIn(answer: Answer, name: string): Absent | undefined {
  if (answer.status >= 300) return { status: answer.status };
  const head = errorText(answer.body).split(name)[0] ?? "";
  let end = head.length;
  while (end > 0 && /[^\p{L}\d]/u.test(head.charAt(end - 1))) end--;
  const words = head.slice(0, end);
  if (words.length >= 8 && answer.body.includes(words)) return { text: words };
  const { codeInBody } = answer;
  return codeInBody === undefined ? undefined : { member: "code", values: [codeInBody] };
}
