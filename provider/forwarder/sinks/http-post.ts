import { promisify } from "node:util";
import zlib from "node:zlib";
import { z } from "zod";
import { lowerCased, senderHeaders, userinfoOf } from "../../client/endpoint";
import { headers } from "../../client/options";
import { Redactor } from "../../client/redact";
import { attempt } from "../../model/errors";
import { visible } from "../../model/foreign-text";
import { withoutEnding } from "../../model/resource-url";
import { SINK_DEFAULTS, SIZES } from "../defaults";
import { duration, flag, httpUrl, tls } from "../fields";
import { HttpConnection, NoAnswer } from "../http";
import { Outgoing } from "../record/outgoing";
import { joined } from "../record/sheet";
import { AnswerJudge, type AnswerRules, type SinkAnswer } from "./answers";
import { proxyOf } from "./proxy";
import {
  allRejected,
  type Delivered,
  type Parcel,
  type Sink,
  type SinkContext,
  SinkFailure,
  type SinkKind,
  sinkKind,
} from "./sink";

/** The members of all sinks that POST. */
export const httpFields = {
  url: httpUrl,
  headers: headers().optional(),
  tls: tls.optional(),
  gzip: flag.default(false),
  zstd: flag
    .refine((isOn) => !isOn || zlib.zstdCompress !== undefined, { error: "needs Node 22.15 or later" })
    .default(false),
  timeoutMs: duration(1, 600_000).default(SINK_DEFAULTS.timeoutMs),
  deadlineMs: duration(1, 3_600_000).default(SINK_DEFAULTS.deadlineMs),
  followRedirects: flag.default(false),
};

const schema = z.looseObject(httpFields);

/** A body as it is sent. `zstd` is there in some versions of Node only. */
function compressed(body: Uint8Array, encoding: "zstd" | "gzip" | undefined): Promise<Uint8Array> | Uint8Array {
  if (encoding === "zstd") return promisify(zlib.zstdCompress)(body);
  return encoding === "gzip" ? promisify(zlib.gzip)(body) : body;
}

/** Conversion of records to a request, and the rules for its answer. */
interface PostKind {
  readonly contentType: string;
  readonly answers: AnswerRules;
  /** `undefined` where they cannot be written. */
  body(records: Outgoing): Promise<Uint8Array | undefined>;
  /** Headers of the kind, which win over those of the configuration; asked for each request, since secrets change. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** Texts around bodies, in place of the first byte of the first. Default: none. */
  readonly around?: readonly [before: string, after: string];
  /** Carries requests in place of HTTP/1.1, and compresses them itself. */
  readonly connection?: Pick<HttpConnection, "post" | "close">;
  readonly path: string;
}

/**
 * Makes a kind of sink that POSTs.
 *
 * @param path Of the protocol below the `url` of the configuration, see {@link below}; empty where it has none.
 */
export function postingKind<Options extends { readonly url: string; readonly gzip: boolean; readonly zstd: boolean }>(
  options: z.ZodType<Options>,
  path: (options: Options) => string,
  open: (context: SinkContext, options: Options) => Promise<Omit<PostKind, "path">>,
  more: Omit<NonNullable<Parameters<typeof sinkKind<Options>>[2]>, "target"> = {},
): SinkKind {
  return sinkKind(
    options.refine(({ gzip, zstd }) => !(gzip && zstd), { path: ["zstd"], error: "goes without `gzip`: keep one" }),
    async (context, own) => new PostingSink(context, { ...(await open(context, own)), path: path(own) }),
    { ...more, target: (own) => below(new URL(own.url), path(own)) },
  );
}

/**
 * A sink that POSTs to the url of its configuration, with its headers as they are at the moment. Bodies one behind the other are the
 * body of all their records.
 */
class PostingSink implements Sink<Uint8Array | undefined> {
  private readonly connection: Pick<HttpConnection, "post" | "close">;
  private readonly judge: AnswerJudge;

  constructor(
    private readonly context: SinkContext,
    private readonly kind: PostKind,
  ) {
    // One connection: the body of a delivery that is answered early is still being sent.
    const { url } = context.options(schema);
    const tls = () => context.options(schema).tls;
    this.connection =
      kind.connection ?? new HttpConnection({ connections: 1, tls, proxy: proxyOf(url, context) }, context.world);
    this.judge = new AnswerJudge(kind.answers, () => context.world.monotonic());
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
    const { contentType } = this.kind;
    if (body === undefined) return allRejected(await records.records(), `it cannot be written as ${contentType}`);
    const verdict = await this.judge.judge(records, await this.post(body, signal), signal);
    if (verdict.kind === "settled") return verdict.outcome;
    const deliver = async (part: Outgoing) => this.send(part, await this.kind.body(part), signal);
    if (verdict.kind === "divide") return inHalves(records, deliver);
    const { taken, refusal, failure } = verdict;
    if (failure) return restAgain(records.slice(taken, records.count), failure);
    const refused = await records.slice(taken, taken + 1).records();
    const rejected = refused.map((record) => ({ record, reason: refusal ?? "" }));
    const rest = records.slice(taken + 1, records.count);
    // Where many are refused, not all the rest goes with each of them.
    return after({ rejected }, rest, (part) =>
      part.count > 2 * (taken + 1) ? inHalves(part, deliver) : deliver(part),
    );
  }

  /** @throws {SinkFailure} when there was no answer. */
  private async post(body: Uint8Array, signal: AbortSignal): Promise<SinkAnswer> {
    const { path, around } = this.kind;
    const [before = "", behind = ""] = around ?? [];
    const whole = around ? Buffer.concat([Buffer.from(before), body.subarray(1), Buffer.from(behind)]) : body;
    return this.ask((url) => below(url, path), whole, this.kind.contentType, signal);
  }

