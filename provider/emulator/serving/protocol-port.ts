import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf } from "../../model/errors";
import type { Delivery, Variation } from "../behaviour/fault-kind";
import { applyFault } from "../behaviour/fault-kinds";
import type { ActiveFault } from "../behaviour/faults";
import { SHORTEST_SECRET } from "../defaults";
import { type Reply, send, text } from "../http/reply";
import { toOriginForm } from "../http/request";
import type { ApiName, OpenEntry, RequestSummary } from "../journal/entry";
import { keptItem } from "../journal/journal";
import { AnswerStart, redactHeaders, redactPath, runLabel, Secrets, sentSecrets } from "../journal/redaction";
import { isRefused } from "../journal/runs";
import type { Simulation } from "../simulation";
import { type Api, type Head, type Interpretation, REDIRECTED } from "./api";
import { type Exchange, SocketExchange } from "./exchange";

export interface ProtocolParts {
  readonly apis: Readonly<Record<"node" | "signaling" | "test", Api>>;
  /** Breaks all connections and refuses new ones for a time (real milliseconds). */
  outage(ms: number): void;
}

/** Serves all APIs of the protocol port: reads a request, applies faults, carries it out, writes the journal. */
export class ProtocolPort {
  private sent: { readonly key: string; readonly secrets: Secrets } | undefined;
  private readonly inProgress: Record<ApiName, number> = { node: 0, signaling: 0, test: 0, other: 0 };
  /** Number of resets. A request in progress belongs to the time before: it has no effect on the content after it. */
  private resets = 0;
  /** Number of times that a fault broke all connections. A request in progress ends without effect. */
  private outages = 0;

  constructor(
    private readonly simulation: Simulation,
    private readonly parts: ProtocolParts,
  ) {
    simulation.onReset(() => {
      this.resets += 1;
    });
  }

  /** A listener for `node:http`. */
  readonly listener = (request: IncomingMessage, response: ServerResponse): void => {
    toOriginForm(request);
    const pace = this.simulation.link?.answer();
    const exchange = new SocketExchange(request, response, pace);
    this.serve(exchange).catch((error: unknown) => {
      // A defect of the emulator: the client gets a 500, and the emulator goes on.
      if (response.headersSent) response.destroy();
      else void send(response, text(500, `emulator defect: ${error}`), { close: true });
    });
  };

  /** Secrets of a request, made once for successive requests with the same credentials. */
  private sentBy(url: string, headers: IncomingMessage["headers"]): Secrets {
    const secrets = sentSecrets(url, headers);
    const key = JSON.stringify(secrets);
    if (this.sent?.key !== key) this.sent = { key, secrets: new Secrets(secrets, SHORTEST_SECRET.sent) };
    return this.sent.secrets;
  }

