import { type PrefixLike, prefixText } from "../../model/given-entries";
import type { MarkType } from "../../model/mark";
import { prefixIn } from "../../model/readable";
import type { CommitRecord } from "../state/prefix-set-store";

/** Which API a request came to; `other` is a path that belongs to none of them. */
export type ApiName = "node" | "signaling" | "test" | "other";

/** Commands of the node API (docs/contributing/contract.md#node-endpoint). */
export type Command = "list" | "insert" | "delete" | "commit";

/** Operations of the signaling API (docs/contributing/contract.md#signaling-operations). */
export type SignalingOperation = "status" | "start" | "stop";

/** Content of a request, as far as it could be parsed. */
export interface RequestSummary {
  /** The command of the node API. */
  cmd?: Command;
  /** The resource in canonical text, without a trailing slash. */
  url?: string;
  /** The resource in the request's spelling. */
  rawUrl?: string;
  /** The type of a list of marks. */
  type?: MarkType;
  /** True for a list of marks less than three seconds after the end of the previous one (docs/contributing/contract.md#pace-of-mark-lists). */
  tooSoon?: boolean;
  /** The operation of the signaling API. */
  op?: SignalingOperation;
  /** The client id of the signaling API. */
  client?: string;
  /** Number of data items or prefixes. */
  entries?: number;
  /** The data items or prefixes of the request. */
  data?: readonly unknown[];
}

/** One request and its answer as JSON, without secrets. */
export interface JournalEntry extends RequestSummary {
  /** Counts from 0 and never repeats, even after old entries were dropped. */
  readonly index: number;
  /** Number of its run, see `Run`. */
  readonly run: number;
  /** Label of its run, if it has one. */
  readonly label?: string;
  /** Virtual time of arrival, ISO 8601. */
  readonly time: string;
  /** The API of the request. */
  readonly api: ApiName;
  /** HTTP method. */
  readonly method: string;
  /** Path with secrets replaced by `***`. */
  readonly path: string;
  /** Header values; those that may be secret are replaced by `***`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Requests of this API in progress when this one arrived, itself included. */
  readonly concurrent: number;
  /** Absent until the answer is sent; a fault may withhold it. */
  status?: number;
  /** Length of the answer's body in bytes, as sent; absent like `status`. */
  answerBytes?: number;
  /** The first 2 KB of the answer's body. */
  answer?: string;
  /** Headers of the answer, without those that every answer has. */
  answerHeaders?: Readonly<Record<string, string>>;
  /**
   * Milliseconds of real time, to a tenth, from the arrival of the head until the answer was sent or withheld. Absent while
   * the request is in progress.
   */
  durationMs?: number;
  /** Kind of the fault that affected the request. */
  fault?: string;
  /** Changes of the commit, once it was applied. */
  commit?: CommitRecord;
}

/** Filter of entries: every given member must be equal. */
export interface JournalFilter
  extends Partial<Pick<JournalEntry, "cmd" | "url" | "op" | "api" | "client" | "type" | "status">> {
  /** Number or label of the run. */
  readonly run?: number | string;
  /** A prefix or an address that one of the data items equals or covers. */
  readonly contains?: PrefixLike;
}

/** True if every member of a filter matches an entry. */
export function matches(entry: JournalEntry, filter: JournalFilter): boolean {
  return unlike(entry, filter).length === 0;
}

/** The members of a filter that do not match an entry. */
export function unlike(entry: JournalEntry, filter: JournalFilter): (keyof JournalFilter)[] {
  const names = Object.keys(filter) as (keyof JournalFilter)[];
  return names.filter((name) => filter[name] !== undefined && !holds(entry, name, filter));
}

function holds(entry: JournalEntry, name: keyof JournalFilter, filter: JournalFilter): boolean {
  if (name === "contains") return contains(entry, filter.contains ?? "");
  if (name === "run" && typeof filter.run === "string") return entry.label === filter.run;
  return entry[name] === filter[name];
}

/** True if one of the data items of a request equals or covers a prefix. */
function contains({ data = [] }: JournalEntry, text: PrefixLike): boolean {
  const wanted = prefixOf(prefixText(text));
  return wanted !== undefined && data.some((item) => prefixOf(textIn(item))?.contains(wanted));
}

function textIn(item: unknown): unknown {
  if (typeof item !== "object" || item === null) return item;
  return "p" in item ? item.p : "a" in item ? item.a : undefined;
}

const prefixOf = (text: unknown) => prefixIn(text, { hostBits: "mask" });
