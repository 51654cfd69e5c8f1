import { createServer, type Server } from "node:http";
import { OptionsError } from "../../client";
import type { Forwarder } from "../forwarder";
import { METRICS_TYPE } from "./metrics";

/** Where a forwarder answers, and how it is closed. */
export interface OperatingServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves `/healthz` (200 while the process works), `/readyz` (200 once every node was tried, and as long as no sink that pauses or disk
 * is full; else 503 with reasons) and `/metrics`.
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
    case "/healthz":
      return { status: 200, type: TEXT, body: "ok\n" };
    case "/readyz": {
      const reasons = forwarder.unready;
      if (reasons.length === 0) return { status: 200, type: TEXT, body: ["ready", ...forwarder.notes, ""].join("\n") };
      return { status: 503, type: TEXT, body: [...reasons, ...forwarder.notes, ""].join("\n") };
    }
    case "/metrics":
      return { status: 200, type: METRICS_TYPE, body: forwarder.metrics.text() };
    default:
      return { status: 404, type: TEXT, body: "There are /healthz, /readyz and /metrics.\n" };
  }
}

function listening(server: Server, port: number, host: string, listen: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) =>
      reject(new OptionsError(`\`listen\`: ${listen} cannot be used: ${error.message}.`)),
    );
    server.listen(port, host, () => resolve());
  });
}
