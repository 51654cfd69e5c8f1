import type { JournalEntry } from "./journal";

/** Counts of requests by API, operation and status: what metrics show, also of requests that the journal has dropped. */
export class RequestCounts {
  private readonly requests = new Map<string, { labels: Record<string, string>; count: number; bytes: number }>();
  private readonly faults = new Map<string, number>();

  /** To be called with each entry once it is answered. */
  readonly count = ({ api, cmd, op, status, answerBytes = 0, fault }: JournalEntry): void => {
    const labels = { api, operation: cmd ?? op ?? "none", status: String(status ?? "none") };
    const key = Object.values(labels).join(" ");
    const known = this.requests.get(key) ?? { labels, count: 0, bytes: 0 };
    known.count += 1;
    known.bytes += answerBytes;
    this.requests.set(key, known);
    if (fault) this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1);
  };

  byRequest(): Iterable<{ labels: Record<string, string>; count: number; bytes: number }> {
    return this.requests.values();
  }

  byFault(): Iterable<[kind: string, count: number]> {
    return this.faults;
  }
}
