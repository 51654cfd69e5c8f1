import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { z } from "zod";
import { senderHeaders, userinfoOf } from "../../client/endpoint";
import { Redactor } from "../../client/redact";
import { flag, headers, httpUrl, tls, whole } from "../config/fields";
import { SINK_DEFAULTS, TIMES } from "../defaults";
import { HttpConnection, NoAnswer, type WholeAnswer } from "../http";
import { Outgoing } from "../record/outgoing";
import { joined } from "../record/sheet";
import { allRejected, type Delivered, type Sink, type SinkContext, SinkFailure } from "./sink";

/** The members of all sinks that POST. */
export const httpFields = {
  url: httpUrl,
  headers: headers.optional(),
  tls: tls.optional(),
  gzip: flag.default(false),
  timeoutMs: whole(1, 600_000).default(SINK_DEFAULTS.timeoutMs),
};

/** The options of a sink that POSTs, beside those of its kind. */
const schema = z.looseObject(httpFields);

const compress = promisify(gzip);

/** What a proxy in between says, too, while the server is being replaced: an outage, until it has lasted `TIMES.refusalMs`. */
const OUTAGE_LIKE: readonly number[] = [403, 404];

/** Tries later what says so itself (RFC 9110, section 15.5; RFC 6585), and what a server may get over. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/** What a sink answered, and its words as a message or a file may quote them. */
export interface SinkAnswer extends WholeAnswer {
  told(text: string): string;
}

/** How records become a request, and what its answer says of them. */
interface PostKind {
  readonly contentType: string;
  /** Statuses that may mean a part of the records only: too large, or something in it is wrong. */
  readonly divisible: readonly number[];
  /** `undefined` where they cannot be written. */
  body(records: Outgoing): Promise<Uint8Array | undefined>;
  /** Changes the url of the configuration. */
  readonly path?: (url: URL) => URL;
  /** What became of them, by an answer below 400; default: all of them are delivered. */
  judge?(records: Outgoing, answer: SinkAnswer): Promise<Delivered>;
}

/** A sink that POSTs. Bodies one behind the other are the body of all their records. */
export function postingSink(
  context: SinkContext,
  { contentType, divisible, body, path, judge }: PostKind,
): Sink<Uint8Array | undefined> {
  const post = new HttpPost(context);
  const send = async (records: Outgoing, text: Uint8Array | undefined, signal: AbortSignal): Promise<Delivered> => {
    if (text === undefined) return allRejected(await records.records(), `it cannot be written as ${contentType}`);
    const answer = await post.send(text, contentType, signal, path);
    if (divisible.includes(answer.status) && records.count > 1) {
      return halves(records, async (half) => send(half, await body(half), signal));
    }
    if (answer.status >= 400) return allRejected(await records.records(), refusalOf(answer));
    return (await judge?.(records, answer)) ?? {};
  };
  return {
    async write(records) {
      const payload = await body(records);
      return { payload, bytes: payload?.length ?? 0 };
    },
    async deliver(parcels, signal) {
      const records = Outgoing.all(parcels.map((parcel) => parcel.records));
      const bodies = parcels.map(({ payload }) => payload).filter((payload) => payload !== undefined);
      return send(records, bodies.length < parcels.length ? undefined : joined(bodies), signal);
    },
    close: () => post.close(),
  };
}

/** Sends bodies to the url of a sink, with its headers as they are at the moment. */
class HttpPost {
  private readonly connection: HttpConnection;
  /** Since when nothing but {@link OUTAGE_LIKE} was answered. */
  private refusedSince: number | undefined;

  constructor(private readonly context: SinkContext) {
    // One: a delivery that is answered early is on its way until the next one is answered, too.
    this.connection = new HttpConnection({ connections: 1, tls: () => this.options().tls }, context.world);
  }

  /**
   * Answers with any status below 400 but 3xx, and with those that refuse for good.
   *
   * @param path Changes the url of the configuration.
   * @throws {SinkFailure} when there was no answer, or one that asks to try again.
   */
  async send(
    body: Uint8Array,
    contentType: string,
    signal: AbortSignal,
    path: (url: URL) => URL = (url) => url,
  ): Promise<SinkAnswer> {
    const options = this.options();
    const url = new URL(options.url);
    const { authorization, secrets } = userinfoOf(url);
    const target = path(url);
    const redactor = new Redactor([
      ...Object.values(options.headers ?? {}),
      ...secrets,
      authorization,
      options.tls?.key,
    ]);
    const where = redactor.told(`${target.origin}${target.pathname}`);
    const payload = options.gzip ? await compress(body) : body;
    let answer: WholeAnswer;
    try {
      answer = await this.connection.post({
        request: {
          method: "POST",
          origin: target.origin,
          path: `${target.pathname}${target.search}`,
          headers: {
            ...senderHeaders(authorization),
            ...options.headers,
            "content-type": contentType,
            ...(options.gzip && { "content-encoding": "gzip" }),
          },
          body: payload,
        },
        timeoutMs: options.timeoutMs,
        signal,
      });
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      this.refusedSince = undefined;
      throw new SinkFailure(`${where}: ${redactor.told(error.message)}`);
    }
    const { status } = answer;
    const quote = (text: string) => redactor.told(text);
    const refusal = `${where}: ${refusalOf({ ...answer, told: quote })}`;
    if (OUTAGE_LIKE.includes(status)) {
      const now = this.context.world.monotonic();
      this.refusedSince ??= now;
      // Credentials may have been replaced.
      if (now - this.refusedSince < TIMES.refusalMs) throw new SinkFailure(refusal, answer.afterMs, true);
    } else this.refusedSince = undefined;
    if (status === 401 || status === 407) {
      throw new SinkFailure(`${where}: HTTP ${status}, the credentials were not taken`, answer.afterMs, true);
    }
    if (isPassing(status)) throw new SinkFailure(refusal, answer.afterMs);
    if (status >= 300 && status < 400) throw new SinkFailure(`${where}: HTTP ${status}, a redirect to elsewhere`);
    return { ...answer, told: quote };
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  private options() {
    return this.context.options(schema);
  }
}

/** What a refusal says, short. */
function refusalOf({ status, body, told }: SinkAnswer): string {
  const words = told(body.toString("utf8"));
  return `HTTP ${status}${words === "" ? "" : `: ${words}`}`;
}

/**
 * Delivers two halves one after the other, so that one record that a sink does not take keeps no other from being delivered. What the
 * second half's failure leaves open is sent again alone.
 */
async function halves(records: Outgoing, deliver: (records: Outgoing) => Promise<Delivered>): Promise<Delivered> {
  const { count } = records;
  const first = await deliver(records.slice(0, count >> 1));
  const rest = records.slice(count >> 1, count);
  if (first.again && first.again.length > 0) return { ...first, again: [...first.again, ...(await rest.records())] };
  try {
    const second = await deliver(rest);
    return { ...second, rejected: [...(first.rejected ?? []), ...(second.rejected ?? [])] };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const afterMs = "afterMs" in error && typeof error.afterMs === "number" ? { afterMs: error.afterMs } : {};
    return { rejected: first.rejected ?? [], again: await rest.records(), reason: error.message, ...afterMs };
  }
}
