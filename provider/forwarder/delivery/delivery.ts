import { EventEmitter, on } from "node:events";
import { pause } from "../../client/clock";
import type { LiveConfig } from "../config/config";
import { TIMES } from "../defaults";
import type { LedgerStatus } from "../ledger/protocol";
import type { Sink } from "../sinks/sink";
import { Losses } from "../telling/losses";
import { type Log, tellSetAside } from "../telling/troubles";
import { endsWithin } from "../world";
import { RejectedFiles } from "./rejected";
import { type DeliveryParts, SinkRunner } from "./sink-runner";
import { batchOf, deadlineOf } from "./sinks";
import { type SinkView, SpoolView } from "./spool-view";

interface RunningSink {
  readonly runner: SinkRunner;
  readonly rejected: RejectedFiles;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

/** Empties the ledger, with a runner for each sink. Watches their backlogs, for metrics and for `/readyz`. */
export class Delivery {
  private readonly spool: SpoolView;
  private readonly running = new Map<string, RunningSink>();
  /** Deliveries that have not ended, also those to sinks that have left. */
  private readonly work = new Set<Promise<void>>();
  /** Sinks whose marks move. */
  private readonly marks = new EventEmitter().setMaxListeners(0);
  /** Sinks that are gone for good. */
  private readonly gone = new Set<string>();
  private readonly over = new AbortController();
  private signal: AbortSignal | undefined;
  /** Undelivered records of the sinks, as of the last second. */
  status: LedgerStatus = { sinks: [], bytes: 0, lost: [], freeBytes: 0, setAside: 0 };
  readonly losses: Losses;
  /** When the ledger answered last. */
  private answeredAt: number;

  constructor(
    private readonly parts: DeliveryParts & {
      readonly log: Log;
      readonly config: LiveConfig;
      /** True for a table that is read: for no other is a sink behind. Default: none is. */
      readonly isRead?: (table: string) => boolean;
    },
    private readonly sinks: readonly (readonly [name: string, sink: Sink])[],
  ) {
    this.spool = new SpoolView({ ...parts, reserveBytes: () => parts.config.current.reserveBytes });
    this.losses = new Losses(parts);
    this.answeredAt = parts.world.monotonic();
  }

  /** Delivers until the signal aborts. What was not acknowledged then stays in the spool. */
  async run(signal: AbortSignal): Promise<void> {
    this.signal = signal;
    for (const [name, sink] of this.sinks) this.begin(name, sink);
    await this.watch(signal);
    await Promise.all(this.work);
  }

  /** Ends the delivery to a sink, within a bounded time. What it has not acknowledged stays in the spool. */
  async end(name: string): Promise<void> {
    const running = this.running.get(name);
    this.running.delete(name);
    running?.stop.abort();
    if (running) await endsWithin(this.parts.world, TIMES.stopMs, running.done);
  }

  begin(name: string, sink: Sink): void {
    const { config, world, troubles, log, metrics } = this.parts;
    // Of a former runner, which ends them no more.
    troubles.forget((key) => key === `rejected-full/${name}` || key === `stuck/${name}`);
    metrics.set("stuck", 0, { sink: name });
    const stop = new AbortController();
    const rejected = RejectedFiles.of(config, name, () => world.wall());
    const runner = new SinkRunner(name, sink, {
      ...this.parts,
      limits: batchOf(config, name),
      deadlineMs: () => deadlineOf(config, name),
      filter: () => config.current.sinks.find((one) => one.name === name)?.only,
      rejected,
      losses: this.losses,
      acknowledged: () => {
        troubles.end(`full/${name}`, { sink: name }, `Sink "${name}" has room in the spool again.`);
        this.marks.emit("moved", name);
      },
      gone: (reason) => {
        log.info(
          { sink: name },
          `Sink "${name}" has ended: ${reason}. Records that it has not taken stay in the spool.`,
        );
        this.gone.add(name);
        this.marks.emit("moved", name);
        this.over.abort();
      },
    });
    const signal = AbortSignal.any([stop.signal, ...(this.signal ? [this.signal] : [])]);
    const done = runner.run(signal);
    this.running.set(name, { runner, rejected, stop, done });
    this.work.add(done);
    void done.finally(() => this.work.delete(done));
  }

