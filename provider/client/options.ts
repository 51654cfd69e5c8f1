import { X509Certificate } from "node:crypto";
import type { z } from "zod";
import { MAX_VALUE } from "../model/entry";
import { attempt } from "../model/errors";
import { MARK_PAUSE_MS } from "../model/mark";
import { jsonIn } from "../model/readable";
import { describeIssues, objectError, schema, zod } from "../model/schema";
import type { Answers, ReceiverAnswers } from "../wire/answers";
import { answersSchema, receiverAnswersSchema } from "../wire/answers-schema";
import { NODE_PATH } from "../wire/node-command";
import { LONGEST_TIMER_MS } from "./clock";
import { parseEndpoint } from "./endpoint";
import { OptionsError } from "./errors";

/** TLS settings of a connection. All texts are PEM. */
export interface TlsOptions {
  /** Certificates of the authorities that are trusted instead of the usual ones. */
  readonly ca?: string;
  /** Client certificate; needs `key`. */
  readonly cert?: string;
  /** Private key of the client certificate. */
  readonly key?: string;
  /** Name in the server's certificate, if it differs from the host of the url. */
  readonly serverName?: string;
}

/** Connection to a node. The client applies the default of each absent member. */
export interface NodeOptions {
  /** Base url of the node, with or without `/fapi`; userinfo in it means basic authentication. */
  readonly endpoint: string;
  /** Further request headers, for example `{ authorization: "Bearer …" }`. Secrets. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Value of the header `User-Arena` of mark lists. Default: the arena of the list. */
  readonly userArena?: string;
  /** Only with an `https:` endpoint. */
  readonly tls?: TlsOptions;
  /** Milliseconds for one request and its answer. Default: 10 000. */
  readonly timeoutMs?: number;
  /**
   * Milliseconds for one request with all its repeats and pauses: up to five tries, and more while the node is busy.
   * Default: 60 000.
   */
  readonly deadlineMs?: number;
  /** Entries in one insert or delete request. Default: 5 000. */
  readonly maxEntriesPerRequest?: number;
  /** Bytes of one insert or delete request. Default: 1 048 576 (1 MiB). */
  readonly maxBytesPerRequest?: number;
  /** Requests to the node at the same time. Default: 4. */
  readonly maxConcurrency?: number;
  /** Bytes of one answer; a longer one is an error and is not read to its end. Default: 134 217 728 (128 MiB). */
  readonly maxAnswerBytes?: number;
  /** Records of one list; a longer one is an error. Default: 5 000 000. */
  readonly maxListRecords?: number;
  /** The largest value that the node takes; resources and `block` refuse larger ones before anything is sent. Default: none. */
  readonly maxValue?: number;
  /** Milliseconds of quiet after which gathered changes of a set are written. Default: 30. */
  readonly commitCoalesceMs?: number;
  /**
   * Milliseconds that a commit may take to show in the node's lists. A change that does not show is waited for; `deadlineMs`
   * of that wait begins after this time. Default: 0.
   */
  readonly commitDelayMs?: number;
  /**
   * Reaction to staged changes of another writer, which a commit would publish. If set, one more list before each commit
   * looks for them, which works on nodes that list staged entries: `"fail"` commits nothing, `"warn"` commits with a
   * warning. Default: no such list; foreign changes are reported after the commit.
   */
  readonly foreignStaged?: "fail" | "warn";
  /**
   * Effect of an insert of a prefix that the set holds: `"overwrite"` gives it the new value, `"error"` refuses it, and
   * `"ignored"` answers with success and keeps the old value. With the last two, a change of a value is a delete and an insert
   * before the same commit. Default: an overwriting insert is tried, and after a refusal a delete and an insert.
   */
  readonly insertExisting?: "overwrite" | "error" | "ignored";
  /**
   * Url of a commit, for a node that does not commit set by set: `"prefixset://{arena}"`. `{arena}`, `{profile}` and `{set}`
   * stand for the names of the set. Sets with the same url are written one after the other. Default: the url of the set, as the
   * contract shows it.
   */
  readonly commitUrl?: string;
  /**
   * Shape of the node's answers, if the client does not recognise it; `pulumi-packetfilter docs configuration` prints its members.
   * Default: unambiguous shapes.
   */
  readonly answers?: Answers;
  /**
   * Reaction of a refresh to a node that does not answer: `"fail"`, or `"skip"`, which keeps the state with a warning.
   * Default: `"fail"`.
   */
  readonly onUnreachable?: "fail" | "skip";
  /**
   * Milliseconds from the end of one list of marks, even a failed one, to the start of the next, for all callers in this
   * process. Default: 3 000; less only with `markPace: "off"`.
   */
  readonly markPauseMs?: number;
  /**
   * Lists of marks that `markPauseMs` separates: those of one table, or all lists of the node. With `"off"` no list waits.
   * Default: `"table"`.
   */
  readonly markPace?: "table" | "node" | "off";
}

