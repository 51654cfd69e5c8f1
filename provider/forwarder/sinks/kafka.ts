import { formatter } from "../record/formats";
import type { ForwardRecord } from "../record/record";
import { tableKey } from "../table";
import { kafkaSchema, loadKafka } from "./kafka-library";
import { KafkaTopic, type Message } from "./kafka-topic";
import { messageSink, sinkKind, sinkNamed } from "./sink";

/**
 * A topic of Kafka, a message a record. The key is the record's table, so that a table stays in one partition and in order; headers
 * have the members by which consumers choose. A message is acknowledged when all replicas in sync have it. What is repeated while a
 * delivery lasts is stored once (idempotent producer); of later repeats `recordId` tells. Messages have the time of their delivery, by
 * which topics are cleaned up: what comes after a long outage would else be gone at once.
 */
export const kafka = sinkKind(
  kafkaSchema,
  async (context) => {
    const library = await loadKafka(sinkNamed(context.name));
    const format = formatter(context.format);
    const { name, world } = context;
    const topic = new KafkaTopic(library, { name, world, options: () => context.options(kafkaSchema) });
    const messageOf = (record: ForwardRecord): Message => {
      const { recordId, timestamp, event, node, arena, profile, type } = record;
      const headers = { recordId, timestamp, event, node, arena, profile, type, format: context.format };
      return { record, key: tableKey(record), headers, value: JSON.stringify(format(record)) };
    };
    return messageSink(topic, messageOf, ({ value }) => value.length);
  },
  { load: loadKafka },
);
