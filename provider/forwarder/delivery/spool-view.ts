import { TIMES } from "../defaults";
import type { Backlog, LedgerStatus } from "../ledger/protocol";
import type { Metrics } from "../telling/metrics";
import type { ForwarderWorld } from "../world";
import type { Waiting } from "./rejected";

/** A sink's part of the spool: how full it is, and which tables wait for it. */
export interface SinkView extends Omit<Backlog, "oldestNow"> {
  /** Seconds until the limit is reached or the disk is full, if it grows as in the last minute: 0 while tables wait or are behind, else infinite while it does not grow. */
  readonly fullInSeconds: number;
  /** Tables that are not polled until this sink has room. */
  readonly pausedTables: readonly string[];
  /** Its dead letters. */
  readonly rejected: Waiting;
}

/** Name of no sink, for the samples of the whole spool. */
const ALL = "";
const NONE: Waiting = { records: 0, bytes: 0 };

/** Fill of the spool for each sink, its trend, and the tables that wait: for metrics and for `/readyz`. */
export class SpoolView {
  private views: readonly SinkView[] = [];
  /** Samples of the unacknowledged bytes of a sink. */
  private readonly samples = new Map<string, { readonly at: number; readonly bytes: number }[]>();
  private readonly paused = new Map<string, Set<string>>();

  constructor(
    private readonly parts: {
      readonly metrics: Metrics;
      readonly world: ForwarderWorld;
      /** Bytes of the disk that stay free. */
      reserveBytes(): number;
    },
  ) {}

  /** As of the last status. */
  get sinks(): readonly SinkView[] {
    return this.views.map((view) => ({ ...view, pausedTables: [...(this.paused.get(view.name) ?? [])].sort() }));
  }

  take({ sinks, bytes: all, freeBytes }: LedgerStatus, letters: ReadonlyMap<string, Waiting>): void {
    const { metrics, world, reserveBytes } = this.parts;
    // All sinks share the disk.
    const onDisk = secondsUntil(freeBytes - reserveBytes(), this.growth({ name: ALL, bytes: all }));
    this.views = sinks.map(({ oldestNow, ...backlog }) => {
      const { name, bytes, records, oldest, limitBytes } = backlog;
      const growth = this.growth(backlog);
      const left = growth === 0 ? Number.POSITIVE_INFINITY : Math.min(onDisk, secondsUntil(limitBytes - bytes, growth));
      const fullInSeconds = this.paused.get(name)?.size || backlog.behind.length > 0 ? 0 : left;
      const listed = oldestNow ?? oldest;
      const now = oldestNow === undefined ? world.wall() : world.monotonic();
      const late = listed === undefined ? 0 : Math.max(0, now - listed) / 1_000;
      const labels = { sink: name };
      metrics.set("lag_records", records, labels);
      metrics.set("lag_bytes", bytes, labels);
      metrics.set("lag_seconds", late, labels);
      metrics.set("spool_limit_bytes", limitBytes, labels);
      metrics.set("spool_full_in_seconds", fullInSeconds, labels);
      const rejected = letters.get(name) ?? NONE;
      metrics.set("behind_tables", backlog.behind.length, labels);
      metrics.set("rejected_records", rejected.records, labels);
      metrics.set("rejected_bytes", rejected.bytes, labels);
      return { ...backlog, fullInSeconds, pausedTables: [], rejected };
    });
    for (const name of this.samples.keys())
      if (name !== ALL && !sinks.some((one) => one.name === name)) this.samples.delete(name);
  }

  /** Notes that a table waits for sinks, until `over`. */
  async pausing(table: string, sinks: readonly string[], over: Promise<void>): Promise<void> {
    for (const sink of sinks) this.note(sink, (tables) => tables.add(table));
    await over.finally(() => {
      for (const sink of sinks) this.note(sink, (tables) => tables.delete(table));
    });
  }

  private note(sink: string, change: (tables: Set<string>) => void): void {
    const tables = this.paused.get(sink) ?? new Set();
    change(tables);
    this.paused.set(sink, tables);
    this.parts.metrics.set("paused_tables", tables.size, { sink });
  }

  /** Bytes a second in the last minute; 0 while it does not grow. */
  private growth({ name, bytes }: Pick<Backlog, "name" | "bytes">): number {
    const now = this.parts.world.monotonic();
    const samples = this.samples.get(name) ?? [];
    this.samples.set(name, samples);
    samples.push({ at: now, bytes });
    while ((samples[1]?.at ?? now) <= now - TIMES.spoolTrendMs) samples.shift();
    const [first] = samples;
    return first && first.at < now ? Math.max(0, ((bytes - first.bytes) / (now - first.at)) * 1_000) : 0;
  }
}

/** Seconds until so many bytes are taken; infinite without growth, also where none are left. */
function secondsUntil(room: number, growth: number): number {
  return growth === 0 ? Number.POSITIVE_INFINITY : Math.max(0, room) / growth;
}