/** Connection to a signaling receiver. */
export interface ReceiverOptions {
  /** Base url of the signaling API, without client id and secret (`{signal_url}` of the contract). */
  readonly url: string;
  /** Id of the client, a part of each request's path. */
  readonly clientId: string;
  /** A secret. */
  readonly secretKey: string;
  /** Only with an `https:` url. */
  readonly tls?: TlsOptions;
  /**
   * Shape of the receiver's answers, if it differs from the contract; `pulumi-packetfilter docs configuration` prints its members.
   * Default: unambiguous shapes.
   */
  readonly answers?: ReceiverAnswers;
  /** Milliseconds for one request and its answer. Default: 10 000. */
  readonly timeoutMs?: number;
  /** Milliseconds for one operation: its requests, repeats, pauses and checks. Default: 60 000. */
  readonly deadlineMs?: number;
}

type Defaulted =
  | "timeoutMs"
  | "deadlineMs"
  | "maxEntriesPerRequest"
  | "maxBytesPerRequest"
  | "maxConcurrency"
  | "maxAnswerBytes"
  | "maxListRecords"
  | "commitCoalesceMs"
  | "commitDelayMs"
  | "onUnreachable"
  | "markPauseMs"
  | "markPace";

/** The defaults of both kinds of options. */
export const DEFAULTS: Required<Pick<NodeOptions, Defaulted>> = {
  timeoutMs: 10_000,
  deadlineMs: 60_000,
  maxEntriesPerRequest: 5_000,
  maxBytesPerRequest: 1_048_576,
  maxConcurrency: 4,
  maxAnswerBytes: 134_217_728,
  maxListRecords: 5_000_000,
  commitCoalesceMs: 30,
  commitDelayMs: 0,
  onUnreachable: "fail",
  markPauseMs: MARK_PAUSE_MS,
  markPace: "table",
};

/** The longest text that V8 holds (`buffer.constants.MAX_STRING_LENGTH`), since an answer is read as one. */
const MAX_BODY = 2 ** 29 - 24;

/** Config values are often strings; `"500"` is 500. */
function integer(min: number, max: number) {
  const z = zod();
  const number = z.number({ error: "must be a number" }).int({ error: "must be an integer" });
  const ranged = number.min(min, { error: `must be at least ${min}` }).max(max, { error: `must be at most ${max}` });
  return z
    .preprocess((value) => (typeof value === "string" && /^\s*\d+\s*$/.test(value) ? Number(value) : value), ranged)
    .optional();
}

/** An object or its JSON text. A text that is not JSON fails later as "must be an object". */
function objectOrJson<T extends z.ZodType>(schema: T) {
  return zod().preprocess((value) => (typeof value === "string" ? (jsonIn(value) ?? value) : value), schema);
}

const text = schema(() => zod().string({ error: "must be a string" }).min(1, { error: "must not be empty" }));

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Rest of a sentence about a text that {@link isHeaderText} refuses. */
export const NO_HEADER = "has characters that no header can carry";
/** Headers that describe the HTTP message; the client sets them. */
const OWN_HEADERS = new Set(["connection", "content-length", "content-type", "keep-alive", "te", "transfer-encoding"]);

/** Request headers by name. @internal */
export const headers = schema(() => {
  const z = zod();
  const message = "must be an object of strings, or its JSON";
  const texts = z.record(z.string(), z.string({ error: "must be a string" }), { error: message });
  return objectOrJson(
    texts.superRefine((record, context) => {
      for (const [name, value] of Object.entries(record)) {
        const problem = headerProblem(name, value);
        if (problem) context.addIssue({ code: "custom", path: [name], message: problem });
      }
    }),
  );
});

function headerProblem(name: string, value: string): string | undefined {
  if (!HEADER_NAME.test(name)) return "is not the name of a header";
  if (OWN_HEADERS.has(name.toLowerCase())) return "is set by the client itself";
  if (!HEADER_VALUE.test(value)) return "has a value with characters that no header can carry";
  return undefined;
}

/** True for a text that the value of a header can carry as UTF-8: one without control characters. */
export function isHeaderText(value: string): boolean {
  return HEADER_VALUE.test(Buffer.from(value, "utf8").toString("latin1"));
}

/** One certificate or several, PEM. A file without any would be trusted for nothing, or for all that is usual. */
function certificate() {
  const holdsOne = (value: string) => attempt(() => new X509Certificate(value)) !== undefined;
  return text().refine(holdsOne, { error: "holds no certificate in PEM" }).optional();
}

const tls = schema(() => {
  const part = text().optional();
  const parts = zod().strictObject(
    { ca: certificate(), cert: certificate(), key: part, serverName: part },
    { error: objectError() },
  );
  const isPair = ({ cert, key }: TlsOptions) => (cert === undefined) === (key === undefined);
  return objectOrJson(parts.refine(isPair, { error: "`cert` and `key` belong together" }));
});

