import { JOURNAL, OPTIONS } from "../defaults";
import type { CommitRecord } from "../state/prefix-set-store";
import { type JournalEntry, type JournalFilter, matches, type OpenEntry } from "./entry";
import type { Runs } from "./runs";
import type { JournalRange } from "./schema-types";

export type { JournalRange } from "./schema-types";

/** Limits of a journal. */
export interface JournalLimits {
  /** Requests, 20 000 by default. */
  readonly requests: number;
  /** Data items of all requests together, two million by default. */
  readonly items: number;
}

/** Requests to the emulator, in the order of their completion. Bounded: the oldest are dropped first. */
export class Journal {
  private next = 0;
  private items = 0;
  private readonly listeners = new Set<(entry: JournalEntry) => void>();
  private readonly late = new Set<(entry: JournalEntry) => void>();

  readonly entries: JournalEntry[] = [];
  /** Counts of dropped entries. */
  readonly dropped = new DroppedRequests();

  /** @param runs Assigns requests to runs. */
  constructor(
    readonly runs: Runs,
    private readonly limits: JournalLimits = OPTIONS.journal,
  ) {}

  /** @param label The client's label of its run. */
  add(entry: Omit<JournalEntry, "index" | "run">, label?: string): OpenEntry {
    const added: OpenEntry = { index: this.next, ...this.runs.enter(entry.time, label), ...entry };
    this.next += 1;
    this.entries.push(added);
    this.items += added.data?.length ?? 0;
    while (this.entries.length > this.limits.requests || (this.items > this.limits.items && this.entries.length > 1)) {
      const oldest = this.entries.shift();
      if (oldest) this.dropped.add(oldest);
      this.items -= oldest?.data?.length ?? 0;
    }
    return added;
  }

  /** Adds the changes of a commit, at once or after its answer. An entry that the journal no longer has is not told again. */
  committed(entry: OpenEntry, commit: CommitRecord): void {
    entry.commit = commit;
    this.runs.commit(entry.run, commit);
    if (entry.durationMs === undefined || entry.index < (this.entries[0]?.index ?? this.next)) return;
    for (const listener of this.late) listener(entry);
  }

  /** Marks the entry as final, except that a late commit adds `commit`. */
  settled(entry: JournalEntry): void {
    this.runs.leave(entry);
    for (const listener of this.listeners) listener(entry);
  }

  /** Calls back with every entry once it is answered. Returns the function that ends this. */
  listen(listener: (entry: JournalEntry) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** As {@link listen}, and once more when a commit is applied after its answer. */
  follow(listener: (entry: JournalEntry) => void): () => void {
    this.late.add(listener);
    const stop = this.listen(listener);
    return () => this.late.delete(listener) && stop();
  }

  /** The matching entries, oldest first. */
  find(filter: JournalFilter = {}, { since = 0, limit = Number.POSITIVE_INFINITY }: JournalRange = {}): JournalEntry[] {
    const meant = this.meant(filter);
    const found = this.entries.filter((entry) => entry.index >= since && matches(entry, meant));
    return found.slice(Math.max(found.length - limit, 0));
  }

  /** Turns a run of digits into a number unless a run has this label, since queries carry only texts. */
  meant(filter: JournalFilter): JournalFilter {
    const { run } = filter;
    if (typeof run !== "string" || !/^\d{1,15}$/.test(run) || this.runs.has(run)) return filter;
    return { ...filter, run: Number(run) };
  }

  clear(): void {
    this.dropped.clear();
    this.entries.length = 0;
    this.runs.clear();
    this.items = 0;
  }
}

/** Upper bounds of the buckets of durations, in seconds. */
export const DURATION_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** Counts of the requests of one API, operation and status. */
export interface RequestCount {
  readonly labels: Readonly<Record<string, string>>;
  count: number;
  bytes: number;
  /** Total seconds. */
  seconds: number;
  /** Number in each bucket: at or below its bound and above the previous one; the last has no bound. */
  readonly buckets: number[];
}

/** Counts of requests by API, operation and status, for metrics; includes requests that the journal has dropped. */
export class RequestCounts {
  /** Counts by API, operation and status. */
  readonly requests = new Map<string, RequestCount>();
  /** Number of requests affected by each kind of fault. */
  readonly faults = new Map<string, number>();

  /** Counts an entry once it is answered. */
  readonly count = ({ api, cmd, op, status, answerBytes = 0, durationMs = 0, fault }: JournalEntry): void => {
    const labels = { api, operation: cmd ?? op ?? "none", status: String(status ?? "none") };
    const key = Object.values(labels).join(" ");
    const buckets = new Array<number>(DURATION_BOUNDS.length + 1).fill(0);
    const counted = this.requests.get(key) ?? { labels, count: 0, bytes: 0, seconds: 0, buckets };
    const seconds = durationMs / 1000;
    const bucket = [...DURATION_BOUNDS, Number.POSITIVE_INFINITY].findIndex((bound) => seconds <= bound);
    counted.buckets[bucket] = (counted.buckets[bucket] ?? 0) + 1;
    counted.count += 1;
    counted.bytes += answerBytes;
    counted.seconds += seconds;
    this.requests.set(key, counted);
    if (fault) this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1);
  };
}

/** Numbers of requests that the journal has dropped, by kind, so that assertions consider them. */
class DroppedRequests {
  private readonly kinds = new Map<string, { readonly example: JournalEntry; count: number }>();
  /** Number of the other kinds, beyond those that are counted separately. */
  private others = 0;

  add({ data: _, ...entry }: JournalEntry): void {
    const { cmd, op, api, url, client, type, status, run, label } = entry;
    const key = JSON.stringify([cmd, op, api, url, client, type, status, run, label]);
    const kind = this.kinds.get(key);
    if (kind) kind.count += 1;
    else if (this.kinds.size < JOURNAL.droppedKinds) this.kinds.set(key, { example: entry, count: 1 });
    else this.others += 1;
  }

  /** Number of dropped requests that match or may match: their content, and sometimes their status, is unknown. */
  count({ contains: _, status, ...filter }: JournalFilter): number {
    const found = [...this.kinds.values()].filter(
      ({ example }) =>
        matches(example, filter) && (status === undefined || example.status === undefined || example.status === status),
    );
    return found.reduce((sum, { count }) => sum + count, this.others);
  }

  clear(): void {
    this.kinds.clear();
    this.others = 0;
  }
}

/** The beginning of a longer text. It is a copy: a mere part of a text keeps the whole one in memory. */
export function beginning(text: string, most: number = JOURNAL.itemCharacters): string {
  return text.length > most ? structuredClone(`${text.slice(0, most)}…`) : text;
}

/** True if the journal has only a beginning of a text, or of a text in a data item. */
export function isBeginning(item: unknown): boolean {
  if (typeof item === "object" && item !== null) return Object.values(item).some(isBeginning);
  return typeof item === "string" && item.endsWith("…");
}

/** A data item for the journal: one that is longer than any valid item is the beginning of its JSON. */
export function keptItem(item: unknown): unknown {
  if (typeof item === "string") return beginning(item);
  return isShort(item) ? item : beginning(JSON.stringify(item));
}

function isShort(item: unknown): boolean {
  if (typeof item !== "object" || item === null) return true;
  let characters = 0;
  for (const name in item) {
    const member: unknown = item[name as keyof typeof item];
    characters += name.length + (typeof member === "string" ? member.length : 1);
    if (characters > JOURNAL.itemCharacters) return false;
  }
  return true;
}
