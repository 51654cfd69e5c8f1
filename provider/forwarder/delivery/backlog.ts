import { TIMES } from "../defaults";
import type { Ledger, LedgerStatus } from "../ledger/protocol";
import type { Metrics } from "../operating/metrics";
import { type ForwarderWorld, pause } from "../world";

interface Waiter {
  /** Absent: any. */
  readonly sinks: readonly string[] | undefined;
  proceed(): void;
}

/** What the sinks have not taken yet: for metrics, and for callers that wait until there is less of it. */
export class BacklogWatch {
  private readonly waiters = new Set<Waiter>();
  private readonly gone = new Set<string>();
  private status: LedgerStatus = { sinks: [], bytes: 0, setAside: 0 };

  constructor(
    private readonly parts: { readonly ledger: Ledger; readonly metrics: Metrics; readonly world: ForwarderWorld },
  ) {}

  /** As of the last look. */
  get last(): LedgerStatus {
    return this.status;
  }

  /** Looks every second, until the signal aborts. */
  async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.look();
      await pause(this.parts.world, TIMES.backlogEveryMs, signal);
    }
  }

  /** Says that a sink's mark has moved. */
  moved(sink: string): void {
    for (const { sinks, proceed } of [...this.waiters]) if (!sinks || sinks.includes(sink)) proceed();
  }

  /** Resolves when one of these sinks, or any, has acknowledged something, or when the signal aborts. */
  acknowledgement(sinks: readonly string[] | undefined, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const proceed = (): void => {
        this.waiters.delete(waiter);
        signal.removeEventListener("abort", proceed);
        resolve();
      };
      const waiter = { sinks, proceed };
      this.waiters.add(waiter);
      signal.addEventListener("abort", proceed, { once: true });
      if (signal.aborted) proceed();
    });
  }

  /** Ends all waiting for a sink: what it wrote to is gone. */
  giveUp(sink: string): void {
    this.gone.add(sink);
    this.moved(sink);
  }

  /** Waits until every sink has taken all that is in the spool, but for those that are gone; false when the signal aborts first. */
  async drained(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      const acknowledged = this.acknowledgement(undefined, signal);
      await this.look();
      if (this.status.sinks.every(({ name, records }) => records === 0 || this.gone.has(name))) return true;
      if (signal.aborted) return false;
      await acknowledged;
    }
  }

  private async look(): Promise<void> {
    const { ledger, metrics, world } = this.parts;
    try {
      this.status = await ledger.status();
    } catch {
      // What reads or writes the ledger says what is wrong with it.
      return;
    }
    metrics.set("spool_bytes", this.status.bytes);
    metrics.set("stores_set_aside_total", this.status.setAside);
    for (const { name, records, bytes, oldest, dropped } of this.status.sinks) {
      const labels = { sink: name };
      metrics.set("lag_records", records, labels);
      metrics.set("lag_bytes", bytes, labels);
      metrics.set("lag_seconds", oldest === undefined ? 0 : Math.max(0, world.wall() - oldest) / 1_000, labels);
      metrics.set("dropped_records_total", dropped, labels);
    }
  }
}