function baseUrl(option: string, cut?: string) {
  return text().superRefine((value, context) => {
    try {
      parseEndpoint(value, option, cut);
    } catch (error) {
      if (!(error instanceof OptionsError)) throw error;
      context.addIssue({ code: "custom", message: error.message.replace(/^`[^`]*` |\.$/g, "") });
    }
  });
}

/** The url of a commit: a scheme, and the names of the set in braces. */
function commitUrl() {
  const shape = "must be a url such as prefixset://{arena}, in which only {arena}, {profile} and {set} are replaced";
  return text().refine((value) => /^[a-z][a-z0-9+.-]*:\/\/(?:[^{}\s]|\{(?:arena|profile|set)\})+$/i.test(value), {
    error: shape,
  });
}

const timing = schema(() => ({
  timeoutMs: integer(1, LONGEST_TIMER_MS),
  deadlineMs: integer(1, LONGEST_TIMER_MS),
}));

/**
 * Checks a node from config, arguments or a file. Unknown members are refused by name. Writes no defaults.
 *
 * @internal
 */
export const nodeSchema = schema((): z.ZodType<NodeOptions> => {
  const z = zod();
  return z
    .strictObject(
      {
        endpoint: baseUrl("endpoint", NODE_PATH),
        headers: headers().optional(),
        userArena: text().refine(isHeaderText, { error: NO_HEADER }).optional(),
        tls: tls().optional(),
        ...timing(),
        maxEntriesPerRequest: integer(1, 10_000_000),
        maxBytesPerRequest: integer(256, 2 ** 30),
        maxConcurrency: integer(1, 1_000),
        maxAnswerBytes: integer(1, MAX_BODY),
        maxListRecords: integer(1, 100_000_000),
        maxValue: integer(0, MAX_VALUE),
        commitCoalesceMs: integer(0, 60_000),
        commitDelayMs: integer(0, 3_600_000),
        foreignStaged: z.enum(["fail", "warn"], { error: 'must be "fail" or "warn"' }).optional(),
        insertExisting: z
          .enum(["overwrite", "error", "ignored"], { error: 'must be "overwrite", "error" or "ignored"' })
          .optional(),
        commitUrl: commitUrl().optional(),
        answers: objectOrJson(z.lazy(answersSchema)).optional(),
        onUnreachable: z.enum(["fail", "skip"], { error: 'must be "fail" or "skip"' }).optional(),
        markPauseMs: integer(0, 3_600_000),
        markPace: z.enum(["table", "node", "off"], { error: 'must be "table", "node" or "off"' }).optional(),
      },
      { error: objectError() },
    )
    .superRefine((node, context) => refuseIdleTls(node.endpoint, node.tls, "endpoint", context))
    .superRefine(({ markPauseMs = DEFAULTS.markPauseMs, markPace }, context) => {
      // The contract sets the pause (docs/contributing/contract.md#pace-of-mark-lists); a shorter one needs an explicit "off".
      if (markPace === "off" || markPauseMs >= DEFAULTS.markPauseMs) return;
      const message = `must be at least ${DEFAULTS.markPauseMs}, or go with \`markPace\`: "off"`;
      context.addIssue({ code: "custom", path: ["markPauseMs"], message, input: "" });
    });
});

/**
 * Checks a receiver from config, arguments or a file. Unknown members are refused by name. Writes no defaults.
 *
 * @internal
 */
export const receiverSchema = schema(
  (): z.ZodType<ReceiverOptions> =>
    zod()
      .strictObject(
        {
          url: baseUrl("url"),
          clientId: segment(),
          secretKey: segment(),
          tls: tls().optional(),
          answers: objectOrJson(zod().lazy(receiverAnswersSchema)).optional(),
          ...timing(),
        },
        { error: objectError() },
      )
      .superRefine((receiver, context) => refuseIdleTls(receiver.url, receiver.tls, "url", context)),
);

/** A path segment (docs/contributing/contract.md#signaling-credentials). Urls are sent without "." and "..". */
function segment() {
  return text().refine((value) => value !== "." && value !== "..", { error: 'must not be "." or ".."' });
}

/** Refuses TLS options for an http url, where they have no effect. */
function refuseIdleTls(url: string, given: TlsOptions | undefined, option: string, context: z.core.$RefinementCtx) {
  if (given === undefined || /^https:/i.test(url.trim())) return;
  context.addIssue({
    code: "custom",
    path: ["tls"],
    message: `has no effect, since \`${option}\` is not https`,
    input: "",
  });
}

/**
 * @throws {OptionsError} with all problems, each naming its option in backticks.
 * @internal
 */
export function parseOptions<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new OptionsError(`Options of the ${what}: ${describeIssues(result.error)}.`);
}

/** The members that are not `undefined`; an `undefined` one would hide a default when spread over it. */
export function given<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}
