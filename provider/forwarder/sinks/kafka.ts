import { formatter } from "../record/formats";
import { tableKey } from "../table";
import { kafkaSchema, loadKafka } from "./kafka-library";
import { KafkaTopic, type Message } from "./kafka-topic";
import { type Sink, sinkKind, sinkNamed } from "./sink";

/**
 * A topic of Kafka, a message a record. The key is the record's table, so that a table stays in one partition and in order; headers
 * have the members by which consumers choose. A message is acknowledged when all replicas in sync have it. What is repeated
 * while a
 * delivery lasts is stored once (idempotent producer); of later repeats `recordId` tells. Messages have the time of their delivery, by
 * which topics are cleaned up: what comes after a long outage would else be gone at once.
 */
export const kafka = sinkKind(
  kafkaSchema,
  async (context): Promise<Sink<readonly Message[]>> => {
    const library = await loadKafka(sinkNamed(context.name));
    const format = formatter(context.format);
    const { name, world } = context;
    const topic = new KafkaTopic(library, { name, world, options: () => context.options(kafkaSchema) });
    return {
      async write(records) {
        const payload = await records.map((record) => {
          const { recordId, timestamp, event, node, arena, profile, type } = record;
          const headers = { recordId, timestamp, event, node, arena, profile, type, format: context.format };
          return { record, key: tableKey(record), headers, value: JSON.stringify(format(record)) };
        });
        return { payload, bytes: payload.reduce((sum, { value }) => sum + value.length, 0) };
      },
      deliver: (parcels, signal) =>
        topic.publish(
          parcels.flatMap(({ payload }) => payload),
          signal,
        ),
      close: () => topic.close(),
    };
  },
  { load: loadKafka },
);
