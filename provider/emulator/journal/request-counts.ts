import type { JournalEntry } from "./journal";

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
    const known = this.requests.get(key) ?? { labels, count: 0, bytes: 0, seconds: 0, buckets };
    const seconds = durationMs / 1000;
    const within = DURATION_BOUNDS.findIndex((bound) => seconds <= bound);
    const bucket = within < 0 ? DURATION_BOUNDS.length : within;
    known.buckets[bucket] = (known.buckets[bucket] ?? 0) + 1;
    known.count += 1;
    known.bytes += answerBytes;
    known.seconds += seconds;
    this.requests.set(key, known);
    if (fault) this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1);
  };

  byRequest(): Iterable<RequestCount> {
    return this.requests.values();
  }

  byFault(): Iterable<[kind: string, count: number]> {
    return this.faults;
  }
}
