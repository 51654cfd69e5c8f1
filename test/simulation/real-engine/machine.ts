import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { HttpServer } from "../../../provider/emulator/http/http-server";
import { reset, sendTruncated } from "../../../provider/emulator/http/reply";
import { ownPort } from "../../support/ports";
import type { Timed } from "../world/at-requests";
import { Machine } from "../world/machines";
import type { Answer } from "../world/network";

/** Notices the requests that arrive at an address. */
export interface Watch {
  /** Before a request is carried out. @returns the label of the sender's run and what happens at it; `undefined`: it is never carried out */
  sending(body: Buffer): Promise<{ readonly label: string; readonly at: readonly Timed[] } | undefined>;
  /** Once the answer exists, before a byte of it is sent. */
  answered(at: readonly Timed[]): Promise<void>;
}

/** An emulator of the simulation at real addresses on loopback. */
export class RealMachine extends Machine implements AsyncDisposable {
  private servers: HttpServer[] = [];
  private suspended: Promise<unknown> | undefined;

  /** Opens one more address. @returns for example `http://127.0.0.1:40000` */
  async open(watch: Watch): Promise<string> {
    // One that nothing else takes while it refuses connections.
    const server = await HttpServer.listen({ host: "127.0.0.1", port: await ownPort() });
    this.servers.push(server);
    server.serve((request, response) => void this.serve(request, response, watch));
    return server.origin;
  }

  /** Breaks all connections and refuses new ones for a time. */
  override refuse(ms: number): void {
    super.refuse(ms);
    this.suspended ??= this.suspend().finally(() => {
      this.suspended = undefined;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = this.servers.splice(0).map((server) => server.close());
    await Promise.all([...closed, this.suspended]);
  }

  private async suspend(): Promise<void> {
    const { servers } = this;
    await Promise.all(servers.map((server) => server.suspend()));
    while (this.reach === "refusing") await new Promise((done) => setTimeout(done, 2));
    await Promise.all(servers.map((server) => server.resume()));
  }

  private async serve(request: IncomingMessage, response: ServerResponse, watch: Watch): Promise<void> {
    const { method = "GET", url: target = "/", headers } = request;
    const body = await buffer(request).catch(() => undefined);
    if (!body) return;
    const sent = await watch.sending(body);
    if (!sent) return reset(response.socket);
    if (this.reach === "silent") return;
    const labelled = { ...(headers as Record<string, string>), "packetfilter-run": sent.label };
    const answer = await this.answer({ method, target, headers: labelled, body });
    if ("cut" in answer && answer.cut === "silence") return;
    await watch.answered(sent.at);
    deliver(response, answer);
  }
}

function deliver(response: ServerResponse, answer: Answer): void {
  if (!("cut" in answer)) {
    response.writeHead(answer.status, { ...answer.headers, "content-length": answer.body.length }).end(answer.body);
  } else if (answer.cut === "truncate") {
    sendTruncated(response, { status: answer.status ?? 200, body: answer.body?.toString() ?? "" });
  } else reset(response.socket);
}
