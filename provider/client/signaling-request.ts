import type { Prefix } from "../model/prefix";
import { type SignalingOperation, signalingBody, signalingPath } from "../wire/signaling";
import { type Endpoint, parseEndpoint, senderHeaders } from "./endpoint";
import type { HttpRequest } from "./http";
import type { ReceiverOptions } from "./options";
import { Redactor } from "./redact";

/** A secret that no receiver has: its refusal shows what a wrong secret is answered. */
export const WRONG_SECRET = "pulumi-packetfilter-probe";

/** Builds the requests to one receiver without sending them (docs/contributing/contract.md#signaling-operations). */
export class SignalingRequests {
  /** The receiver's base url, without client id and secret. */
  readonly endpoint: Endpoint;
  readonly redactor: Redactor;

  /** @param options Already checked by `receiverSchema`. */
  constructor(private readonly options: ReceiverOptions) {
    this.endpoint = parseEndpoint(options.url, "url");
    const { authorization, secrets } = this.endpoint;
    this.redactor = new Redactor([options.secretKey, authorization, ...secrets, options.tls?.key]);
  }

  /** The request of a status. @param secretKey A secret to try instead of the receiver's own. */
  status(secretKey = this.options.secretKey): HttpRequest {
    return { method: "GET", ...this.common("status", secretKey, "accept") };
  }

  /** The request of a start or stop. @param secretKey A secret to try instead of the receiver's own. */
  change(
    operation: "start" | "stop",
    prefixes: readonly (Prefix | string)[],
    secretKey = this.options.secretKey,
  ): HttpRequest {
    return { method: "POST", ...this.common(operation, secretKey, "content-type"), body: signalingBody(prefixes) };
  }

  private common(operation: SignalingOperation, secretKey: string, json: "accept" | "content-type") {
    const { origin, path, authorization } = this.endpoint;
    return {
      origin,
      path: `${path}${signalingPath(this.options.clientId, secretKey, operation)}`,
      headers: { ...senderHeaders(authorization), [json]: "application/json" },
    };
  }
}
