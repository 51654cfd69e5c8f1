import { beforeAll, expect, test } from "vitest";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { type KafkaLibrary, kafkaSchema, loadKafka } from "../../provider/forwarder/sinks/kafka-library";
import { KafkaTopic } from "../../provider/forwarder/sinks/kafka-topic";
import { Unavailable } from "../../provider/forwarder/unavailable";
import { TestClock } from "./support/clock";
import { RECORD } from "./support/forward";

let library: KafkaLibrary;
beforeAll(async () => {
  library = await loadKafka('Sink "bus"');
});

const SASL = { mechanism: "PLAIN", username: "forwarder", password: "s3cret" };

test("an older Node is told before anything is loaded", async () => {
  const said = 'Sink "bus" needs Node 22.22 or later, as its package @platformatic/kafka does; this is Node 22.15.0.';
  await expect(loadKafka('Sink "bus"', "22.15.0")).rejects.toThrow(new Unavailable(said));
  await expect(loadKafka('Sink "bus"', "22.22.0")).resolves.toHaveProperty("Producer");
});

/** A cluster with one topic of three partitions: what its brokers answer to a batch is for a test to say. */
class Cluster {
  /** Batches as they came: partition and sequences. */
  readonly batches: string[] = [];
  readonly producers: Record<string, unknown>[] = [];
  closed = 0;
  answer: (sequences: number[]) => Promise<void> | void = () => {};

  topic(clock = new TestClock(), options: () => object = () => ({})): KafkaTopic {
    const cluster = this;
    class Producer {
      readonly connections = Object.assign(new Map(), { on: () => {} });
      private fail: (error: Error) => void = () => {};
      private readonly ended = new Promise<never>((_, reject) => {
        this.fail = reject;
      });
      constructor(made: Record<string, unknown>) {
        this.ended.catch(() => {});
        cluster.producers.push(made);
      }
      metadata = async () => ({ topics: new Map([["marks", { partitionsCount: 3 }]]) });
      send = async ({ messages }: { messages: { partition: number; value: string }[] }) => {
        const sequences = messages.map(({ value }) => Number(value));
        const first = sequences.length > 3 ? `${sequences[0]}-${sequences.at(-1)}` : sequences.join(",");
        cluster.batches.push(`${messages[0]?.partition}: ${first}`);
        await Promise.race([cluster.answer(sequences), this.ended]);
      };
      close = async () => {
        cluster.closed++;
        this.fail(new library.NetworkError("Client is closed."));
      };
    }
    // What a topic uses of the library.
    const fake = { ...library, Producer } as unknown as KafkaLibrary;
    const read = () => kafkaSchema.parse({ brokers: ["192.0.2.40:9092"], topic: "marks", ...options() });
    return new KafkaTopic(fake, { name: "bus", world: clock, options: read });
  }
}

/** Messages of a table whose values are their numbers. */
const messagesOf = (table: string, from: number, to: number, value: (sequence: number) => string = String) =>
  Array.from({ length: to - from + 1 }, (_, index) => {
    const record: ForwardRecord = { ...RECORD, sequence: from + index, recordId: `${table}-${from + index}` };
    return { record, key: table, headers: {}, value: value(from + index) };
  });
const refusal = (name: ConstructorParameters<KafkaLibrary["ProtocolError"]>[0], words?: string) =>
  new library.MultipleErrors("Producing messages failed.", [new library.ProtocolError(name, words ?? null)]);
const { signal } = new AbortController();

test("a batch that is refused is halved until the record is found; all others go out, in their order", async () => {
  const cluster = new Cluster();
  cluster.answer = (sequences) => {
    if (sequences.includes(6)) throw refusal("MESSAGE_TOO_LARGE", "6 is larger than we take");
  };
  const messages = messagesOf("fra1/edge/web/shost", 1, 8);
  expect(await cluster.topic().publish(messages, signal)).toEqual({
    rejected: [{ record: messages[5]?.record, reason: "6 is larger than we take" }],
    again: [],
  });
  expect(cluster.batches.map((batch) => batch.split(": ")[1])).toEqual(["1-8", "1-4", "5-8", "5,6", "5", "6", "7,8"]);
});

