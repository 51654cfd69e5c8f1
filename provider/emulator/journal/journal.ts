import type { MarkType } from "../../model/mark";
import type { CommitRecord } from "../state/prefix-set-store";

/** Which API a request came to; `other` is a path that belongs to none of them. */
export type ApiName = "node" | "signaling" | "test" | "other";

/** Commands of the node API (docs/contract.md#node-endpoint). */
export type Command = "list" | "insert" | "delete" | "commit";

/** Operations of the signaling API (docs/contract.md#signaling-operations). */
export type SignalingOperation = "status" | "start" | "stop";

/** What a request asks for, as far as it could be read. */
export interface RequestSummary {
  cmd?: Command;
  /** The resource in canonical text, without a trailing slash. */
  url?: string;
  /** The resource as it was sent. */
  rawUrl?: string;
  type?: MarkType;
  /** True for a list of marks less than three seconds after the end of the last one (docs/contract.md#pace-of-mark-lists). */
  tooSoon?: boolean;
  op?: SignalingOperation;
  /** The client id of the signaling API. */
  client?: string;
  /** Number of data items or prefixes. */
  entries?: number;
  /** The data items or prefixes, as they were sent. */
  data?: readonly unknown[];
}

/** One request, as JSON, with secrets cut out. */
export interface JournalEntry extends RequestSummary {
  /** Counts from 0 and never repeats, also when old entries were dropped. */
  readonly index: number;
  /** Virtual time of arrival, ISO 8601. */
  readonly time: string;
  readonly api: ApiName;
  readonly method: string;
  /** Path with secrets replaced by `***`. */
  readonly path: string;
  /** Header values; those that may be secret are replaced by `***`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Requests of this API that were in progress when this one arrived, itself included. */
  readonly concurrent: number;
  /** Absent while no answer was sent, and for good when a fault withheld it. */
  status?: number;
  /** Length of the answer's body. */
  answerBytes?: number;
  /** Kind of the fault that met the request. */
  fault?: string;
  /** What the commit changed, once it was applied. */
  commit?: CommitRecord;
}

/** Which entries to find: every member given must be equal. */
export type JournalFilter = Partial<Pick<JournalEntry, "cmd" | "url" | "op" | "api" | "client" | "type" | "status">>;

/** How much a journal keeps. */
export interface JournalLimits {
  /** Requests, 20 000 by default. */
  readonly requests: number;
  /** Data items of all requests together, two million by default. */
  readonly items: number;
}

/** What was asked of the emulator, in the order in which the requests were complete. Bounded: the oldest go first. */
export class Journal {
  private next = 0;
  private items = 0;
  private readonly listeners = new Set<(entry: JournalEntry) => void>();

  /** The entries themselves. */
  readonly entries: JournalEntry[] = [];

  constructor(private readonly limits: JournalLimits = { requests: 20_000, items: 2_000_000 }) {}

  add(entry: Omit<JournalEntry, "index">): JournalEntry {
    const added = { index: this.next, ...entry };
    this.next += 1;
    this.entries.push(added);
    this.items += added.data?.length ?? 0;
    while (this.entries.length > this.limits.requests || (this.items > this.limits.items && this.entries.length > 1)) {
      this.items -= this.entries.shift()?.data?.length ?? 0;
    }
    return added;
  }

  /** Says that the entry will not change any more (a commit that applies late still adds `commit`). */
  settled(entry: JournalEntry): void {
    for (const listener of this.listeners) listener(entry);
  }

  /** Calls back with every entry once it is answered. Returns what ends it. */
  listen(listener: (entry: JournalEntry) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  find(filter: JournalFilter = {}): JournalEntry[] {
    const wanted = Object.entries(filter).filter(([, value]) => value !== undefined);
    return this.entries.filter((entry) => wanted.every(([key, value]) => entry[key as keyof JournalFilter] === value));
  }

  clear(): void {
    this.entries.length = 0;
    this.items = 0;
  }
}

/** Headers whose values are shown. Any other may carry a credential. */
const SHOWN = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "connection",
  "content-length",
  "content-type",
  "date",
  "expect",
  "host",
  "keep-alive",
  "transfer-encoding",
  "user-agent",
  "user-arena",
]);

const OPERATIONS = new Set(["status", "start", "stop"]);

/** Headers as the journal shows them. */
export function redactHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const shown = Object.entries(headers).map(([name, value]) => [name, SHOWN.has(name) ? String(value) : "***"]);
  return Object.fromEntries(shown);
}

/**
 * A path as the journal shows it: of `/path/<client>/<secret>/<operation>` and `/request/…` the secret is cut out, of any
 * unknown path everything after its first part, since a secret may stand anywhere in it.
 */
export function redactPath(target: string): string {
  const [path = "", query] = target.split("?", 2);
  const [, first = "", ...rest] = path.split("/");
  const [client = "", , operation = ""] = rest;
  const signaling = (first === "path" || first === "request") && rest.length === 3 && OPERATIONS.has(operation);
  const shown = signaling ? [client, "***", operation] : rest.map((part) => (part === "" ? "" : "***"));
  return `/${[first, ...shown].join("/")}${query === undefined ? "" : "?***"}`;
}
