import type { NatsConnection } from "@nats-io/transport-node";
import type { Tls } from "./config/fields";
import { TIMES } from "./defaults";
import { loadOptional } from "./sinks/optional";

/** The packages that speak to NATS; installed only where it is used. */
export const NATS_PACKAGES = ["@nats-io/transport-node", "@nats-io/jetstream", "@nats-io/kv"] as const;

/** How to reach NATS. */
export interface NatsOptions {
  readonly servers: readonly string[];
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  readonly tls?: Tls;
}

/** Loads what both the sink and the cluster need. @throws {OptionsError} with what to install. */
export async function loadNats(user: string) {
  return loadOptional(user, NATS_PACKAGES, async () => ({
    transport: await import("@nats-io/transport-node"),
    jetstream: await import("@nats-io/jetstream"),
    kv: await import("@nats-io/kv"),
  }));
}

/** The packages, loaded. */
export type Nats = Awaited<ReturnType<typeof loadNats>>;

/** Connects; a connection that breaks later is made again by the library, for ever. @throws the library's error. */
export function connectNats({ transport }: Nats, options: NatsOptions, name: string): Promise<NatsConnection> {
  const { servers, user, password, token, tls } = options;
  const { ca, cert, key, serverName: servername } = tls ?? {};
  return transport.connect({
    servers: [...servers],
    name: `pulumi-packetfilter ${name}`,
    maxReconnectAttempts: -1,
    timeout: TIMES.natsConnectMs,
    ...(user !== undefined && { user, pass: password ?? "" }),
    ...(token !== undefined && { token }),
    ...(tls && {
      tls: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }), ...(servername && { servername }) },
    }),
  });
}
