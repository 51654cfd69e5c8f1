import { messageOf } from "../../model/errors";
import type { SecretFiles } from "../config/secret-files";
import { TIMES } from "../defaults";
import type { Ledger, Portion } from "../ledger/protocol";
import type { Metrics } from "../operating/metrics";
import type { Troubles } from "../operating/troubles";
import { type ForwardRecord, readBatch } from "../record/record";
import { type Sink, SinkFailure, SinkGone } from "../sinks/sink";
import { nextTurn } from "../slices";
import { type ForwarderWorld, growingPause, pause } from "../world";
import type { RejectedFiles } from "./rejected";

/** What delivering needs of the forwarder. */
export interface DeliveryParts {
  readonly ledger: Ledger;
  readonly metrics: Metrics;
  readonly troubles: Troubles;
  readonly world: ForwarderWorld;
  readonly secrets: Pick<SecretFiles, "refresh">;
}

/** What delivering to one sink needs. */
interface RunnerParts extends DeliveryParts {
  readonly rejected: RejectedFiles;
  /** The sink's mark has moved. */
  acknowledged(): void;
  /** There is no sink any more. */
  gone(reason: string): void;
}

/**
 * Delivers what the spool holds to one sink, in order and at the sink's own pace: read, deliver, acknowledge. A failure is
 * repeated for ever, from 1 s to 30 s apart, and delays no other sink. The mark moves only when every record of a portion is
 * acknowledged by the sink or is on the disk as refused.
 */
export class SinkRunner {
  private awake = (): void => {};

  constructor(
    readonly name: string,
    private readonly sink: Sink,
    private readonly parts: RunnerParts,
  ) {}

  /** There may be something to deliver. */
  wake(): void {
    this.awake();
  }

  /** Delivers until the signal aborts. What was not acknowledged then stays in the spool. */
  async run(signal: AbortSignal): Promise<void> {
    const { ledger, troubles, world } = this.parts;
    signal.addEventListener("abort", () => this.wake(), { once: true });
    for (let failures = 0; !signal.aborted; ) {
      const woken = new Promise<void>((resolve) => {
        this.awake = resolve;
      });
      let portion: Portion | undefined;
      try {
        portion = await ledger.next(this.name, this.sink.maxRecords);
        failures = 0;
      } catch (error) {
        troubles.begin(`spool/${this.name}`, { sink: this.name }, `The spool cannot be read: ${messageOf(error)}.`);
        await pause(world, this.grown(++failures), signal);
        continue;
      }
      if (!portion) await woken;
      else if (await this.deliver(portion, signal)) await this.acknowledge(portion);
      else break;
    }
    await this.sink.close();
  }

  /** False when the signal aborted first, or the sink is gone. */
  private async deliver(portion: Portion, signal: AbortSignal): Promise<boolean> {
    const { metrics, troubles, world } = this.parts;
    const labels = { sink: this.name };
    let left: readonly ForwardRecord[] = await this.recordsOf(portion);
    for (let failures = 0; left.length > 0; ) {
      if (signal.aborted) return false;
      let reason: string | undefined;
      let afterMs: number | undefined;
      const before = left.length;
      try {
        const { rejected = [], again = [], ...more } = await this.timed(() => this.sink.deliver(left, signal));
        if (rejected.length > 0) {
          metrics.add("rejected_records_total", labels, rejected.length);
          const gone = await this.parts.rejected.add(rejected);
          metrics.add("rejected_evicted_records_total", labels, gone);
          const lost = gone > 0 ? ` ${gone} older ones had to go to make room for them.` : "";
          const message = `Sink "${this.name}" refuses records for good, first: ${rejected[0]?.reason}. They are kept as rejected.${lost}`;
          troubles.begin(`rejected/${this.name}`, labels, message);
        }
        metrics.add("sent_records_total", labels, before - again.length - rejected.length);
        left = again;
        if (left.length > 0) reason = more.reason ?? "some records are to be sent again";
        afterMs = more.afterMs;
      } catch (error) {
        if (signal.aborted) return false;
        reason = messageOf(error);
        if (error instanceof SinkGone) {
          this.parts.gone(reason);
          return false;
        }
        if (error instanceof SinkFailure) {
          afterMs = error.afterMs;
          if (error.unauthorized) await this.parts.secrets.refresh();
        }
      }
      if (reason === undefined) continue;
      // Some went through: the pauses begin anew.
      failures = left.length < before ? 1 : failures + 1;
      metrics.add("retries_total", labels);
      troubles.begin(`sink/${this.name}`, labels, `Sink "${this.name}" takes nothing: ${reason}. It is tried again.`);
      await pause(world, Math.max(this.grown(failures), afterMs ?? 0), signal);
    }
    troubles.end(`sink/${this.name}`, labels, `Sink "${this.name}" takes records again.`);
    return true;
  }

  /** Measures a try, also one that fails. */
  private async timed<T>(work: () => Promise<T>): Promise<T> {
    const { metrics, world } = this.parts;
    const began = world.monotonic();
    try {
      return await work();
    } finally {
      metrics.observe("delivery_duration_seconds", (world.monotonic() - began) / 1_000, { sink: this.name });
    }
  }

  private grown(failures: number): number {
    return growingPause(failures, TIMES.sinkFirstPauseMs, TIMES.sinkLongestPauseMs, this.parts.world.random);
  }

  private async acknowledge(portion: Portion): Promise<void> {
    const { ledger, metrics } = this.parts;
    const bytes = portion.batches.reduce((sum, batch) => sum + batch.length, 0);
    metrics.add("sent_bytes_total", { sink: this.name }, bytes);
    await ledger.acknowledge(this.name, portion.position);
    this.parts.acknowledged();
  }

  private async recordsOf(portion: Portion): Promise<ForwardRecord[]> {
    const records: ForwardRecord[] = [];
    for (const batch of portion.batches) {
      // A batch is a slice, in rows and in bytes.
      await nextTurn();
      for (const record of readBatch(batch)) records.push(record);
    }
    return records;
  }
}
