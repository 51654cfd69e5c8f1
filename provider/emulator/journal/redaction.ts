import { isUtf8 } from "node:buffer";
import { attempt } from "../../model/errors";
import { SecretMatcher } from "../../model/secret-matcher";
import { JOURNAL, SHORTEST_SECRET } from "../defaults";
import { headerText } from "../http/request";

const CUT = "***";

/** Values of headers that are remembered. */
const MOST_VALUES = 100;

/** A text in quotes, as JSON writes it; the last one of a cut text has no end. */
const QUOTED = /"(?:[^"\\]+|\\(?:.|$))*(?:"|$)/gs;

/** Keeps secrets out of texts, by `SecretMatcher`. */
export class Secrets {
  private readonly secrets: readonly string[];
  private made: SecretMatcher | undefined;
  /** Values of headers that were checked: successive requests have the same ones. */
  private readonly keptValues = new Map<string, string>();

  /** @param freelyFrom Secrets with fewer characters are removed only as whole words. */
  constructor(
    secrets: Iterable<string>,
    private readonly freelyFrom: number = SHORTEST_SECRET.known,
  ) {
    this.secrets = [...new Set(secrets)].filter(({ length }) => length >= SHORTEST_SECRET.alone);
  }

  /** Length of the longest form of a secret, in characters. */
  get longest(): number {
    return this.secrets.length === 0 ? 0 : (this.matcher.forms[0]?.length ?? 0);
  }

  /** Made at the first use, which most requests do not need. */
  private get matcher(): SecretMatcher {
    this.made ??= new SecretMatcher(this.secrets, this.freelyFrom);
    return this.made;
  }

  /** The text without secrets. */
  cut(text: string): string {
    return this.secrets.length === 0 ? text : this.matcher.cut(text, CUT);
  }

  /**
   * The answer to a request that carried the secrets, or a header of either: without them, and without each text in quotes that may repeat one in
   * another form. If the rest may, nothing is kept.
   */
  kept(text: string): string {
    if (this.secrets.length === 0) return text;
    // Parts of a text without escapes hold nothing that the whole one does not.
    const isPlain = !text.includes("\\") && !this.matcher.mayBeIn(text);
    if (isPlain && !this.matcher.mayBeIn(text.replace(QUOTED, ""))) return text;
    const clean = this.cut(text).replace(QUOTED, (quoted) => {
      const inner: unknown = attempt(() => JSON.parse(quoted));
      const shown = typeof inner === "string" ? this.cut(inner) : quoted;
      if (this.matcher.mayBeIn(shown)) return JSON.stringify(CUT);
      return shown === inner ? quoted : typeof inner === "string" ? JSON.stringify(shown) : shown;
    });
    return this.matcher.mayBeIn(clean.replace(QUOTED, "")) ? CUT : clean;
  }

  /** The value of a header, as {@link kept}. */
  keptValue(value: string): string {
    const kept = this.keptValues.get(value) ?? this.kept(value);
    if (this.keptValues.size >= MOST_VALUES) this.keptValues.clear();
    this.keptValues.set(value, kept);
    return kept;
  }

  /** Headers for journal and recording, as {@link kept}. */
  keptHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [this.cut(name), this.keptValue(value)]));
  }

  /** A JSON value without secrets in its strings. */
  cutJson<T>(value: T): T;
  cutJson(value: unknown): unknown {
    if (this.secrets.length === 0) return value;
    if (typeof value === "string") return this.cut(value);
    if (Array.isArray(value)) return value.map((item) => this.cutJson(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [this.cut(name), this.cutJson(member)]));
  }

  /** True if the JSON of a request may contain a secret; a quick test, since parsing a large request takes long. */
  mayBeIn(body: Buffer): boolean {
    if (this.secrets.length === 0) return false;
    // An escape of JSON may stand for anything.
    return body.includes("\\") || this.matcher.forms.some((form) => body.includes(form));
  }
}

/** Request headers whose values are shown. Any other may carry a credential. */
const SHOWN = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "connection",
  "content-length",
  "content-type",
  "date",
  "expect",
  "host",
  "keep-alive",
  "packetfilter-run",
  "transfer-encoding",
  "user-agent",
  "user-arena",
]);

/** A hidden header that is not a credential: every `fetch` sends "cors" in it. */
const MODE = "sec-fetch-mode";

const OPERATIONS = new Set(["status", "start", "stop"]);

/** The client's label of its run, from the header `Packetfilter-Run`; empty without the header. */
export function runLabel(headers: NodeJS.Dict<string | string[]>): string {
  return headerText(String(headers["packetfilter-run"] ?? ""))
    .trim()
    .slice(0, JOURNAL.labelCharacters);
}

/** Request headers for the journal. */
export function redactHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    SHOWN.has(name) ? headerText(String(value)) : CUT,
  ]);
  return Object.fromEntries(shown);
}

