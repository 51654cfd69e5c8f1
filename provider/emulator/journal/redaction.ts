import { attempt } from "../../model/errors";
import { base64Cores, SecretMatcher } from "../../model/secret-matcher";
import { JOURNAL, SHORTEST_SECRET } from "../defaults";

const CUT = "***";

/** Secrets, and texts without them, however they spell them (`SecretMatcher`). */
export class Secrets {
  private readonly secrets: readonly string[];
  private made: SecretMatcher | undefined;
  private literal: readonly Buffer[] | undefined;

  /** @param freelyFrom Secrets with fewer characters are cut out only where they stand alone. */
  constructor(
    secrets: Iterable<string>,
    private readonly freelyFrom: number = SHORTEST_SECRET.known,
  ) {
    this.secrets = [...new Set(secrets)].filter(({ length }) => length >= SHORTEST_SECRET.alone);
  }

  /** Characters of the longest spelling of one. */
  get longest(): number {
    return this.secrets.length === 0 ? 0 : this.matcher.longest;
  }

  /** Made at the first use: of most requests nothing is looked at. */
  private get matcher(): SecretMatcher {
    this.made ??= new SecretMatcher(this.secrets, this.freelyFrom);
    return this.made;
  }

  /** The text with every secret in it cut out. */
  cut(text: string): string {
    return this.secrets.length === 0 ? text : this.matcher.cut(text, CUT);
  }

  /** The same for every string in a JSON value. */
  cutJson<T>(value: T): T;
  cutJson(value: unknown): unknown {
    if (this.secrets.length === 0) return value;
    if (typeof value === "string") return this.cut(value);
    if (Array.isArray(value)) return value.map((item) => this.cutJson(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [this.cut(name), this.cutJson(member)]));
  }

  /** Whether JSON of a request may hold one: without a look at what it means, which takes long for a large request. */
  mayBeIn(body: Buffer): boolean {
    if (this.secrets.length === 0) return false;
    this.literal ??= this.secrets.flatMap(beginningsOf);
    // Behind an escape anything may stand.
    return ["\\", "%", "&"].some((sign) => body.includes(sign)) || this.literal.some((start) => body.includes(start));
  }
}

/** With what a secret begins that is spelled without escapes: as it is, or in base64 at one of the places of a group. */
function beginningsOf(secret: string): Buffer[] {
  const encoded = base64Cores(secret).map(({ core }) => core.split(/[+/]/, 1)[0] ?? "");
  return [secret, ...encoded.filter(({ length }) => length > 3)].map((text) => Buffer.from(text));
}

/** Headers of requests whose values are shown. Any other may carry a credential. */
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

/** Hidden, and no credential: every `fetch` sends it, as "cors". */
const MODE = "sec-fetch-mode";

const OPERATIONS = new Set(["status", "start", "stop"]);

/** The client's label of its run, from the header `Packetfilter-Run`; empty without one. */
export function runLabel(headers: NodeJS.Dict<string | string[]>): string {
  return String(headers["packetfilter-run"] ?? "")
    .trim()
    .slice(0, JOURNAL.labelCharacters);
}

/** Headers as the journal shows them. */
export function redactHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const shown = Object.entries(headers).map(([name, value]) => [name, SHOWN.has(name) ? String(value) : CUT]);
  return Object.fromEntries(shown);
}

/**
 * A path as the journal shows it: of `/path/<client>/<secret>/<operation>` and `/request/…` the secret is cut out, of any
 * unknown path everything after its first part, since a secret may stand anywhere in it.
 */
export function redactPath(target: string): string {
  const [path = "", query] = target.split("?", 2);
  const [, first = "", ...rest] = path.split("/");
  const [client = "", , operation = ""] = rest;
  const signaling = (first === "path" || first === "request") && rest.length === 3 && OPERATIONS.has(operation);
  const shown = signaling ? [client, CUT, operation] : rest.map((part) => (part === "" ? "" : CUT));
  return `/${[first, ...shown].join("/")}${query === undefined ? "" : "?***"}`;
}

