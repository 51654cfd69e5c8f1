import { isIP } from "node:net";
import type { Producer } from "@platformatic/kafka" with { "resolution-mode": "import" };
import { groupBy } from "../../model/group";
import { SIZES, TIMES } from "../defaults";
import { partsOf } from "../fields";
import type { ForwardRecord } from "../record/record";
import { nextTurn } from "../slices";
import { KafkaFailure, type KafkaLibrary, type KafkaOptions } from "./kafka-library";
import { type Delivered, type Rejected, type SinkContext, SinkFailure } from "./sink";

/** A record as Kafka gets it. */
export interface Message {
  readonly record: ForwardRecord;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: string;
}

type Texts = Producer<string, string, string, string>;

/**
 * One topic. A request holds messages of one partition, so that of each message it is known what became of it. Requests of a
 * partition follow each other, those of several run beside each other.
 */
export class KafkaTopic {
  private current: { readonly producer: Texts; readonly made: string } | undefined;
  /** Reason of the library's last repeat. */
  private trouble: Error | undefined;

  constructor(
    private readonly library: KafkaLibrary,
    private readonly parts: Pick<SinkContext, "name" | "world"> & { options(): KafkaOptions },
  ) {}

  /** @throws {SinkFailure} when the topic is not to be reached. */
  async publish(messages: readonly Message[], signal: AbortSignal): Promise<Delivered> {
    const options = this.parts.options();
    const producer = this.producerOf(options);
    const cancel = (): void => this.drop(producer);
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const lanes = lanesOf(messages, this.partitioner(await this.countPartitions(producer, options)));
      const outcomes = await Promise.all(
        [...lanes].map(([partition, lane]) => this.publishTo(producer, options, partition, lane)),
      );
      const left = new Set(outcomes.flatMap(({ again = [] }) => again));
      const reason = outcomes.find((outcome) => outcome.reason !== undefined)?.reason;
      return {
        rejected: outcomes.flatMap(({ rejected = [] }) => rejected),
        again: messages.map(({ record }) => record).filter((record) => left.has(record)),
        ...(reason !== undefined && { reason }),
      };
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  /** Ends the connections. */
  async close(): Promise<void> {
    if (this.current) this.drop(this.current.producer);
  }

  /** The first request that fails leaves all that follow for a later delivery; one that is refused is halved. */
  private async publishTo(
    producer: Texts,
    options: KafkaOptions,
    partition: number,
    messages: readonly Message[],
  ): Promise<Delivered> {
    const rejected: Rejected[] = [];
    const waiting = batchesOf(messages);
    for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
      const failure = await this.send(producer, options, partition, batch);
      if (!failure) continue;
      const words = failure.words(options);
      const [only] = batch;
      const middle = batch.length >> 1;
      if (!failure.isRefusal) {
        const again = [batch, ...waiting].flat().map(({ record }) => record);
        return { rejected, again, reason: `Kafka did not acknowledge: ${words}` };
      }
      if (only && middle === 0) rejected.push({ record: only.record, reason: words });
      else waiting.unshift(batch.slice(0, middle), batch.slice(middle));
    }
    return { rejected };
  }

  /** The library repeats a request as the same one until `timeoutMs` are over, also by the partition's next leader. */
  private async send(
    producer: Texts,
    { topic, timeoutMs }: KafkaOptions,
    partition: number,
    batch: readonly Message[],
  ): Promise<KafkaFailure | undefined> {
    // The library writes a request in one go.
    await nextTurn();
    let late: Error[] | undefined;
    const cancel = this.parts.world.after(timeoutMs, () => {
      late = [new Error(`nothing within ${timeoutMs} ms`), ...(this.trouble ? [this.trouble] : [])];
      this.drop(producer);
    });
    try {
      await producer.send({
        messages: batch.map(({ key, headers, value }) => ({ topic, partition, key, value, headers })),
      });
      return undefined;
    } catch (error) {
      return new KafkaFailure(late ? new AggregateError(late) : error);
    } finally {
      cancel();
    }
  }

  private async countPartitions(producer: Texts, options: KafkaOptions): Promise<number> {
    try {
      const { topics } = await producer.metadata({ topics: [options.topic], retries: 1 });
      const count = topics.get(options.topic)?.partitionsCount;
      if (!count) throw new Error(`topic ${options.topic} has no partitions`);
      return count;
    } catch (error) {
      const failure = new KafkaFailure(error);
      const message = `Kafka at ${options.brokers.join(", ")}: ${failure.words(options)}`;
      throw new SinkFailure(message, undefined, failure.isUnauthorized);
    }
  }

  /** As Java's producer has it, so that others who write with this key write to the same partition. */
  private partitioner(count: number): (key: string) => number {
    return (key) => (this.library.murmur2(Buffer.from(key)) & 0x7fffffff) % count;
  }

  /** The producer, made again when secrets have changed in their files. */
  private producerOf(options: KafkaOptions): Texts {
    const made = JSON.stringify(options);
    if (this.current?.made === made) return this.current.producer;
    if (this.current) this.drop(this.current.producer);
    const { brokers, tls, sasl, timeoutMs } = options;
    const { serverName = !brokers.some((one) => isIP(partsOf(one).host)), ...files } = tls ?? {};
    this.trouble = undefined;
    const producer = new this.library.Producer({
      clientId: `pulumi-packetfilter-${this.parts.name}`,
      bootstrapBrokers: brokers,
      serializers: this.library.stringSerializers,
      idempotent: true,
      // Whether a missing topic is made is for the brokers to say, as with other producers.
      autocreateTopics: true,
      connectTimeout: TIMES.kafkaConnectMs,
      requestTimeout: timeoutMs,
      timeout: timeoutMs,
      retries: Number.MAX_SAFE_INTEGER,
      retryDelay: (_producer, _operation, _attempt, _retries, error) => {
        this.trouble = error;
        return TIMES.kafkaPauseMs;
      },
      ...(sasl && { sasl }),
      ...(tls && { tls: files, tlsServerName: serverName }),
    });
    // Requests that wait for a connection report its errors; without a listener the event would end the process.
    producer.connections.on("connecting", ({ connection }) => connection.on("error", () => {}));
    this.current = { producer, made };
    return producer;
  }

  /** Ends a producer at once, and all that it has under way. The next delivery makes another one. */
  private drop(producer: Texts): void {
    if (this.current?.producer === producer) this.current = undefined;
    for (const [, connection] of producer.connections) connection.socket?.destroy();
    producer.close(true).catch(() => {});
  }
}

/** Messages by partition, each in its order. */
function lanesOf(messages: readonly Message[], partitionOf: (key: string) => number): Map<number, Message[]> {
  const partitions = new Map<string, number>();
  return groupBy(messages, ({ key }) => {
    const partition = partitions.get(key) ?? partitionOf(key);
    partitions.set(key, partition);
    return partition;
  });
}

/** Requests that a broker takes as it is set up by itself. */
function batchesOf(messages: readonly Message[]): (readonly Message[])[] {
  const batches: Message[][] = [];
  let room = 0;
  for (const message of messages) {
    const bytes = Buffer.byteLength(message.value) + SIZES.kafkaHeaderBytes;
    const last = batches.at(-1);
    if (last && last.length < SIZES.kafkaBatchRecords && bytes <= room) last.push(message);
    else {
      batches.push([message]);
      room = SIZES.kafkaBatchBytes;
    }
    room -= bytes;
  }
  return batches;
}