test("what is not acknowledged comes again with all that follows it in its partition, and with nothing of others", async () => {
  const cluster = new Cluster();
  const ours = messagesOf("fra1/edge/web/shost", 1, 1_200);
  const others = messagesOf("fra1/edge/dns/shost", 5_001, 5_002);
  cluster.answer = (sequences) => {
    if (sequences.includes(600)) throw refusal("NOT_ENOUGH_REPLICAS");
  };
  const mixed = [...ours.slice(0, 700), ...others, ...ours.slice(700)];
  expect(await cluster.topic().publish(mixed, signal)).toEqual({
    rejected: [],
    again: ours.slice(500).map(({ record }) => record),
    reason: expect.stringMatching(/^Kafka did not acknowledge: .*in-sync replicas/),
  });
  // Requests are small enough for the event loop; those of the other partition run beside them.
  expect(cluster.batches.map((batch) => batch.split(": ")[1]).sort()).toEqual(["1-500", "5001,5002", "501-1000"]);
  expect(new Set(cluster.batches.map((batch) => batch.split(": ")[0])).size).toBe(2);
});

test("requests hold what brokers take if they are not told otherwise", async () => {
  const cluster = new Cluster();
  const value = (sequence: number) => `${sequence}`.padEnd(400_000, " ");
  await cluster.topic().publish(messagesOf("fra1/edge/web/shost", 1, 5, value), signal);
  expect(cluster.batches.map((batch) => batch.split(": ")[1])).toEqual(["1,2", "3,4", "5"]);
});

test("a delivery that is told to end, or has no answer in time, ends its connections; the next one makes new ones", async () => {
  const cluster = new Cluster();
  const clock = new TestClock();
  const topic = cluster.topic(clock);
  const messages = messagesOf("fra1/edge/web/shost", 1, 2);
  const begun = () => {
    let begin = (): void => {};
    const answered = new Promise<void>((resolve) => {
      begin = resolve;
    });
    cluster.answer = () => {
      begin();
      return new Promise(() => {});
    };
    return answered;
  };
  const again = messages.map(({ record }) => record);

  let sent = begun();
  const late = topic.publish(messages, signal);
  await sent;
  clock.advance(30_000);
  expect(await late).toEqual({ rejected: [], again, reason: "Kafka did not acknowledge: nothing within 30000 ms" });

  sent = begun();
  const stop = new AbortController();
  const stopped = topic.publish(messages, stop.signal);
  await sent;
  stop.abort();
  expect(await stopped).toMatchObject({ again });
  expect([cluster.producers.length, cluster.closed, clock.waiting]).toEqual([2, 2, 0]);

  cluster.answer = () => {};
  expect(await topic.publish(messages, signal)).toEqual({ rejected: [], again: [] });
  await topic.close();
  expect([cluster.producers.length, cluster.closed]).toEqual([3, 3]);
});

test("a password that has changed in its file is used from the next delivery on, and stands in no message", async () => {
  const cluster = new Cluster();
  let password = "first s3cret";
  const topic = cluster.topic(new TestClock(), () => ({ sasl: { ...SASL, password } }));
  cluster.answer = () => {
    throw new library.AuthenticationError(`SASL authentication failed for forwarder with "${password}".`);
  };
  const messages = messagesOf("fra1/edge/web/shost", 1, 1);
  expect(await topic.publish(messages, signal)).toMatchObject({
    reason: 'Kafka did not acknowledge: SASL authentication failed for [secret] with "[secret]"',
  });
  password = "second s3cret";
  cluster.answer = () => {};
  await topic.publish(messages, signal);
  await topic.publish(messages, signal);
  expect(cluster.producers.map(({ sasl }) => sasl)).toEqual([
    { ...SASL, password: "first s3cret" },
    { ...SASL, password: "second s3cret" },
  ]);
});