/** Headers of an answer as the journal and a recording show them: where it sends the caller on may hold a client id and a key. */
export function redactAnswerHeaders({
  location,
  ...headers
}: Readonly<Record<string, string>>): Record<string, string> {
  return { ...headers, ...(location !== undefined && { location: redactLocation(location) }) };
}

/** Scheme, host and the first part of an absolute path stay. */
function redactLocation(location: string): string {
  const [, origin = "", path = "", query = ""] =
    /^((?:[a-z][a-z0-9+.-]{0,20}:)?\/\/[^/?#]*)?([^?#]*)(.*)$/is.exec(location) ?? [];
  const parts = path.split("/").map((part, place) => {
    const shown = (place === 1 && path.startsWith("/")) || ["", ".", ".."].includes(part);
    return shown ? part : CUT;
  });
  return `${origin.replace(/\/\/[^/]*@/, "//***@")}${parts.join("/")}${query === "" ? "" : "?***"}`;
}

/** Parts of a request that its answer must not show: values of hidden headers, and the secret in its path. */
export function sentSecrets(target: string, headers: NodeJS.Dict<string | string[]>): string[] {
  const [, , , inPath] = target.split("?", 1)[0]?.split("/") ?? [];
  const hidden = Object.entries(headers).flatMap(([name, value]) =>
    SHOWN.has(name) || name === MODE ? [] : [value ?? []].flat(),
  );
  const credentials = hidden.flatMap((value) => [value, value.slice(value.indexOf(" ") + 1)]);
  // A short number stands in answers by chance.
  const named = credentials.filter((value) => value.length >= SHORTEST_SECRET.sent || /\D/.test(value));
  return [...named, ...(inPath ? [inPath, attempt(() => decodeURIComponent(inPath)) ?? inPath] : [])];
}

/** The beginning of an answer, taken while the answer passes by: however long that is, no more than this is kept. */
export class AnswerStart {
  private readonly secrets: readonly Secrets[];
  private readonly chunks: Buffer[] = [];
  private taken = 0;
  /** Characters of the longest secret. */
  private readonly margin: number;
  /** Length to read: more than is shown, to see a secret across the end whole. */
  private readonly wanted: number;

  constructor(...secrets: Secrets[]) {
    this.secrets = secrets;
    this.margin = Math.max(0, ...secrets.map(({ longest }) => longest));
    this.wanted = JOURNAL.answerBytes + 4 * this.margin;
  }

  /** Is called with each part of the answer, in order. */
  readonly take = (part: Buffer): void => {
    if (this.taken >= this.wanted) return;
    this.chunks.push(part.subarray(0, this.wanted - this.taken));
    this.taken += part.length;
  };

  /** Headers of the answer as they are shown. */
  headers(headers: Readonly<Record<string, string>>): Record<string, string> {
    return this.secrets.reduce((left, secrets) => secrets.cutJson(left), redactAnswerHeaders(headers));
  }

  /** The part of the taken answer that is shown, secrets cut out. */
  text(): string {
    const seen = decoded(Buffer.concat(this.chunks));
    const clean = this.secrets.reduce((text, secrets) => secrets.cut(text), withoutPrivateKeys(seen));
    if (this.taken <= JOURNAL.answerBytes) return clean;
    // A secret that begins in the last part may not have been seen whole.
    const end = this.taken < this.wanted ? clean.length : Math.max(clean.length - this.margin, 0);
    return decoded(Buffer.from(clean.slice(0, end)).subarray(0, JOURNAL.answerBytes));
  }
}

/** A private key in PEM form (RFC 7468), of any owner: a fault may make the node echo one that the emulator does not know. */
function withoutPrivateKeys(text: string): string {
  return text.replace(/-----BEGIN ([A-Z0-9 ]*PRIVATE KEY)-----.*?(?:-----END \1-----|$)/gs, "***");
}

/** Text of bytes, without the part of a character at their end. */
function decoded(bytes: Buffer): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
}
