import type { IncomingMessage, ServerResponse } from "node:http";
import { FAULT_KINDS, type FaultContext, type Outcome, type Variation } from "../behaviour/fault-kinds";
import type { ActiveFault } from "../behaviour/faults";
import { type ApiName, type JournalEntry, redactHeaders, redactPath } from "../journal/journal";
import type { Core } from "../simulation";
import { REDIRECTED } from "./admission";
import type { Api, Call, Incoming } from "./api";
import { readBody, reset, send, sendTruncated } from "./http-server";
import { type Reply, text } from "./reply";

/** What the front needs beyond the core. */
export interface FrontParts {
  readonly apis: Readonly<Record<"node" | "signaling" | "test", Api>>;
  /** See {@link FaultContext.outage}. */
  outage(ms: number): void;
  /** Why a request to the node API is turned away before it is read: authentication, a redirect. */
  guard?(request: IncomingMessage): Reply | undefined;
}

/** A request on its way. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** See {@link JournalEntry.concurrent}. */
  readonly concurrent: number;
  /** Says that the request is in progress no more. */
  readonly over: () => void;
}

/** Takes requests of all APIs of the protocol port: reads them, lets faults at them, carries them out, keeps the journal. */
export class Front {
  private readonly inProgress: Record<ApiName, number> = { node: 0, signaling: 0, test: 0, other: 0 };

  constructor(
    private readonly core: Core,
    private readonly parts: FrontParts,
  ) {}

  /** A listener for `node:http`. */
  readonly listener = (request: IncomingMessage, response: ServerResponse): void => {
    const api = apiOf(request.url ?? "/");
    this.inProgress[api] += 1;
    const concurrent = this.inProgress[api];
    // Over before the last byte of the answer is out: who waits for it and then asks again is never counted twice.
    let inProgress = true;
    const over = () => {
      if (inProgress) this.inProgress[api] -= 1;
      inProgress = false;
    };
    response.once("close", over);
    this.serve(api, { request, response, over, concurrent }).catch((error: unknown) => {
      // A defect of the emulator: the client gets a 500, the emulator lives on.
      if (response.headersSent) response.destroy();
      else void send(response, text(500, `emulator defect: ${error}`), { close: true });
    });
  };

  private async serve(api: ApiName, exchange: Exchange): Promise<void> {
    const { request, response, concurrent } = exchange;
    const { journal, clock, dialect } = this.core;
    const arrived = {
      time: clock.now.toISOString(),
      api,
      method: request.method ?? "",
      path: redactPath(request.url ?? "/"),
      headers: redactHeaders(request.headers),
      concurrent,
    };
    const refuse = async (reply: Reply) => {
      const entry = journal.add(arrived);
      await answer(exchange, reply, entry, { close: true });
      journal.settled(entry);
    };
    if (api === "other") return refuse(text(404, "unknown path: there are /fapi, /path/… and /request/…"));
    const guarded = api === "node" ? this.parts.guard?.(request) : undefined;
    if (guarded) return refuse(guarded);
    const body = await readBody(request, dialect.maxBodyBytes);
    if (body === "aborted") return void response.destroy();
    const call = this.parts.apis[api].interpret(incoming(request, body === "too-large" ? Buffer.alloc(0) : body));
    if (body === "too-large") {
      return refuse(call.error(413, `the body is too large: at most ${dialect.maxBodyBytes} bytes`));
    }
    const fault = this.core.faults.match({ ...call.summary, api });
    const entry = journal.add({ ...arrived, ...call.summary, ...(fault && { fault: fault.fault.kind }) });
    await deliver(exchange, await this.outcome(call, entry, fault), entry);
    journal.settled(entry);
  }

  private async outcome(call: Call, entry: JournalEntry, fault: ActiveFault | undefined): Promise<Outcome> {
    const run = async (variation: Variation = {}): Promise<Reply> => {
      const { latency, commitLatency } = this.core.options;
      const wait = latency + (call.summary.cmd === "commit" ? commitLatency : 0);
      if (wait > 0) await this.core.waits.for(wait);
      return call.run(variation, (record) => {
        entry.commit = record;
      });
    };
    if (!fault) return run();
    const context: FaultContext = {
      fault: fault.fault,
      run,
      error: call.error,
      wait: (ms) => this.core.waits.for(ms),
      outage: (ms) => this.parts.outage(ms),
      discardStaged: () => this.core.discardStaged(),
      now: () => this.core.clock.now,
    };
    return FAULT_KINDS[fault.fault.kind].run(context);
  }
}

async function deliver(exchange: Exchange, outcome: Outcome, entry: JournalEntry): Promise<void> {
  if (!("cut" in outcome)) return answer(exchange, outcome, entry);
  if (outcome.cut === "silence") return;
  exchange.over();
  if (outcome.cut === "truncate") sendTruncated(exchange.response, outcome.reply);
  else reset(exchange.response.socket);
}

async function answer(
  { response, over }: Exchange,
  reply: Reply,
  entry: JournalEntry,
  options: { close?: boolean } = {},
) {
  entry.status = reply.status;
  const measured = (bytes: number) => {
    entry.answerBytes = bytes;
    over();
  };
  await send(response, reply, { ...options, measured });
}

function incoming(request: IncomingMessage, body: Buffer): Incoming {
  return { method: request.method ?? "", target: request.url ?? "/", headers: request.headers, body };
}

function apiOf(target: string): ApiName {
  if (target === "/fapi" || target === REDIRECTED) return "node";
  if (target.startsWith("/path/")) return "signaling";
  return target.startsWith("/request/") ? "test" : "other";
}
