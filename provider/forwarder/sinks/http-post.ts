import { promisify } from "node:util";
import zlib from "node:zlib";
import { z } from "zod";
import { senderHeaders, userinfoOf } from "../../client/endpoint";
import { Redactor } from "../../client/redact";
import { withoutEnding } from "../../model/resource-url";
import { SINK_DEFAULTS, TIMES } from "../defaults";
import { duration, flag, headers, httpUrl, tls } from "../fields";
import { HttpConnection, NoAnswer, type WholeAnswer } from "../http";
import { Outgoing } from "../record/outgoing";
import { joined } from "../record/sheet";
import { proxyOf } from "./proxy";
import { allRejected, type Delivered, type Parcel, type Sink, type SinkContext, SinkFailure } from "./sink";

/** The members of all sinks that POST. */
export const httpFields = {
  url: httpUrl,
  headers: headers.optional(),
  tls: tls.optional(),
  gzip: flag.default(false),
  zstd: flag
    .refine((wanted) => !wanted || zlib.zstdCompress !== undefined, { error: "needs Node 22.15 or later" })
    .default(false),
  timeoutMs: duration(1, 600_000).default(SINK_DEFAULTS.timeoutMs),
};

/** The options of a sink that POSTs, beside those of its kind. */
const schema = z.looseObject(httpFields);

/** A body as it is sent. `zstd` is there in some versions of Node only. */
function compressed(body: Uint8Array, encoding: "zstd" | "gzip" | undefined): Promise<Uint8Array> | Uint8Array {
  if (encoding === "zstd") return promisify(zlib.zstdCompress)(body);
  return encoding === "gzip" ? promisify(zlib.gzip)(body) : body;
}

/** Statuses that a proxy also sends while the server is being replaced: an outage, until it has lasted `TIMES.refusalMs`. */
const OUTAGE_LIKE: readonly number[] = [403, 404];

/** True for statuses that ask to try later (RFC 9110, section 15.5; RFC 6585), and for errors of the server. */
function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/** Answer of a sink, and its words as a message or a file may quote them. */
export interface SinkAnswer extends WholeAnswer {
  told(text: string): string;
}

/** Conversion of records to a request, and of its answer to their fate. */
interface PostKind {
  readonly contentType: string;
  /** Statuses that may mean a part of the records only: too large, or something in it is wrong. */
  readonly divisible: readonly number[];
  /** `undefined` where they cannot be written. */
  body(records: Outgoing): Promise<Uint8Array | undefined>;
  /** Headers of the kind, which win over those of the configuration; asked for each request, since secrets change. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** Texts around bodies, in place of the first byte of the first. Default: none. */
  readonly around?: readonly [before: string, after: string];
  /** True for a status from 400 on that is about no record: it is an outage. Default: those that every server may get over. */
  isPassing?(answer: SinkAnswer): boolean;
  /** Carries requests in place of HTTP/1.1, and compresses them itself. */
  readonly connection?: Pick<HttpConnection, "post" | "close">;
  /** Changes the url of the configuration. */
  readonly path?: (url: URL) => URL;
  /** Fate of records by an answer below 400; default: all are delivered. */
  judge?(records: Outgoing, answer: SinkAnswer): Promise<Delivered>;
}

/**
 * A sink that POSTs to the url of its configuration, with its headers as they are at the moment. Bodies one behind the other are the
 * body of all their records.
 */
export class PostingSink implements Sink<Uint8Array | undefined> {
  private readonly connection: Pick<HttpConnection, "post" | "close">;
  /** Since when nothing but {@link OUTAGE_LIKE} was answered. */
  private refusedSince: number | undefined;

  constructor(
    private readonly context: SinkContext,
    private readonly kind: PostKind,
  ) {
    // One connection: the body of a delivery that is answered early is still being sent.
    const { url } = context.options(schema);
    const tls = () => context.options(schema).tls;
    this.connection =
      kind.connection ?? new HttpConnection({ connections: 1, tls, proxy: proxyOf(url, context) }, context.world);
  }

  async write(records: Outgoing) {
    const payload = await this.kind.body(records);
    return { payload, bytes: payload?.length ?? 0 };
  }

