const CUT = "[secret]";

/** Shorter secrets are only cut out where they stand alone: replacing every "a" would leave no readable message. */
const FREELY_FROM = 4;

/**
 * Cuts the secrets of one connection out of texts, in every form in which a node, a proxy or a library may echo them:
 * raw, percent-encoded (once and twice), JSON-escaped, HTML-escaped, the credential of an `Authorization` header alone
 * and decoded, single lines of a PEM key.
 */
export class Redactor {
  private readonly pattern: RegExp | undefined;

  constructor(secrets: Iterable<string | undefined>) {
    const forms = new Set<string>();
    for (const secret of secrets) {
      for (const part of partsOf(secret ?? "")) for (const form of formsOf(part)) forms.add(form);
    }
    forms.delete("");
    // The longest first: a secret that contains another is cut as a whole.
    const alternatives = [...forms].sort((a, b) => b.length - a.length).map(alternative);
    this.pattern = alternatives.length > 0 ? new RegExp(alternatives.join("|"), "giu") : undefined;
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

function* partsOf(secret: string): Generator<string> {
  yield secret;
  yield secret.trim();
  const [scheme, credential] = /^(\S+)\s+(\S.*)$/s.exec(secret.trim())?.slice(1) ?? [];
  if (scheme !== undefined && credential !== undefined && !secret.includes("\n")) {
    yield credential;
    if (/^basic$/i.test(scheme)) {
      const pair = Buffer.from(credential, "base64").toString("utf8");
      yield pair;
      yield pair.slice(pair.indexOf(":") + 1);
    }
  }
  // Key material turns up line by line, for example in a dump of options. The armour lines are no secret.
  if (secret.includes("\n"))
    yield* secret.split(/\r?\n/).filter((line) => line.length >= 8 && !line.startsWith("-----"));
}

function formsOf(text: string): string[] {
  const encoded = encode(text, encodeURIComponent);
  return [
    text,
    encoded,
    encode(encoded, encodeURIComponent),
    encode(text, encodeURI),
    strict(encoded),
    encoded.replaceAll("%20", "+"),
    JSON.stringify(text).slice(1, -1),
    html(text),
  ];
}

/** A lone surrogate has no percent-encoding; it is left out rather than thrown about. */
function encode(text: string, encoder: (text: string) => string): string {
  try {
    return encoder(text);
  } catch {
    return text;
  }
}

function strict(encoded: string): string {
  return encoded.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}

function html(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

function alternative(form: string): string {
  const literal = form.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return form.length >= FREELY_FROM ? literal : `(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`;
}
