import { JOURNAL } from "../defaults";
import type { JournalEntry } from "./entry";
import { type JournalFilter, matches } from "./filter";

/** Requests that the journal has dropped: how many there were of each kind, so that no assertion overlooks them. */
export class DroppedRequests {
  private readonly kinds = new Map<string, { readonly example: JournalEntry; count: number }>();
  /** Of kinds beyond those that are told apart. */
  private others = 0;

  add({ data: _, ...entry }: JournalEntry): void {
    const { cmd, op, api, url, client, type, status, run, label } = entry;
    const key = JSON.stringify([cmd, op, api, url, client, type, status, run, label]);
    const kind = this.kinds.get(key);
    if (kind) kind.count += 1;
    else if (this.kinds.size < JOURNAL.droppedKinds) this.kinds.set(key, { example: entry, count: 1 });
    else this.others += 1;
  }

  /** How many of them match, or could: what they held is not known, nor the status of those without one. */
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