  deliver(parcels: readonly Parcel<Uint8Array | undefined>[], signal: AbortSignal): Promise<Delivered> {
    const records = Outgoing.all(parcels.map((parcel) => parcel.records));
    const bodies = parcels.map(({ payload }) => payload).filter((payload) => payload !== undefined);
    return this.send(records, bodies.length < parcels.length ? undefined : joined(bodies), signal);
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  private async send(records: Outgoing, body: Uint8Array | undefined, signal: AbortSignal): Promise<Delivered> {
    const { contentType, divisible, judge } = this.kind;
    if (body === undefined) return allRejected(await records.records(), `it cannot be written as ${contentType}`);
    const answer = await this.post(body, signal);
    if (divisible.includes(answer.status) && records.count > 1) {
      return halves(records, async (half) => this.send(half, await this.kind.body(half), signal));
    }
    if (answer.status >= 400) return allRejected(await records.records(), refusalOf(answer));
    return (await judge?.(records, answer)) ?? {};
  }

  /**
   * Answers with any status below 400 but 3xx, and with those that refuse for good.
   *
   * @throws {SinkFailure} when there was no answer, or one that asks to try again.
   */
  private async post(body: Uint8Array, signal: AbortSignal): Promise<SinkAnswer> {
    const { contentType, path = (url: URL) => url } = this.kind;
    const { timeoutMs, tls, headers, ...options } = this.context.options(schema);
    const url = new URL(options.url);
    const { authorization, secrets } = userinfoOf(url);
    const target = path(url);
    const own = this.kind.headers?.() ?? {};
    const tokens = Object.values(own).flatMap((value) => [value, value.split(" ").at(-1)]);
    const redactor = new Redactor([...Object.values(headers ?? {}), ...tokens, ...secrets, authorization, tls?.key]);
    const where = redactor.told(`${target.origin}${target.pathname}`);
    const [before = "", after = ""] = this.kind.around ?? [];
    const whole = this.kind.around ? Buffer.concat([Buffer.from(before), body.subarray(1), Buffer.from(after)]) : body;
    const wanted = options.zstd ? "zstd" : options.gzip ? "gzip" : undefined;
    const encoding = this.kind.connection ? undefined : wanted;
    const request = {
      method: "POST" as const,
      origin: target.origin,
      path: `${target.pathname}${target.search}`,
      headers: {
        ...senderHeaders(authorization),
        ...headers,
        ...own,
        "content-type": contentType,
        ...(encoding && { "content-encoding": encoding }),
      },
      body: await compressed(whole, encoding),
    };
    const answer = await this.connection.post({ request, timeoutMs, signal }).catch((error: unknown) => {
      if (!(error instanceof NoAnswer)) throw error;
      this.refusedSince = undefined;
      throw new SinkFailure(`${where}: ${redactor.told(error.message)}`);
    });
    const { status, afterMs } = answer;
    const told = (text: string) => redactor.told(text);
    const refusal = `${where}: ${refusalOf({ ...answer, told })}`;
    if (OUTAGE_LIKE.includes(status)) {
      const now = this.context.world.monotonic();
      this.refusedSince ??= now;
      // Credentials may have been replaced.
      if (now - this.refusedSince < TIMES.refusalMs) throw new SinkFailure(refusal, afterMs, true);
    } else this.refusedSince = undefined;
    if (status === 401 || status === 407) {
      throw new SinkFailure(`${where}: HTTP ${status}, the credentials were refused`, afterMs, true);
    }
    const isOutage = status >= 400 && this.kind.isPassing?.({ ...answer, told });
    if (isPassing(status) || isOutage) throw new SinkFailure(refusal, afterMs);
    if (status >= 300 && status < 400) throw new SinkFailure(`${where}: HTTP ${status}, a redirect to another address`);
    return { ...answer, told };
  }
}

/** Short words of a refusal. */
function refusalOf({ status, body, told }: SinkAnswer): string {
  const words = told(body.toString("utf8"));
  return `HTTP ${status}${words === "" ? "" : `: ${words}`}`;
}

/**
 * Delivers two halves one after the other, so that a refused record holds up no other. If the second half fails, only that half
 * is sent again.
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
    const afterMs = error instanceof SinkFailure ? error.afterMs : undefined;
    return { rejected: first.rejected ?? [], again: await rest.records(), reason: error.message, afterMs };
  }
}

/** A path below that of a url. */
export function below(url: URL, path: string): URL {
  const target = new URL(url);
  target.pathname = `${withoutEnding(url.pathname, "/")}${path}`;
  return target;
}
