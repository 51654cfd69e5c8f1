import { z } from "zod";
import { OptionsError } from "../../client";
import { flag, members, text, tls, whole } from "../config/fields";
import { SINK_DEFAULTS } from "../defaults";
import { loadOptional } from "./optional";

/** The package that speaks to Kafka; installed only where it is used. */
const KAFKA_PACKAGE = "@platformatic/kafka";

/** The Node that the package asks for: major and minor version. */
const NODE = [22, 22] as const;

const MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] as const;

const broker = text
  .regex(/^(\[[0-9a-fA-F:.]+\]|[^\s:/@[\]]+):\d{1,5}$/, {
    error: 'must be a host and a port, as "192.0.2.40:9092"',
    abort: true,
  })
  .refine((value) => Number(value.slice(value.lastIndexOf(":") + 1)) <= 65_535, { error: "has a port above 65535" });

/** The members of a sink of Kafka. */
export const kafkaSchema = members({
  brokers: z.array(broker, { error: "must be a list of brokers" }).min(1, { error: "must not be empty" }),
  topic: text
    .regex(/^[\w.-]{1,249}$/, { error: "may have letters, digits, and . _ -, at most 249" })
    .refine((value) => value !== "." && value !== "..", { error: 'must not be "." or ".."' }),
  tls: z.union([flag, tls]).default(false),
  sasl: members({
    mechanism: z.enum(MECHANISMS, { error: `must be one of ${MECHANISMS.join(", ")}` }),
    username: text,
    password: text,
  }).optional(),
  timeoutMs: whole(1, 600_000).default(SINK_DEFAULTS.timeoutMs),
});

/** How to reach a topic of Kafka. */
export type KafkaOptions = z.infer<typeof kafkaSchema>;

/** Loads the package. @throws {OptionsError} with what to install. */
export async function loadKafka(user: string, node: string = process.versions.node) {
  const [major = 0, minor = 0] = node.split(".").map(Number);
  if (major < NODE[0] || (major === NODE[0] && minor < NODE[1])) {
    throw new OptionsError(
      `${user} needs Node ${NODE.join(".")} or later, as its package ${KAFKA_PACKAGE} does; this is Node ${node}.`,
    );
  }
  return loadOptional(user, [KAFKA_PACKAGE], () => import("@platformatic/kafka"));
}

/** The package, loaded. */
export type KafkaLibrary = Awaited<ReturnType<typeof loadKafka>>;
