import { z } from "zod";
import { Redactor } from "../../client/redact";
import { SINK_DEFAULTS } from "../defaults";
import { duration, members, text, tlsOrNot, withPort } from "../fields";
import { Unavailable } from "../unavailable";
import { loadOptional } from "./sink";

/** The package that speaks to Kafka; installed only where it is used. */
const KAFKA_PACKAGE = "@platformatic/kafka";

/** The Node that the package asks for: major and minor version. */
const NODE = [22, 22] as const;

const MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] as const;

const BROKER = /^(\[[0-9a-fA-F:.]+\]|[^\s:/@[\]]+):\d{1,5}$/;
const broker = withPort(BROKER, 'must be a host and a port, such as "192.0.2.40:9092"');

export const kafkaSchema = members({
  brokers: z.array(broker, { error: "must be a list of brokers" }).min(1, { error: "must not be empty" }),
  topic: text
    .regex(/^[\w.-]{1,249}$/, { error: "may have letters, digits, and . _ -, at most 249" })
    .refine((value) => value !== "." && value !== "..", { error: 'must not be "." or ".."' }),
  tls: tlsOrNot,
  sasl: members({
    mechanism: z.enum(MECHANISMS, { error: `must be one of ${MECHANISMS.join(", ")}` }),
    username: text,
    password: text,
  }).optional(),
  timeoutMs: duration(1, 600_000).default(SINK_DEFAULTS.timeoutMs),
});

/** Connection to a topic of Kafka. */
export type KafkaOptions = z.infer<typeof kafkaSchema>;

/** Loads the package. @throws {Unavailable} with what to install. */
export async function loadKafka(user: string, node: string = process.versions.node) {
  const [major = 0, minor = 0] = node.split(".").map(Number);
  if (major < NODE[0] || (major === NODE[0] && minor < NODE[1])) {
    throw new Unavailable(
      `${user} needs Node ${NODE.join(".")} or later, as its package ${KAFKA_PACKAGE} does; this is Node ${node}.`,
    );
  }
  return loadOptional(user, [KAFKA_PACKAGE], () => import("@platformatic/kafka"));
}

export type KafkaLibrary = Awaited<ReturnType<typeof loadKafka>>;

/** A message, or one of its batch, is refused whenever it comes. Names are those of the protocol. */
const REFUSALS = ["MESSAGE_TOO_LARGE", "RECORD_LIST_TOO_LARGE", "INVALID_RECORD"];

/** Credentials, or what they allow. */
const UNAUTHORIZED = [
  "SASL_AUTHENTICATION_FAILED",
  "TOPIC_AUTHORIZATION_FAILED",
  "CLUSTER_AUTHORIZATION_FAILED",
  "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
];

/** Error of the library: errors in errors, by try, by broker, by partition and by cause. */
export class KafkaFailure {
  /** No later try has another outcome, for one record of the batch at least. */
  readonly isRefusal: boolean;
  readonly isUnauthorized: boolean;
  private readonly reasons: readonly Error[];

  constructor(error: unknown) {
    this.reasons = [...reasonsOf(error)];
    const names = this.reasons.map((reason) => ("apiId" in reason ? String(reason.apiId) : ""));
    this.isRefusal = names.some((name) => REFUSALS.includes(name));
    this.isUnauthorized = names.some((name) => UNAUTHORIZED.includes(name));
  }

  /** Words of the library and the brokers, each once, as a message may quote them. */
  words({ sasl, tls }: KafkaOptions): string {
    const said = this.reasons.map((reason) => {
      const ofBroker = "serverErrorMessage" in reason ? reason.serverErrorMessage : undefined;
      return typeof ofBroker === "string" && ofBroker !== "" ? ofBroker : reason.message || reason.name;
    });
    const secrets = [sasl?.username, sasl?.password, tls?.key];
    return new Redactor(secrets).sanitize([...new Set(said)].map((one) => one.replace(/\.$/, "")).join("; "));
  }
}

/** The innermost errors: those around them only say how often, where and for whom. */
function* reasonsOf(error: unknown): Generator<Error> {
  if (error instanceof AggregateError && error.errors.length > 0) {
    for (const inner of error.errors) yield* reasonsOf(inner);
  } else if (error instanceof Error && error.cause !== undefined) yield* reasonsOf(error.cause);
  else if (error instanceof Error) yield error;
  else yield new Error(String(error));
}
