import type { MarkType } from "../../model/mark";
import { OPTIONS } from "../defaults";
import type { CommitRecord } from "../state/prefix-set-store";
import type { Runs } from "./runs";

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
  /** The run that it belongs to, see `Run`. */
  readonly run: number;
  /** Virtual time of arrival, ISO 8601. */
  readonly time: string;
  /** Which of the APIs was asked. */
  readonly api: ApiName;
  /** Method of HTTP, as it was sent. */
  readonly method: string;
  /** Path with secrets replaced by `***`. */
  readonly path: string;
  /** Header values; those that may be secret are replaced by `***`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Requests of this API that were in progress when this one arrived, itself included. */
  readonly concurrent: number;
  /** Absent while no answer was sent, and for good when a fault withheld it. */
  status?: number;
  /** Length of the answer's body in bytes, as it went out; absent like `status`. */
  answerBytes?: number;
  /** The first 2 KB of the answer's body. */
  answer?: string;
  /** Headers of the answer, without those that every answer has. */
  answerHeaders?: Readonly<Record<string, string>>;
  /**
   * Milliseconds of the machine's own clock, to a tenth: from the arrival of the head until the answer was handed over, or withheld.
   * Absent while the request is in progress.
   */
  durationMs?: number;
  /** Kind of the fault that met the request. */
  fault?: string;
  /** What the commit changed, once it was applied. */
  commit?: CommitRecord;
}

/** Which entries to find: every member given must be equal. */
export interface JournalFilter
  extends Partial<Pick<JournalEntry, "cmd" | "url" | "op" | "api" | "client" | "type" | "status" | "run">> {}

/** Which part of the entries that match. */
export interface JournalRange {
  /** Only entries with at least this index; default: from the oldest. */
  readonly since?: number;
  /** Only so many, the newest; default: all. */
  readonly limit?: number;
}

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

  /** @param runs What sorts requests into runs. */
  constructor(
    readonly runs: Runs,
    private readonly limits: JournalLimits = OPTIONS.journal,
  ) {}

  /** @param label What the client calls its run. */
  add(entry: Omit<JournalEntry, "index" | "run">, label?: string): JournalEntry {
    const added: JournalEntry = { index: this.next, run: this.runs.enter(entry.time, label), ...entry };
    this.next += 1;
    this.entries.push(added);
    this.items += added.data?.length ?? 0;
    while (this.entries.length > this.limits.requests || (this.items > this.limits.items && this.entries.length > 1)) {
      this.items -= this.entries.shift()?.data?.length ?? 0;
    }
    return added;
  }

  /** Says what a commit changed: at once, or later than its answer. */
  committed(entry: JournalEntry, commit: CommitRecord): void {
    entry.commit = commit;
    this.runs.commit(entry.run, commit);
  }

  /** Says that the entry will not change any more (a commit that applies late still adds `commit`). */
  settled(entry: JournalEntry): void {
    this.runs.leave(entry);
    for (const listener of this.listeners) listener(entry);
  }

  /** Calls back with every entry once it is answered. Returns what ends it. */
  listen(listener: (entry: JournalEntry) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** The entries that match, oldest first. */
  find(filter: JournalFilter = {}, { since = 0, limit = Number.POSITIVE_INFINITY }: JournalRange = {}): JournalEntry[] {
    const found = this.entries.filter((entry) => entry.index >= since && matches(entry, filter));
    return found.slice(Math.max(found.length - limit, 0));
  }

  clear(): void {
    this.entries.length = 0;
    this.runs.clear();
    this.items = 0;
  }
}

/** Whether every member of the filter is equal in the entry. */
export function matches(entry: JournalEntry, filter: JournalFilter): boolean {
  const keys = Object.keys(filter) as (keyof JournalFilter)[];
  return keys.every((key) => filter[key] === undefined || entry[key] === filter[key]);
}

/** Upper bounds of the buckets of durations, in seconds. */
export const DURATION_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** What is counted of the requests of one API, operation and status. */
export interface RequestCount {
  readonly labels: Readonly<Record<string, string>>;
  count: number;
  bytes: number;
  /** Seconds of all of them together. */
  seconds: number;
  /** How many lie in each bucket: at or below its bound and above the one before; the last has no bound. */
  readonly buckets: number[];
}

/** Counts of requests by API, operation and status: what metrics show, also of requests that the journal has dropped. */
export class RequestCounts {
  private readonly requests = new Map<string, RequestCount>();
  private readonly faults = new Map<string, number>();

  /** To be called with each entry once it is answered. */
  readonly count = ({ api, cmd, op, status, answerBytes = 0, durationMs = 0, fault }: JournalEntry): void => {
    const labels = { api, operation: cmd ?? op ?? "none", status: String(status ?? "none") };
    const key = Object.values(labels).join(" ");
    const buckets = new Array<number>(DURATION_BOUNDS.length + 1).fill(0);
    const counted = this.requests.get(key) ?? { labels, count: 0, bytes: 0, seconds: 0, buckets };
    const seconds = durationMs / 1000;
    const within = DURATION_BOUNDS.findIndex((bound) => seconds <= bound);
    const bucket = within < 0 ? DURATION_BOUNDS.length : within;
    counted.buckets[bucket] = (counted.buckets[bucket] ?? 0) + 1;
    counted.count += 1;
    counted.bytes += answerBytes;
    counted.seconds += seconds;
    this.requests.set(key, counted);
    if (fault) this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1);
  };

  byRequest(): Iterable<RequestCount> {
    return this.requests.values();
  }

  byFault(): Iterable<[kind: string, count: number]> {
    return this.faults;
  }
}
