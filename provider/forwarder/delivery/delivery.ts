import { join } from "node:path";
import type { LedgerStatus } from "../ledger/protocol";
import type { Log } from "../operating/troubles";
import type { Sink } from "../sinks/sink";
import { BacklogWatch } from "./backlog";
import { RejectedFiles } from "./rejected";
import { type DeliveryParts, SinkRunner } from "./sink-runner";

/** Empties the ledger: a runner a sink, and what waits for them. */
export class Delivery {
  private readonly backlog: BacklogWatch;
  private readonly runners: SinkRunner[];
  private readonly gone = new AbortController();

  constructor(
    private readonly parts: DeliveryParts & {
      readonly log: Log;
      /** The folder of the state. */
      readonly state: string;
    },
    sinks: readonly (readonly [name: string, sink: Sink])[],
  ) {
    this.backlog = new BacklogWatch(parts);
    this.runners = sinks.map(([name, sink]) => this.runnerOf(name, sink));
  }

  /** Delivers until the signal aborts. What was not acknowledged then stays in the spool. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.runners.map((runner) => runner.run(signal)), this.backlog.watch(signal)]);
  }

  /** Records are in the spool. */
  wake(): void {
    for (const runner of this.runners) runner.wake();
  }

  /** Resolves when one of these sinks has acknowledged something, or when the signal aborts. */
  room(sinks: readonly string[], signal: AbortSignal): Promise<void> {
    return this.backlog.acknowledgement(sinks, signal);
  }

  /** Waits until every sink has taken all that is in the spool. @returns false when time or the signal was sooner. */
  async drained(patienceMs: number, signal?: AbortSignal): Promise<boolean> {
    const patience = new AbortController();
    const cancel = this.parts.world.after(patienceMs, () => patience.abort());
    const empty = await this.backlog.drained(signal ? AbortSignal.any([signal, patience.signal]) : patience.signal);
    cancel();
    return empty;
  }

  /** Aborts when a sink is gone for good. */
  get ended(): AbortSignal {
    return this.gone.signal;
  }

  /** What the sinks have not taken yet, as of the last second. */
  get status(): LedgerStatus {
    return this.backlog.last;
  }

  /** True when a sink has refused something for good. */
  get hasRefused(): boolean {
    return this.runners.some(({ name }) => this.parts.metrics.get("rejected_records_total", { sink: name }) > 0);
  }

  private runnerOf(name: string, sink: Sink): SinkRunner {
    const { log, state, ...parts } = this.parts;
    const folder = join(state, "rejected", name.replaceAll(" ", "-"));
    return new SinkRunner(name, sink, {
      ...parts,
      rejected: new RejectedFiles(folder, () => parts.world.wall()),
      acknowledged: () => {
        parts.troubles.end(`full/${name}`, { sink: name }, `Sink "${name}" has room in the spool again.`);
        this.backlog.moved(name);
      },
      gone: (reason) => {
        log.info({ sink: name }, `Sink "${name}" has ended: ${reason}. What it had not taken stays in the spool.`);
        this.backlog.giveUp(name);
        this.gone.abort();
      },
    });
  }
}
