import type { Absent, Answers, ListKind } from "../../wire/answers";
import { errorText } from "../../wire/node-answer";
import type { Command } from "../../wire/node-command";
import { merged, type SignSettings } from "../shapes/answers";
import type { EntryShape } from "../shapes/entry-shape";
import type { ListPlace } from "../shapes/list-place";
import type { Answer } from "./answer";

/** A name that no set has. */
export const ABSENT = "pulumi-packetfilter-probe-absent";

/** Facts that earlier points found and later ones need. */
export class Learned {
  /** Places where keyed objects were listed. */
  readonly keyedPlaces = new Set<string>();
  /** Places of lists that held something, with the form of the entries of a set. */
  readonly places: { [K in ListKind]?: ListPlace & { readonly body: string; readonly entry?: EntryShape } } = {};
  /** Place of an empty list of records, as the client reads it. */
  emptyRecords: ListPlace | undefined;
  /** Last list of the set to write to, after all entries of the probe were removed. */
  cleared: Answer | undefined;
  /** Answer to the list of a set that no node has. */
  unknown: Answer | undefined;
  /** True if the list of a missing set counts as empty, since an insert makes the set. */
  absentIsEmpty = false;
  /** Names of listed profiles. */
  profiles: readonly string[] = [];
  /** Milliseconds from the answer of a commit until a list showed it, once measured. */
  measuredDelay: number | undefined;
  /** Status that shows an address within the user's own prefix, if such can be started. */
  singleStatus: Answer | undefined;
  /** True if the node lists no values. */
  isFlat = false;
  /** True once a list has shown an IPv6 entry as it was sent. */
  takesIpv6 = false;
  insertExisting: "overwrite" | "error" | "ignored" | undefined;
  /** Bytes and entries of the largest requests that were accepted. */
  bytesAtOnce = 16_384;
  entriesAtOnce = 100;

  /** Settings by which changes are read as successes and failures, learnt anew with each answer. */
  signs: SignSettings<Command> = {};

  /** @param base Settings by which answers are read without {@link signs}: those that the user gave or that answers prove. */
  constructor(public base: Answers) {}

  /** Settings by which answers are read. */
  get answers(): Answers {
    return merged(this.base, this.signs as Answers);
  }

  /** {@link measuredDelay}, or 0. */
  get commitDelay(): number {
    return this.measuredDelay ?? 0;
  }

  record(proved: Answers): void {
    this.base = merged(this.base, proved);
  }

  /** True for the same refusal as that of a set that no node has: any other one may be about credentials or a failure. */
  isLikeUnknown({ isRefusal, status, body }: Answer, name: string): boolean {
    const { unknown } = this;
    if (!isRefusal) return false;
    if (unknown === undefined) return status === 404;
    const plain = (text: string) => text.replace(/\d+/g, "0").trim();
    return unknown.status === status && plain(unknown.body.replaceAll(ABSENT, name)) === plain(body);
  }

  /** True if a list says, in a way that a setting can name, that the set is missing; it counts as empty from then on. */
  isAbsent(list: Answer, name: string): boolean {
    if (!this.isLikeUnknown(list, name)) return false;
    const absent = list.status === 404 ? undefined : absentIn(list, name);
    if (list.status !== 404 && absent === undefined) return false;
    this.absentIsEmpty = true;
    this.record({ absent: absent ?? "empty" });
    return true;
  }
}

/** The setting by which a missing set is recognised: a status, the words before its name, or a code. */
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
