import { JOURNAL, SHORTEST_SECRET } from "../defaults";

/** What stands in the place of a secret. */
const CUT = "***";

/** Secrets, and texts without them. */
export class Secrets {
  /** Characters of the longest spelling of one. */
  readonly longest: number;
  private readonly pattern: RegExp | undefined;
  private readonly bytes: readonly Buffer[];

  constructor(secrets: Iterable<string>) {
    const spelled = new Set([...secrets].filter(({ length }) => length >= SHORTEST_SECRET.known).flatMap(spellings));
    // The longest first: of two secrets, one within the other, nothing is left over.
    const sorted = [...spelled].sort((a, b) => b.length - a.length);
    this.longest = sorted[0]?.length ?? 0;
    this.bytes = sorted.map((text) => Buffer.from(text));
    this.pattern = sorted.length === 0 ? undefined : new RegExp(sorted.map(literal).join("|"), "g");
  }

  /** The text with every secret in it cut out. */
  cut(text: string): string {
    return this.pattern ? text.replace(this.pattern, CUT) : text;
  }

  /** The same for every string in a JSON value. */
  cutJson<T>(value: T): T;
  cutJson(value: unknown): unknown {
    if (!this.pattern) return value;
    if (typeof value === "string") return this.cut(value);
    if (Array.isArray(value)) return value.map((item) => this.cutJson(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [this.cut(name), this.cutJson(member)]));
  }

  /** Whether JSON of a request may hold one: without a look at what it means, which takes long for a large request. */
  mayBeIn(body: Buffer): boolean {
    // Behind an escape anything may stand.
    return this.bytes.length > 0 && (body.includes("\\") || this.bytes.some((secret) => body.includes(secret)));
  }
}

/** A secret as it stands in plain text, in an address, and in JSON, also of languages that escape `/` there. */
function spellings(secret: string): string[] {
  const whole = Buffer.from(secret).toString();
  const json = JSON.stringify(whole).slice(1, -1);
  return [secret, encodeURIComponent(whole), json, json.replaceAll("/", "\\/")];
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
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

const OPERATIONS = new Set(["status", "start", "stop"]);

/** What the client calls its run, in the header `Packetfilter-Run`; empty without one. */
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

/** What a request carries that must not be seen in its answer: values of hidden headers, and the secret in its path. */
export function sentSecrets(target: string, headers: NodeJS.Dict<string | string[]>): string[] {
  const [, , , inPath] = target.split("?", 1)[0]?.split("/") ?? [];
  const hidden = Object.entries(headers).flatMap(([name, value]) => (SHOWN.has(name) ? [] : [value ?? []].flat()));
  const credentials = hidden.flatMap((value) => [value, value.slice(value.indexOf(" ") + 1)]);
  return [
    ...credentials.filter(({ length }) => length >= SHORTEST_SECRET.sent),
    ...(inPath ? [inPath, decode(inPath)] : []),
  ];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The beginning of an answer, taken while the answer passes by: however long that is, no more than this is kept. */
export class AnswerStart {
  private readonly secrets: readonly Secrets[];
  private readonly chunks: Buffer[] = [];
  private taken = 0;
  /** Characters of the longest secret. */
  private readonly margin: number;
  /** So much more than is shown is looked at, so that a secret across the end is seen whole. */
  private readonly wanted: number;

  /** @param secrets What is cut out. */
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

  /** What was taken, as far as it is shown, secrets cut out. */
  text(): string {
    const seen = decoded(Buffer.concat(this.chunks));
    const clean = this.secrets.reduce((text, secrets) => secrets.cut(text), withoutPrivateKeys(seen));
    if (this.taken <= JOURNAL.answerBytes) return clean;
    // A secret that begins in the last part may not have been seen whole.
    const end = this.taken < this.wanted ? clean.length : Math.max(clean.length - this.margin, 0);
    return decoded(Buffer.from(clean.slice(0, end)).subarray(0, JOURNAL.answerBytes));
  }
}

/** A private key in PEM form (RFC 7468), of any owner: a fault may make the node echo one that the emulator was never told. */
function withoutPrivateKeys(text: string): string {
  return text.replace(/-----BEGIN ([A-Z0-9 ]*PRIVATE KEY)-----.*?(?:-----END \1-----|$)/gs, "***");
}

/** Text of bytes, without the part of a character at their end. */
function decoded(bytes: Buffer): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
}
