const CUT = "[secret]";

/** Shorter secrets are only cut out where they stand alone: replacing every "a" would leave no readable message. */
const FREELY_FROM = 4;

/**
 * Cuts the secrets of one connection out of texts, in every form in which a node, a proxy or a library may echo them:
 * raw, percent-encoded, JSON-escaped, HTML-escaped and in layers of these, the credential of an `Authorization` header
 * alone and decoded, single lines of a PEM key.
 */
export class Redactor {
  private compiled: RegExp | null | undefined;

  constructor(private readonly secrets: readonly (string | undefined)[]) {}

  /** Made at the first use: all forms of all secrets are more work than a request, and most connections have no failure. */
  private get pattern(): RegExp | null {
    if (this.compiled !== undefined) return this.compiled;
    const forms = new Set<string>();
    for (const secret of this.secrets) {
      for (const part of partsOf(secret ?? "")) for (const form of formsOf(part)) forms.add(form);
      for (const line of linesOf(secret ?? "")) forms.add(line);
    }
    forms.delete("");
    // The longest first: a secret that contains another is cut as a whole.
    const alternatives = [...forms].sort((a, b) => b.length - a.length).map(alternative);
    this.compiled = alternatives.length > 0 ? new RegExp(alternatives.join("|"), "giu") : null;
    return this.compiled;
  }

  /** The text without secrets. */
  text(text: string): string {
    return this.pattern ? text.replace(this.pattern, CUT) : text;
  }

  /**
   * A copy of a foreign error that is safe to throw or to attach: name, message, stack and a string `code`, all
   * redacted, causes included. Every other member (sockets, requests, headers) is left behind.
   */
  error(error: unknown, depth = 0): Error {
    if (!(error instanceof Error)) return new Error(this.text(String(error)));
    const copy = new Error(this.text(error.message));
    Object.defineProperty(copy, "name", { value: this.text(error.name), enumerable: false });
    Object.defineProperty(copy, "stack", { value: this.text(error.stack ?? ""), enumerable: false });
    const code = codeOf(error);
    if (code !== undefined) Object.assign(copy, { code: this.text(code) });
    if (error.cause !== undefined && depth < 3) copy.cause = this.error(error.cause, depth + 1);
    return copy;
  }
}

/** The system's or library's code of an error, as `ECONNREFUSED`. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** The secret as it is used, and what of it can be recognised alone. */
function* partsOf(secret: string): Generator<string> {
  yield secret;
  yield secret.trim();
  const [scheme, credential] = /^(\S+)\s+(\S.*)$/.exec(secret.trim())?.slice(1) ?? [];
  if (scheme === undefined || credential === undefined) return;
  yield credential;
  if (!/^basic$/i.test(scheme)) return;
  const pair = Buffer.from(credential, "base64").toString("utf8");
  yield pair;
  yield pair.slice(pair.indexOf(":") + 1);
}

/** Key material turns up line by line, for example in a dump of options. The armour lines are no secret. */
function linesOf(secret: string): string[] {
  if (!secret.includes("\n")) return [];
  return secret.split(/\r?\n/).filter((line) => line.length >= 8 && !line.startsWith("-----"));
}

/** A proxy may put into a page, as JSON, what it decoded from a path: three layers of encoding. */
const LAYERS = 3;

const ENCODERS: readonly ((text: string) => string)[] = [
  attempt(encodeURIComponent),
  attempt(encodeURI),
  (text) => attempt(encodeURIComponent)(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`),
  (text) => attempt(encodeURIComponent)(text).replaceAll("%20", "+"),
  (text) => JSON.stringify(text).slice(1, -1),
  // Some languages escape all that is not ASCII, and every slash.
  (text) => ascii(JSON.stringify(text).slice(1, -1)),
  (text) => ascii(JSON.stringify(text).slice(1, -1)).replaceAll("/", "\\/"),
  (text) => text.replace(/[&<>"']/g, (c) => HTML[c] ?? c),
];

const HTML: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** The text in every encoding; for most secrets, letters and digits, that is the text alone. */
function formsOf(text: string): Set<string> {
  const forms = new Set([text]);
  for (let layer = 0; layer < LAYERS; layer++) {
    for (const form of [...forms]) for (const encode of ENCODERS) forms.add(encode(form));
  }
  return forms;
}

function ascii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A lone surrogate has no percent-encoding; such a text stays as it is. */
function attempt(encode: (text: string) => string): (text: string) => string {
  return (text) => {
    try {
      return encode(text);
    } catch {
      return text;
    }
  };
}

function alternative(form: string): string {
  const literal = form.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return form.length >= FREELY_FROM ? literal : `(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`;
}
