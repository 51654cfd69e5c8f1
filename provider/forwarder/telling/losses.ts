import { TIMES } from "../defaults";
import { LOSS_CAUSES, type Loss } from "../loss";
import { tableOf } from "../table";
import type { ForwarderWorld } from "../world";
import type { Metrics } from "./metrics";
import type { Log } from "./troubles";

/** Tables of one line: with more, the others are one number. */
const MOST_TABLES = 20;

/**
 * Counts every record that will not be delivered: in `lost_records_total` at once, and in the log, one line a minute at most for a
 * sink and a cause.
 */
export class Losses {
  /** Losses that no line reports yet: by sink and cause, and by table. */
  private readonly open = new Map<string, Map<string, Loss>>();
  private readonly loggedAt = new Map<string, number>();

  constructor(
    private readonly parts: { readonly log: Log; readonly metrics: Metrics; readonly world: ForwarderWorld },
  ) {}

  add(losses: readonly Loss[]): void {
    for (const loss of losses) {
      const { sink, cause, records } = loss;
      this.parts.metrics.add("lost_records_total", { sink, cause }, records);
      const key = `${sink}/${cause}`;
      const tables = this.open.get(key) ?? new Map<string, Loss>();
      this.open.set(key, tables);
      const before = tables.get(loss.table);
      tables.set(loss.table, before ? together(before, loss) : loss);
    }
  }

  /** Logs what is due. @param isEnd True at the end: all of it. */
  report(isEnd = false): void {
    const now = this.parts.world.monotonic();
    for (const [key, losses] of [...this.open].sort(([one], [other]) => rankOf(one) - rankOf(other))) {
      const last = this.loggedAt.get(key) ?? Number.NEGATIVE_INFINITY;
      if (!isEnd && now - last < TIMES.lossEveryMs) continue;
      this.loggedAt.set(key, now);
      this.open.delete(key);
      this.writeLine([...losses.values()]);
    }
  }

  private writeLine(losses: readonly Loss[]): void {
    const { log } = this.parts;
    const [{ sink, cause } = { sink: "", cause: "full" as const }] = losses;
    const { records, first, last } = losses.reduce(together);
    const largest = losses.toSorted((a, b) => b.records - a.records);
    const shown = largest.slice(0, MOST_TABLES);
    const others = largest.length - shown.length;
    const tables = shown.map((one) => ({ ...tableOf(one.table), records: one.records }));
    const [from, to] = [first, last].map((time) => new Date(time).toISOString());
    const names = shown.map((one) => `${one.table} ${one.records}`).join(", ");
    const more = others > 0 ? `, and ${others} more tables` : "";
    const message = `Sink "${sink}" will not get ${records} records, listed from ${from} to ${to}: ${LOSS_CAUSES[cause]}. Tables: ${names}${more}.`;
    const members = { sink, cause, records, from, to, tables };
    if (cause === "missed" || cause === "removed") log.warn(members, message);
    else log.error(members, message);
  }
}

/** Place of the cause of a key among all: the gravest comes first. */
function rankOf(key: string): number {
  return Object.keys(LOSS_CAUSES).indexOf(key.slice(key.lastIndexOf("/") + 1));
}

function together(one: Loss, other: Loss): Loss {
  return {
    ...one,
    records: one.records + other.records,
    first: Math.min(one.first, other.first),
    last: Math.max(one.last, other.last),
  };
}
