import { pause } from "../../client/clock";
import { growingPause } from "../../client/pauses";
import { messageOf } from "../../model/errors";
import type { SecretFiles } from "../config/secret-files";
import { SIZES, TIMES } from "../defaults";
import type { Ledger } from "../ledger/protocol";
import type { RecordFilter } from "../record/filter";
import { Outgoing } from "../record/outgoing";
import {
  type BatchLimits,
  type Parcel,
  parcelOf,
  type Rejected,
  type Sink,
  SinkFailure,
  SinkGone,
} from "../sinks/sink";
import type { Losses } from "../telling/losses";
import type { Metrics } from "../telling/metrics";
import type { Log, Troubles } from "../telling/troubles";
import type { ForwarderWorld } from "../world";
import { type Prepared, ReadAhead } from "./read-ahead";
import type { RejectedFiles } from "./rejected";

/** Parts of the forwarder that delivery needs. */
export interface DeliveryParts {
  readonly ledger: Ledger;
  readonly metrics: Metrics;
  readonly troubles: Troubles;
  readonly world: ForwarderWorld;
  readonly secrets: Pick<SecretFiles, "refresh">;
}

interface RunnerParts extends DeliveryParts {
  readonly limits: BatchLimits;
  /** Milliseconds after which one try is stuck. */
  readonly deadlineMs: () => number;
  /** Which records of its tables the sink takes. Default: all. */
  readonly filter?: () => RecordFilter | undefined;
  readonly rejected: RejectedFiles;
  readonly losses: Pick<Losses, "add">;
  readonly log: Pick<Log, "warn">;
  /** The sink's mark has moved. */
  acknowledged(): void;
  gone(reason: string): void;
}

/**
 * Delivers what the spool holds to one sink, in order and at the sink's own pace: read, deliver, acknowledge. While a delivery is
 * under way, the next one is read and written. A failure is repeated for ever, from 1 s to 30 s apart, and delays no other sink.
 * The mark moves only when every record of a delivery is acknowledged by the sink or is on the disk as refused.
 */
export class SinkRunner {
  private awake = (): void => {};
  /** True when it was woken since it last looked. */
  private isWoken = false;
  private readonly ahead: ReadAhead;

  constructor(
    readonly name: string,
    private readonly sink: Sink,
    private readonly parts: RunnerParts,
  ) {
    this.ahead = new ReadAhead(name, parts.ledger, sink, parts.limits, parts.filter);
  }

  /** There may be something to deliver. */
  wake(): void {
    this.isWoken = true;
    this.awake();
  }