  /** A sink was removed, or has another limit: tables that wait for it try again. */
  changed(name: string): void {
    this.parts.troubles.forget((key) => key === `full/${name}`);
    this.marks.emit("moved", name);
  }

  /** Records are in the spool. */
  wake(): void {
    for (const { runner } of this.running.values()) runner.wake();
  }

  /** A table waits: resolves when one of these sinks has acknowledged something, or when the signal aborts. */
  room(table: string, sinks: readonly string[], signal: AbortSignal): Promise<void> {
    return this.spool.pausing(table, sinks, this.acknowledgement(sinks, signal));
  }

  /** Waits until every sink that is not gone has taken all that is in the spool. @returns false when time or the signal was sooner. */
  async drained(patienceMs: number, signal?: AbortSignal): Promise<boolean> {
    const patience = new AbortController();
    const empty = this.emptied(signal ? AbortSignal.any([signal, patience.signal]) : patience.signal);
    // The time also ends while the ledger does not answer.
    const isOver = await endsWithin(this.parts.world, patienceMs, empty);
    patience.abort();
    return isOver && (await empty);
  }

  /** Aborts when a sink is gone for good. */
  get ended(): AbortSignal {
    return this.over.signal;
  }

  /** For how long the ledger has not answered. */
  get silentMs(): number {
    return this.parts.world.monotonic() - this.answeredAt;
  }

  /** Fill of the spool for each sink, and the tables that wait for it. */
  get view(): readonly SinkView[] {
    return this.spool.sinks;
  }

  /** True when a sink has refused something for good. */
  get hasRefused(): boolean {
    return [...this.running.keys()].some(
      (name) => this.parts.metrics.get("rejected_records_total", { sink: name }) > 0,
    );
  }

  /** Looks every second, until the signal aborts. */
  private async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.look();
      await pause(this.parts.world, TIMES.backlogEveryMs, signal);
    }
  }

  /** Resolves when one of these sinks, or any, has acknowledged something, or when the signal aborts. */
  private async acknowledgement(sinks: readonly string[] | undefined, signal: AbortSignal): Promise<void> {
    try {
      for await (const [sink] of on(this.marks, "moved", { signal })) if (!sinks || sinks.includes(sink)) return;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  private async emptied(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      const acknowledged = this.acknowledgement(undefined, signal);
      const isAnswered = await this.look();
      if (isAnswered && this.status.sinks.every(({ name, records }) => records === 0 || this.gone.has(name)))
        return true;
      if (signal.aborted) return false;
      await (isAnswered ? acknowledged : pause(this.parts.world, TIMES.backlogEveryMs, signal));
    }
  }

  /** @returns whether the ledger answered. */
  private async look(): Promise<boolean> {
    const { ledger, metrics, troubles, world, log, isRead = () => false } = this.parts;
    try {
      const status = await ledger.status();
      const sinks = status.sinks.map((sink) => ({ ...sink, behind: sink.behind.filter(isRead) }));
      this.status = { ...status, sinks };
      this.answeredAt = world.monotonic();
      if (this.status.lastAside) tellSetAside(log, this.status.lastAside);
      this.losses.add(status.lost);
      this.losses.report();
      troubles.flush();
    } catch {
      // Readers and writers of the ledger report its failures.
      return false;
    }
    metrics.set("spool_bytes", this.status.bytes);
    metrics.set("state_free_bytes", this.status.freeBytes);
    metrics.set("stores_set_aside_total", this.status.setAside);
    const rejected = [...this.running].map(async ([name, sink]) => [name, await sink.rejected.waiting()] as const);
    for (const { name, behind } of this.status.sinks) {
      const [key, members] = [`behind/${name}`, { sink: name }];
      if (behind.length === 0) troubles.end(key, members, `Sink "${name}" gets all its tables again.`);
      else troubles.begin(key, members, missedBy(name));
    }
    this.spool.take(this.status, new Map(await Promise.all(rejected)));
    return true;
  }
}

function missedBy(sink: string): string {
  return `The spool is full for sink "${sink}": new records are kept for the other sinks only. When it has taken half of its spool, it gets its tables from the start, each with a reset.`;
}
