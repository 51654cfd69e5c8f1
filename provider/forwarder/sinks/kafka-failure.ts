import { Redactor } from "../../client/redact";
import type { KafkaOptions } from "./kafka-library";

/** A message, or one of its batch, is refused whenever it comes. Names are those of the protocol. */
const REFUSALS = ["MESSAGE_TOO_LARGE", "RECORD_LIST_TOO_LARGE", "INVALID_RECORD"];

/** Credentials, or what they allow. */
const UNAUTHORIZED = [
  "SASL_AUTHENTICATION_FAILED",
  "TOPIC_AUTHORIZATION_FAILED",
  "CLUSTER_AUTHORIZATION_FAILED",
  "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
];

/** What the library threw: errors in errors, by try, by broker, by partition and by cause. */
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

  /** What the library and the brokers say, each thing once, as a message may quote it. */
  words({ sasl, tls }: KafkaOptions): string {
    const said = this.reasons.map((reason) => {
      const ofBroker = "serverErrorMessage" in reason ? reason.serverErrorMessage : undefined;
      return typeof ofBroker === "string" && ofBroker !== "" ? ofBroker : reason.message || reason.name;
    });
    const secrets = [sasl?.username, sasl?.password, typeof tls === "object" ? tls.key : undefined];
    return new Redactor(secrets).told([...new Set(said)].map((one) => one.replace(/\.$/, "")).join("; "));
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