/**
 * A path for the journal: without the secret of `/path/<client>/<secret>/<operation>` and `/request/…`. Of an unknown path
 * only the first part is shown, since the rest may contain a secret.
 */
export function redactPath(target: string): string {
  const [path = "", query] = target.split("?", 2);
  const [, first = "", ...rest] = path.split("/");
  const [client = "", , operation = ""] = rest;
  const signaling = (first === "path" || first === "request") && rest.length === 3 && OPERATIONS.has(operation);
  const shown = signaling ? [client, CUT, operation] : rest.map((part) => (part === "" ? "" : CUT));
  return `/${[first, ...shown].join("/")}${query === undefined ? "" : "?***"}`;
}

/** Answer headers for journal and recording. A redirect's target may contain a client id and a key, which are removed. */
export function redactAnswerHeaders({
  location,
  ...headers
}: Readonly<Record<string, string>>): Record<string, string> {
  return { ...headers, ...(location !== undefined && { location: redactLocation(location) }) };
}

/** Keeps scheme, host and the first part of an absolute path. */
function redactLocation(location: string): string {
  const [, origin = "", path = "", query = ""] =
    /^((?:[a-z][a-z0-9+.-]{0,20}:)?\/\/[^/?#]*)?([^?#]*)(.*)$/is.exec(location) ?? [];
  const parts = path.split("/").map((part, place) => {
    const shown = (place === 1 && path.startsWith("/")) || ["", ".", ".."].includes(part);
    return shown ? part : CUT;
  });
  return `${origin.replace(/\/\/[^/]*@/, "//***@")}${parts.join("/")}${query === "" ? "" : "?***"}`;
}

/** Secrets of a request, which its answer must not show: values of hidden headers, decoded ones of basic authentication, and the secret in its path. */
export function sentSecrets(target: string, headers: NodeJS.Dict<string | string[]>): string[] {
  const [, , , inPath] = target.split("?", 1)[0]?.split("/") ?? [];
  const hidden = Object.entries(headers).flatMap(([name, value]) =>
    SHOWN.has(name) || name === MODE ? [] : [value ?? []].flat(),
  );
  const credentials = [...hidden, ...hidden.map(headerText)].flatMap((value) => [
    value,
    value.slice(value.indexOf(" ") + 1),
  ]);
  // A short number occurs in answers by chance.
  const named = credentials.filter((value) => value.length >= SHORTEST_SECRET.sent || /\D/.test(value));
  const decoded = hidden.flatMap((value) => {
    const [, basic] = /^Basic\s+(\S.*)$/i.exec(value) ?? [];
    const pair = Buffer.from(basic ?? "", "base64").toString("utf8");
    return [pair, pair.slice(pair.indexOf(":") + 1)];
  });
  return [...named, ...decoded, ...(inPath ? [inPath, attempt(() => decodeURIComponent(inPath)) ?? inPath] : [])];
}

/** Keeps the beginning of an answer while it is sent, with limited memory. */
export class AnswerStart {
  private readonly chunks: Buffer[] = [];
  private taken = 0;
  /** Length of the longest secret, in characters. */
  private readonly margin: number;
  /** Length to keep: more than is shown, so that a secret across the end is complete. */
  private readonly limit: number;

  /**
   * @param known Secrets of the emulator.
   * @param sent Credentials of the request.
   */
  constructor(
    private readonly known: Secrets,
    private readonly sent: Secrets,
  ) {
    this.margin = Math.max(known.longest, sent.longest);
    this.limit = JOURNAL.answerBytes + 4 * this.margin;
  }

  /** Takes the parts of the answer, in order. */
  readonly take = (part: Buffer): void => {
    if (this.taken >= this.limit) return;
    this.chunks.push(part.subarray(0, this.limit - this.taken));
    this.taken += part.length;
  };

  /** The headers of the answer to show. */
  headers(headers: Readonly<Record<string, string>>): Record<string, string> {
    return this.sent.keptHeaders(this.known.cutJson(redactAnswerHeaders(headers)));
  }

  /** The beginning of the answer to show, without secrets. */
  text(): string {
    const raw = decoded(Buffer.concat(this.chunks));
    const clean = this.sent.kept(this.known.cut(withoutPrivateKeys(raw)));
    if (this.taken <= JOURNAL.answerBytes) return clean;
    // A secret that begins in the last part may be incomplete.
    const end = this.taken < this.limit ? clean.length : Math.max(clean.length - this.margin, 0);
    return decoded(Buffer.from(clean.slice(0, end)).subarray(0, JOURNAL.answerBytes));
  }
}

/** A private key in PEM (RFC 7468) of any owner: a fault may make the node echo an unknown one. */
function withoutPrivateKeys(text: string): string {
  return text.replace(/-----BEGIN ([A-Z0-9 ]*PRIVATE KEY)-----.*?(?:-----END \1-----|$)/gs, "***");
}

/** The text of bytes, without an incomplete character at the end. */
function decoded(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
}