  private async ask(
    path: (url: URL) => URL,
    body: Uint8Array,
    contentType: string,
    signal: AbortSignal,
  ): Promise<SinkAnswer> {
    const { timeoutMs, deadlineMs, tls, headers, followRedirects: follows, ...options } = this.context.options(schema);
    const url = new URL(options.url);
    const { authorization, secrets } = userinfoOf(url);
    const target = path(url);
    const own = this.kind.headers?.() ?? {};
    const query = [
      ...url.searchParams.values(),
      ...url.search
        .slice(1)
        .split("&")
        .map((one) => one.slice(one.indexOf("=") + 1)),
    ];
    const tokens = Object.values(own).flatMap((value) => [value, value.split(" ").at(-1)]);
    const inPath = givenIn(target, this.context.secretsInUrl());
    const redactor = new Redactor(
      [...Object.values(headers ?? {}), ...tokens, ...secrets, ...query, authorization, tls?.key, ...inPath.secrets],
      inPath.hidden,
    );
    const where = visible(redactor.text(`${target.origin}${target.pathname}`));
    const compression = options.zstd ? "zstd" : options.gzip ? "gzip" : undefined;
    const encoding = this.kind.connection ? undefined : compression;
    const request = {
      method: "POST" as const,
      origin: target.origin,
      path: `${target.pathname}${target.search}`,
      headers: {
        ...senderHeaders(authorization),
        ...lowerCased(headers ?? {}),
        ...own,
        "content-type": contentType,
        ...(encoding && { "content-encoding": encoding }),
      },
      body: await compressed(body, encoding),
    };
    const limits = { timeoutMs, deadlineMs, maxBytes: SIZES.sinkAnswerBytes };
    const answer = await this.connection.post({ request, ...limits, signal, follows }).catch((error: unknown) => {
      if (!(error instanceof NoAnswer)) throw error;
      this.judge.unanswered();
      throw new SinkFailure(`${where}: ${redactor.sanitize(error.message)}`, undefined, false, error.lateMs);
    });
    return {
      ...answer,
      where,
      target,
      follows,
      sanitize: (text) => redactor.sanitize(text),
      ask: (otherPath, text) => this.ask(otherPath, Buffer.from(text), "application/json", signal),
    };
  }
}

/** Delivers two halves one after the other, so that a refused record holds up no other. */
async function inHalves(records: Outgoing, deliver: (part: Outgoing) => Promise<Delivered>): Promise<Delivered> {
  const { count } = records;
  const first = await deliver(records.slice(0, count >> 1));
  return after(first, records.slice(count >> 1, count), deliver);
}

/** Delivers what comes after records whose outcome is known. If that fails, only it is sent again. */
async function after(
  first: Delivered,
  rest: Outgoing,
  deliver: (part: Outgoing) => Promise<Delivered>,
): Promise<Delivered> {
  if (first.again && first.again.length > 0) return { ...first, again: [...first.again, ...(await rest.records())] };
  if (rest.count === 0) return first;
  let second: Delivered;
  try {
    second = await deliver(rest);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    second = await restAgain(rest, error);
  }
  return { ...second, rejected: [...(first.rejected ?? []), ...(second.rejected ?? [])] };
}

/** Those before these were taken. */
async function restAgain(rest: Outgoing, error: Error): Promise<Delivered> {
  const afterMs = error instanceof SinkFailure ? error.afterMs : undefined;
  return { again: await rest.records(), reason: error.message, ...(afterMs !== undefined && { afterMs }) };
}

/**
 * The address of a protocol's path: below that of a `url`, which is the base, or the `url` itself where it ends with the path already.
 * One rule for all sinks, as `OTEL_EXPORTER_OTLP_ENDPOINT` is a base.
 */
export function below(url: URL, path: string): URL {
  const target = new URL(url);
  const base = withoutEnding(url.pathname, "/");
  if (path !== "") target.pathname = base.endsWith(path) ? base : `${base}${path}`;
  return target;
}

/** A segment of a path that is a name, such as that of an index, and no token. */
const NAME = /^(.{0,7}|[a-z._-]{8,15})$/;

/**
 * The parts of a url's path that variables and files gave: texts that no shown address has, and secrets. A segment that was given alone is a
 * secret; of several, those that are no names.
 */
function givenIn({ protocol, origin, host }: URL, given: readonly string[]) {
  const inPath = given.filter((text) => !origin.includes(withoutEnding(text, "/").toLowerCase()));
  const parts = inPath.map((text) => {
    // Also without the protocol: `user:password@host:443/path`.
    const url = attempt(() => new URL(/^https?:\/\//i.test(text) ? text : `${protocol}//${text}`));
    const isUrl = url?.host === host;
    const { pathname } = isUrl ? url : new URL(`http://host/${text}`);
    const path = withoutEnding(pathname, "/").replace(/^\/+/, "");
    const hidden = isUrl ? [path] : [text, path];
    const isAlone = !isUrl && !path.includes("/");
    return { hidden, secrets: isAlone ? hidden : path.split("/").filter((segment) => !NAME.test(segment)) };
  });
  return { hidden: parts.flatMap(({ hidden }) => hidden), secrets: parts.flatMap(({ secrets }) => secrets) };
}

/** An address without what variables and files gave in its path, without user and password, and without its query. */
export function shownAddress(target: URL, given: readonly string[]): string {
  return visible(new Redactor([], givenIn(target, given).hidden).text(`${target.origin}${target.pathname}`));
}
