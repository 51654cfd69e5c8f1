import type { NatsConnection } from "@nats-io/transport-node";
import { z } from "zod";
import { Redactor } from "../../client/redact";
import { messageOf } from "../../model/errors";
import { TIMES } from "../defaults";
import { text, tls } from "../fields";
import { loadOptional } from "./sink";

/** The packages that speak to NATS; installed only where it is used. */
export const NATS_PACKAGES = ["@nats-io/transport-node", "@nats-io/jetstream", "@nats-io/kv"] as const;

/** The members by which NATS is reached. */
export const natsFields = {
  servers: z.array(text).min(1, { error: "must not be empty" }),
  user: text.optional(),
  password: text.optional(),
  token: text.optional(),
  tls: tls.optional(),
};

const reached = z.object(natsFields);

export type NatsOptions = z.infer<typeof reached>;

/** Who needs NATS where it is the cluster, as messages begin. */
export const CLUSTER_USER = "`cluster`";

/** Loads what both the sink and the cluster need. @throws {Unavailable} with what to install. */
export async function loadNats(user: string) {
  return loadOptional(user, NATS_PACKAGES, async () => ({
    transport: await import("@nats-io/transport-node"),
    jetstream: await import("@nats-io/jetstream"),
    kv: await import("@nats-io/kv"),
  }));
}

export type Nats = Awaited<ReturnType<typeof loadNats>>;

/** Connects; a connection that breaks later is made again by the library, for ever. @throws the library's error. */
export function connectNats(
  { transport }: Nats,
  options: NatsOptions,
  name: string,
  timeoutMs: number = TIMES.natsConnectMs,
): Promise<NatsConnection> {
  const { servers, user, password, token } = options;
  const { ca, cert, key, serverName: servername } = options.tls ?? {};
  return transport.connect({
    servers,
    name: `pulumi-packetfilter ${name}`,
    maxReconnectAttempts: -1,
    timeout: timeoutMs,
    ...(user !== undefined && { user, pass: password ?? "" }),
    ...(token !== undefined && { token }),
    ...(options.tls && {
      tls: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }), ...(servername && { servername }) },
    }),
  });
}

/** A server without its credentials, and these. A password may hold any character: the last `@` ends it. */
export function splitServer(server: string): { shown: string; credentials: string[] } {
  const [start = "", scheme = "", pair = ""] = /^([a-z]+:\/\/)?(.*)@/is.exec(server) ?? [];
  return { shown: `${scheme}${server.slice(start.length)}`, credentials: [pair, ...pair.split(":")] };
}

/** Words of the library or the server about a failure, as a message may quote them. */
export function natsWords(error: unknown, { servers, user, password, token, tls }: NatsOptions): string {
  const inUrls = servers.flatMap((server) => splitServer(server).credentials);
  const redactor = new Redactor([user, password, token, tls?.key, ...inUrls]);
  return redactor.sanitize(messageOf(error));
}
