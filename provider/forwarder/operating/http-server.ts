import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { isDeepStrictEqual } from "node:util";
import { messageOf } from "../../model/errors";
import { METRICS_TYPE } from "../../model/exposition";
import type { Listen } from "../config/schema";
import { partsOf } from "../fields";
import type { Forwarder } from "../forwarder";
import { allHold } from "../health";
import { processMetrics } from "../telling/process-metrics";
import { Unavailable } from "../unavailable";

/** Address of a forwarder's server, and its end. */
type OperatingServer = Awaited<ReturnType<typeof serveOperating>>;

/**
 * Serves `/healthz` and `/readyz`, 200 or 503 with a document of the checks (docs/forwarder.md#health), and `/metrics`.
 * Without the token, if there is one, a request gets status and `ok` only: probes have no secrets.
 *
 * @param listen Asked at each connection and request, but for the address: certificate and token may be others. Port 0 takes a
 * free one.
 * @param forwarder Asked at each request: a new configuration makes a new one.
 * @throws {Unavailable} when the address cannot be listened on.
 */
export async function serveOperating(listen: () => Listen, forwarder: () => Forwarder) {
  const { address, tls } = listen();
  const { host, port: requestedPort } = partsOf(address);
  const respond: RequestListener = (request, response) => {
    const { status, type, body, ...headers } = answer(
      request.url ?? "/",
      forwarder(),
      isLetIn(request, listen().token),
    );
    response.writeHead(status, { "content-type": type, "cache-control": "no-store", ...headers }).end(body);
  };
  const server = tls ? await secured(tls, listen, respond) : createServer(respond);
  // Once it listens, an error is a connection that could not be accepted.
  server.on("error", () => {}).listen(requestedPort, host);
  await once(server, "listening").catch((error: unknown) => {
    throw new Unavailable(`\`listen\`: ${address} cannot be used: ${messageOf(error)}.`);
  });
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : 0;
  return {
    url: `${tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The server of `/healthz`, `/readyz` and `/metrics` at the address of the configuration, which may change. */
export class Listener {
  private listen: Listen | undefined;
  private server: OperatingServer | undefined;

  /**
   * @param forwarder Asked at each request.
   * @param now What the configuration says now: certificate and token are read again from their files.
   */
  constructor(
    private readonly forwarder: () => Forwarder,
    private readonly now: () => Listen | undefined,
  ) {}

  get url(): string | undefined {
    return this.server?.url;
  }

  /** Listens at another address, or at none. @throws {Unavailable} when it cannot be listened on; it listens where it did then. */
  async move(listen: Listen | undefined): Promise<void> {
    const before = this.listen;
    if (isSamePlace(before, listen)) return;
    // The same port of another address is free only once it is given back.
    if (before && listen && partsOf(before.address).port === partsOf(listen.address).port) await this.close();
    try {
      const server = listen && (await this.serve(listen));
      await this.close();
      this.server = server;
      this.listen = listen;
    } catch (error) {
      if (before && !this.server) this.server = await this.serve(before);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.server?.close();
    this.server = undefined;
  }

  private serve(listen: Listen): Promise<OperatingServer> {
    const current = (): Listen => {
      const now = this.now();
      // While it moves, the configuration still says where it was.
      return now && isSamePlace(now, listen) ? now : listen;
    };
    return serveOperating(current, this.forwarder);
  }
}

/** True if a server need not move from one to the other. */
export function isSamePlace(before: Listen | undefined, next: Listen | undefined): boolean {
  return isDeepStrictEqual(placeOf(before), placeOf(next));
}

/** Settings that a server cannot change while it listens. */
function placeOf(listen: Listen | undefined) {
  return listen && { address: listen.address, isTls: listen.tls !== undefined };
}

type Certificate = NonNullable<Listen["tls"]>;

/** A server whose next connection has the certificate that is there then. */
async function secured(first: Certificate, listen: () => Listen, respond: RequestListener) {
  // Loaded where it is asked for: TLS reads all roots of trust.
  const { createServer: createTlsServer } = await import("node:https");
  const server = createTlsServer(first, respond);
  let used = first;
  // Before the server's own listener, which begins the handshake.
  server.prependListener("connection", () => {
    const { tls = used } = listen();
    if (tls.cert !== used.cert || tls.key !== used.key) server.setSecureContext(tls);
    used = tls;
  });
  return server;
}

/** Compares tokens in constant time. */
function isLetIn({ headers }: IncomingMessage, token: string | undefined): boolean {
  if (token === undefined) return true;
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(headers.authorization ?? ""), digest(`Bearer ${token}`));
}

const TEXT = "text/plain; charset=utf-8";
const BEARER = { "www-authenticate": "Bearer" };

function answer(url: string, forwarder: Forwarder, isLetIn: boolean) {
  switch (url.split("?")[0]) {
    case "/healthz": {
      const checks = forwarder.health.alive;
      return json(allHold(checks), isLetIn && { checks });
    }
    case "/readyz": {
      const checks = forwarder.health.ready;
      return json(allHold(checks), isLetIn && { checks, notes: forwarder.notes, sinks: forwarder.health.spool });
    }
    case "/metrics":
      if (!isLetIn) return { status: 401, type: TEXT, body: "The token of `listen` is required.\n", ...BEARER };
      return { status: 200, type: METRICS_TYPE, body: `${forwarder.metricsText()}${processMetrics()}` };
    default:
      return { status: 404, type: TEXT, body: "This server has /healthz, /readyz and /metrics.\n" };
  }
}

/** 200 or 503, and a document. A number that JSON does not have, as a spool that is never full, is null. */
function json(ok: boolean, members: object | false) {
  const body = `${JSON.stringify({ ok, ...members }, null, 2)}\n`;
  return { status: ok ? 200 : 503, type: "application/json", body };
}