  /** Delivers until the signal aborts. What was not acknowledged then stays in the spool. */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener("abort", () => this.wake(), { once: true });
    const deliveries = this.deliveries(signal);
    let next = deliveries.next();
    try {
      for (let { value, done } = await next; !done && value; { value, done } = await next) {
        // Is read and written while this one is under way.
        next = deliveries.next();
        if (!(await this.deliver(value.parcels, signal))) break;
        await this.acknowledge(value, signal);
      }
      await next;
    } finally {
      await this.sink.close().catch((error: unknown) => {
        const message = `Sink "${this.name}" cannot be closed: ${messageOf(error)}.`;
        this.parts.log.warn({ sink: this.name }, message);
      });
    }
  }

  /** Content of the spool, as deliveries, until the signal aborts. The first after a rest is small, so that it leaves while more is written. */
  private async *deliveries(signal: AbortSignal): AsyncGenerator<Prepared, undefined> {
    const { troubles, world, limits } = this.parts;
    let most: number = SIZES.firstRecords;
    for (let failures = 0; !signal.aborted; ) {
      this.isWoken = false;
      try {
        const prepared = await this.ahead.next(Math.min(most, limits.maxRecords));
        failures = 0;
        most = prepared ? limits.maxRecords : SIZES.firstRecords;
        if (prepared) yield prepared;
        else if (!this.isWoken) {
          await new Promise<void>((resolve) => {
            this.awake = resolve;
          });
        }
      } catch (failure) {
        troubles.begin(`spool/${this.name}`, { sink: this.name }, `The spool cannot be read: ${messageOf(failure)}.`);
        await pause(world, this.grown(++failures), signal);
      }
    }
  }

  /** False when the signal aborted first, or the sink is gone. */
  private async deliver(parcels: readonly Parcel[], signal: AbortSignal): Promise<boolean> {
    const { metrics, troubles, world } = this.parts;
    const labels = { sink: this.name };
    let left = parcels;
    let count = countOf(left);
    for (let failures = 0; count > 0; ) {
      if (signal.aborted) return false;
      let reason: string | undefined;
      let afterMs: number | undefined;
      const before = count;
      try {
        const { rejected = [], again = [], ...more } = await this.timed(() => this.sink.deliver(left, signal), signal);
        if (rejected.length > 0 && !(await this.keep(rejected, signal))) return false;
        metrics.add("sent_records_total", labels, before - again.length - rejected.length);
        count = again.length;
        if (count > 0) {
          left = [await parcelOf(this.sink, Outgoing.of(again))];
          reason = more.reason ?? "some records must be sent again";
        }
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
          // With a wait of its kind, the deadline of one of its requests is none of the delivery.
          if (error.lateMs === this.parts.deadlineMs()) this.stuck(error.lateMs, signal);
          if (error.unauthorized) await this.parts.secrets.refresh();
        }
      }
      if (reason === undefined) continue;
      // Some were delivered: the pauses start again.
      failures = count < before ? 1 : failures + 1;
      metrics.add("retries_total", labels);
      troubles.begin(
        `sink/${this.name}`,
        labels,
        count < before
          ? `Sink "${this.name}" does not accept all records: ${reason}. The others are sent again.`
          : `Sink "${this.name}" accepts no records: ${reason}. They are sent again.`,
      );
      await pause(world, Math.max(this.grown(failures), afterMs ?? 0), signal);
    }
    troubles.end(`sink/${this.name}`, labels, `Sink "${this.name}" accepts records again.`);
    troubles.end(`stuck/${this.name}`, labels, `Sink "${this.name}" is stuck no longer.`);
    metrics.set("stuck", 0, labels);
    return true;
  }

  /** Keeps refused records; waits if there is no room for them. False when the signal aborted first. */
  private async keep(rejected: readonly Rejected[], signal: AbortSignal): Promise<boolean> {
    const { metrics, troubles, world } = this.parts;
    const labels = { sink: this.name };
    const full = `rejected-full/${this.name}`;
    for (let failures = 1; !signal.aborted; failures++) {
      const evicted = await this.parts.rejected.add(rejected);
      if (evicted !== undefined) {
        metrics.add("rejected_records_total", labels, rejected.length);
        this.parts.losses.add(evicted.map((loss) => ({ sink: this.name, cause: "evicted", ...loss })));
        const message = `Sink "${this.name}" refuses records for good, first: ${rejected[0]?.reason}. They are kept as rejected.`;
        troubles.begin(`rejected/${this.name}`, labels, message);
        troubles.end(full, labels, `Records that sink "${this.name}" refuses can be stored again.`);
        return true;
      }
      const message = `There is no room for records that sink "${this.name}" refuses for good (\`rejected.maxBytes\`): nothing more is delivered to it until its dead letters are sent ("forward spool requeue --sink ${this.name}") or moved away. First: ${rejected[0]?.reason}.`;
      troubles.begin(full, labels, message);
      await pause(world, this.grown(failures), signal);
    }
    return false;
  }

  /** Measures a try, also one that fails, and says so when it lasts too long. */
  private async timed<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { metrics, world, deadlineMs } = this.parts;
    const began = world.monotonic();
    const mostMs = deadlineMs();
    const cancelTimer = world.after(mostMs, () => this.stuck(mostMs, signal));
    try {
      return await work();
    } finally {
      cancelTimer();
      metrics.observe("delivery_duration_seconds", (world.monotonic() - began) / 1_000, { sink: this.name });
    }
  }

  /** A try has lasted as long as one may. That of a sink that has left is not waited for. */
  private stuck(ms: number, signal: AbortSignal): void {
    if (signal.aborted) return;
    const { metrics, troubles } = this.parts;
    const message = `Sink "${this.name}" is stuck: a delivery has lasted ${ms} ms without an end.`;
    troubles.begin(`stuck/${this.name}`, { sink: this.name }, message);
    metrics.set("stuck", 1, { sink: this.name });
  }

  private grown(failures: number): number {
    return growingPause(failures, TIMES.sinkFirstPauseMs, TIMES.sinkLongestPauseMs, this.parts.world.random);
  }

  /** Repeats a failure until the signal aborts: the spool delivers again, to the next run, what it does not know as taken. */
  private async acknowledge({ position, bytes }: Prepared, signal: AbortSignal): Promise<void> {
    if (position === undefined) return;
    const { ledger, metrics, troubles, world } = this.parts;
    const [key, labels] = [`spool/${this.name}`, { sink: this.name }];
    metrics.add("sent_bytes_total", labels, bytes);
    for (let failures = 1; ; failures++) {
      try {
        await ledger.acknowledge(this.name, position);
        break;
      } catch (failure) {
        // A sink that has left has no place in the spool.
        if (signal.aborted) return;
        const message = `Records that sink "${this.name}" has taken cannot be removed from the spool: ${messageOf(failure)}.`;
        troubles.begin(key, labels, message);
      }
      await pause(world, this.grown(failures), signal);
    }
    troubles.end(key, labels, `The spool of sink "${this.name}" can be used again.`);
    this.parts.acknowledged();
  }
}

function countOf(parcels: readonly Parcel[]): number {
  return parcels.reduce((sum, { records }) => sum + records.count, 0);
}
