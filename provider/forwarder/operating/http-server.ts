import { createServer, type Server } from "node:http";
import { OptionsError } from "../../client";
import type { Forwarder } from "../forwarder";
import { allHold } from "./health";
import { METRICS_TYPE } from "./metrics";

/** Where a forwarder answers, and how it is closed. */
export interface OperatingServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves `/healthz` and `/readyz`, 200 or 503 with a document of what was looked at (docs/forwarder.md#health), and `/metrics`.
 *
 * @param listen As `127.0.0.1:9464`; port 0 takes a free one.
 * @param forwarder Asked at each request: a new configuration makes a new one.
 * @throws {OptionsError} when the address cannot be listened on.
 */
export async function serveOperating(listen: string, forwarder: () => Forwarder): Promise<OperatingServer> {
  const colon = listen.lastIndexOf(":");
  const host = listen.slice(0, colon).replace(/^\[|\]$/g, "");
  const server = createServer((request, response) => {
    const { status, type, body } = answer(request.url ?? "/", forwarder());
    response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(body);
  });
  await listening(server, Number(listen.slice(colon + 1)), host, listen);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const TEXT = "text/plain; charset=utf-8";

function answer(url: string, forwarder: Forwarder): { status: number; type: string; body: string } {
  switch (url.split("?")[0]) {
    case "/healthz": {
      const checks = forwarder.health.alive;
      return json(allHold(checks), { checks });
    }
    case "/readyz": {
      const checks = forwarder.health.ready;
      return json(allHold(checks), { checks, notes: forwarder.notes, sinks: forwarder.health.spool });
    }
    case "/metrics":
      return { status: 200, type: METRICS_TYPE, body: forwarder.metricsText() };
    default:
      return { status: 404, type: TEXT, body: "There are /healthz, /readyz and /metrics.\n" };
  }
}

/** 200 or 503, and a document. A number that JSON does not have, as a spool that is never full, is null. */
function json(ok: boolean, members: object) {
  const body = `${JSON.stringify({ ok, ...members }, null, 2)}\n`;
  return { status: ok ? 200 : 503, type: "application/json", body };
}

function listening(server: Server, port: number, host: string, listen: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) =>
      reject(new OptionsError(`\`listen\`: ${listen} cannot be used: ${error.message}.`)),
    );
    server.listen(port, host, () => resolve());
  });
}