  /** Answers a request over any kind of connection; its target begins with `/`. */
  async serve(exchange: Exchange): Promise<void> {
    const { method = "", url = "/", headers } = exchange.head;
    const { journal, clock, dialect, secrets } = this.simulation;
    const { resets, outages } = this;
    const wasReset = () => this.resets !== resets;
    const isBroken = () => wasReset() || this.outages !== outages;
    const api = apiOf(url);
    this.inProgress[api] += 1;
    const concurrent = this.inProgress[api];
    // Ends before the last byte of the answer is sent: a caller that then sends another request is not counted twice.
    let inProgress = true;
    const over = () => {
      if (inProgress) this.inProgress[api] -= 1;
      inProgress = false;
    };
    exchange.whenClosed(over);
    const began = this.simulation.elapsed();
    const age = () => Math.round((this.simulation.elapsed() - began) * 10) / 10;
    // The journal keeps no secret of an answer, and no credential of its request, not even a wrong one.
    const sent = this.sentBy(url, headers);
    const start = new AnswerStart(this.simulation.secrets, sent);
    const arrived = {
      time: clock.now.toISOString(),
      api,
      method,
      path: sent.cut(secrets.cut(redactPath(url))),
      headers: sent.keptHeaders(secrets.cutJson(redactHeaders(headers))),
      concurrent,
    };
    const label = sent.keptValue(secrets.cut(runLabel(headers))) || undefined;
    /** Delivers the outcome of a request, and completes its entry. */
    const finish = async (outcome: Delivery, entry: OpenEntry, close = false) => {
      const delivery: Delivery = exchange.isBroken ? { cut: "reset" } : outcome;
      if ("cut" in delivery) {
        if (delivery.cut !== "silence") over();
        exchange.cut(delivery);
      } else {
        entry.status = delivery.status;
        if (delivery.refused && delivery.status < 400) entry.refused = true;
        entry.answerHeaders = start.headers({
          ...(delivery.type && { "content-type": delivery.type }),
          ...delivery.headers,
        });
        const measured = (bytes: number) => {
          entry.answerBytes = bytes;
          entry.answer = start.text();
          entry.durationMs = age();
          over();
        };
        await exchange.answer(delivery, { close, measured, passing: start.take });
      }
      // A reader that disconnected received only a part of a long answer.
      if (entry.status !== undefined) entry.answer ??= start.text();
      entry.durationMs ??= age();
      if (wasReset()) journal.runs.leave(entry);
      else journal.settled(entry);
    };
    const refuse = (reply: Reply) => finish(reply, journal.add(arrived, label), true);
    if (api === "other") return refuse(text(404, unknownPath(url)));
    const turnedAway = this.parts.apis[api].admit?.(exchange.head);
    if (turnedAway) return refuse(turnedAway);
    const body = await exchange.body(dialect.maxBodyBytes);
    if (body === "aborted" || wasReset()) return exchange.abandon();
    const isEncoded = dialect.contentEncoding === "refused" && hasCoding(headers);
    const read = body === "too-large" || isEncoded ? Buffer.alloc(0) : body;
    const understood = this.parts.apis[api].interpret({ method, target: url, headers, body: read });
    if (body === "too-large") {
      return refuse(understood.error("tooLarge", `the body is too large: at most ${dialect.maxBodyBytes} bytes`));
    }
    if (isEncoded) {
      const unsupported = understood.error(415, "the header Content-Encoding is not supported: send the body as it is");
      return refuse({ ...unsupported, headers: { ...unsupported.headers, "accept-encoding": "identity" } });
    }
    const fault = this.simulation.faults.match({ ...understood.summary, api, label: label ?? journal.runs.begun });
    const summary = withoutSecrets(understood.summary, body, secrets);
    const entry = journal.add({ ...arrived, ...summary, ...(fault && { fault: fault.fault.kind }) }, label);
    try {
      await finish(await this.carryOut(understood, read.length, entry, fault, isBroken), entry);
    } finally {
      understood.over?.();
    }
  }

  private async carryOut(
    { summary, error, run: effect }: Interpretation,
    bytes: number,
    entry: OpenEntry,
    fault: ActiveFault | undefined,
    isBroken: () => boolean,
  ): Promise<Delivery> {
    const { waits, clock, link } = this.simulation;
    const waited = async (wait: Promise<void>) => {
      await wait;
      if (isBroken()) throw new BrokenError();
    };
    const run = async (variation: Variation = {}): Promise<Reply> => {
      const arrival = link?.arrival(bytes, summary.cmd === "commit");
      if (arrival) await waited(arrival);
      const reply = await effect(variation, (record) => {
        this.simulation.journal.committed(entry, record);
      });
      if (!isRefused(reply)) this.simulation.journal.runs.took(entry);
      try {
        await this.simulation.durable?.();
        return reply;
      } catch (cause) {
        return error(500, `changes cannot be written to the state file: ${messageOf(cause)}`);
      }
    };
    const outcome = fault
      ? applyFault(fault.fault, {
          run,
          error,
          wait: (ms) => waited(waits.for(ms)),
          outage: (ms) => {
            this.outages += 1;
            this.parts.outage(ms);
          },
          discardStaged: () => this.simulation.discardStaged(),
          now: () => clock.now,
        })
      : run();
    return outcome.catch((problem: unknown) => {
      if (problem instanceof BrokenError) return { cut: "reset" };
      throw problem;
    });
  }
}

/** Ends a request that waited while the emulator was reset, or while a fault broke all connections. */
class BrokenError extends Error {}

/** True if a header declares an encoded body (RFC 9110, 8.4); `identity` is none. */
function hasCoding(headers: Head["headers"]): boolean {
  return !/^(identity)?$/i.test((headers["content-encoding"] ?? "").trim());
}

/** Redacts the data of a large request only if its body may contain a secret, and before items are cut, which could leave a part of it. */
function withoutSecrets({ data, ...rest }: RequestSummary, body: Buffer, secrets: Secrets): RequestSummary {
  const shown = data && (secrets.mayBeIn(body) ? secrets.cutJson(data) : data);
  return { ...secrets.cutJson(rest), ...(shown && { data: shown.map(keptItem) }) };
}

function unknownPath(target: string): string {
  if (target.startsWith("/fapi?")) return "/fapi takes no query: write the address without ? and what follows";
  return "unknown path: use /fapi, /path/… or /request/…; this is the address of node and receiver, and the control API has another one, `control` in the ready line";
}

function apiOf(target: string): ApiName {
  if (target === "/fapi" || target === REDIRECTED) return "node";
  if (target.startsWith("/path/")) return "signaling";
  return target.startsWith("/request/") ? "test" : "other";
}
