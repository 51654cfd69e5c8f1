import { attempt } from "./errors";
import { type Decoded, decodeLayer, type EscapeKind, joinBase64 } from "./escapes";

/** Most layers of encoding that are decoded: a redirect to an echo that was encoded twice has three (test/client/secrets.test.ts). */
const LAYERS = 4;

/** Longest spelling of one character: `&#x0000002b;`. */
const SPELLED = 12;

/** Characters that are searched at a time, which bounds memory; windows overlap, so that each secret is whole in one of them. */
const WINDOW = { length: 1_048_576, overlap: 131_072 } as const;

/** Fewest characters of base64: shorter stretches occur by chance. */
const SHORTEST_BASE64 = 8;

/**
 * Finds secrets in a text: verbatim, in every encoding of `decodeLayer` and mixtures of these, up to four layers deep, and in
 * base64 or base64url at any offset. Ignores case. Takes linear time.
 *
 * @example
 * ```ts
 * new SecretMatcher(["a+b/c"], 4).cut("you sent a%2Bb&#47;c", "***");    // "you sent ***"
 * ```
 */
export class SecretMatcher {
  /** Characters that the longest secret takes in its longest spelling. */
  readonly longest: number;
  private readonly pattern: RegExp | undefined;
  /** The forms in base64 alone. */
  private readonly encoded: RegExp | undefined;
  /** Forms of secrets whose beginnings may end a cut text, see {@link halves}. */
  private readonly beginnings: readonly string[];

  /**
   * @param freelyFrom Secrets with fewer characters are found as whole words only: without every "a", no text is readable.
   */
  constructor(secrets: Iterable<string>, freelyFrom: number) {
    const whole = [...new Set(secrets)].filter((secret) => secret !== "");
    this.longest = SPELLED * Math.max(0, ...whole.map(({ length }) => length));
    // The longest first: a secret that contains another is cut as a whole.
    const forms = [...new Set(whole.flatMap(formsOf))].sort((a, b) => b.length - a.length);
    const encoded = [...whole, ...inUrls(whole)].flatMap(base64);
    const patterns = [...forms.map((form) => literal(form, freelyFrom)), ...encoded];
    this.beginnings = [...forms, ...whole.flatMap((secret) => base64Cores(secret).map(({ core }) => core))].map(evened);
    this.pattern = anyOf(patterns);
    this.encoded = anyOf(encoded);
  }

  /** The text with `mark` in the place of every secret. */
  cut(text: string, mark: string): string {
    const parts: string[] = [];
    let last = 0;
    for (const [start, end] of this.find(text)) {
      parts.push(text.slice(last, start), mark);
      last = end;
    }
    return last === 0 ? text : `${parts.join("")}${text.slice(last)}`;
  }

  /** Positions of secrets, in order, overlapping ones as one. */
  private find(text: string): [start: number, end: number][] {
    const found: [start: number, end: number][] = [];
    if (this.pattern === undefined) return found;
    const step = WINDOW.length - WINDOW.overlap;
    for (let from = 0; from === 0 || from + WINDOW.overlap < text.length; from += step) {
      const part = text.length <= WINDOW.length ? text : text.slice(from, from + WINDOW.length);
      this.findIn(part, "all", from, found);
      if (part.includes("\\")) this.findIn(part, "but signs", from, found);
    }
    const merged: [start: number, end: number][] = [];
    for (const [start, end] of found.sort((a, b) => a[0] - b[0])) {
      const before = merged.at(-1);
      if (before && start < before[1]) before[1] = Math.max(before[1], end);
      else merged.push([start, end]);
    }
    return merged;
  }

  private findIn(text: string, kind: EscapeKind, from: number, found: [start: number, end: number][]): void {
    if (this.pattern === undefined) return;
    const origins: Decoded["origin"][] = [];
    for (let layer = text; ; ) {
      const places = placesOf(this.pattern, layer);
      const joined = this.encoded && joinBase64(layer);
      if (joined) places.push(...placesOf(this.encoded, joined.text).map(([start, end]) => joined.origin(start, end)));
      if (layer.length <= MESSAGE && layer.includes("…")) places.push(...this.halves(layer));
      for (const [start, end] of places) {
        const [first, last] = origins.reduceRight((at, origin) => origin(at[0], at[1]), [start, end]);
        found.push([from + first, from + last]);
      }
      const decoded = origins.length < LAYERS ? decodeLayer(layer, kind) : undefined;
      if (!decoded) return;
      origins.push(decoded.origin);
      layer = decoded.text;
    }
  }

  /** Beginnings of secrets before a "…", left by a reader that cut the text. */
  private halves(text: string): [start: number, end: number][] {
    const found: [start: number, end: number][] = [];
    const even = evened(text);
    for (let end = even.indexOf("…"); end >= 0; end = even.indexOf("…", end + 1)) {
      const whole = even.slice(0, end).replace(HALF_ESCAPE, "").length;
      const longest = Math.max(0, ...this.beginnings.map((secret) => commonEnd(even, whole, secret)));
      if (longest > 0) found.push([whole - longest, end]);
    }
    return found;
  }
}

function anyOf(patterns: readonly string[]): RegExp | undefined {
  return patterns.length === 0 ? undefined : new RegExp(patterns.join("|"), "giu");
}

function placesOf(pattern: RegExp | undefined, text: string): [start: number, end: number][] {
  if (pattern === undefined) return [];
  return [...text.matchAll(pattern)].map(({ index, 0: secret }) => [index, index + secret.length]);
}

/** Longest text that may have been cut for a message. */
const MESSAGE = 65_536;

/** Fewest characters of such a beginning: shorter ones occur by chance. */
const SHORTEST_HALF = 4;

/** Part of an escape that a cut leaves. */
const HALF_ESCAPE = /(?:%[0-9a-f]?|&#?x?[0-9a-z]{0,8}|\\{1,4}(?:u[0-9a-f]{0,3})?)$/;

/** The text with one alphabet of base64, in lower case, and blanks as the "+" of forms. */
function evened(text: string): string {
  return text
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    .replace(/[-\s]/g, "+")
    .replaceAll("_", "/");
}

/** Number of characters before `end` that are the beginning of a secret. */
function commonEnd(text: string, end: number, secret: string): number {
  for (let length = Math.min(secret.length, end); length >= SHORTEST_HALF; length--) {
    if (text.startsWith(secret.slice(0, length), end - length)) return length;
  }
  return 0;
}

/** A secret, and its decoded forms if it looks encoded itself: texts are decoded as a whole. */
function formsOf(secret: string): string[] {
  return (["all", "but signs"] as const).flatMap((kind) => {
    const forms = [secret];
    for (let layers = 0; layers < LAYERS; layers++) {
      const decoded = decodeLayer(forms.at(-1) ?? "", kind);
      if (!decoded) break;
      if (decoded.text !== "") forms.push(decoded.text);
    }
    return forms;
  });
}

function literal(form: string, freelyFrom: number): string {
  const pattern = [...form].map(one).join("");
  return form.length >= freelyFrom ? pattern : `(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`;
}

/** Pattern of one character; beyond ASCII also of its bytes read as ISO 8859-1, and of replacement characters. */
function one(sign: string): string {
  // Forms write a blank as "+".
  if (/[\s+]/.test(sign)) return "[\\s+]";
  if (sign < "\u0080") return sign.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&");
  const bytes = Buffer.from(sign, "utf8").toString("latin1");
  return `(?:${sign}|${bytes}|\\ufffd{1,${bytes.length}}|\\?)`;
}

/** Secrets as urls write them, where that differs: what is then put into base64 has no plain form that could be found. */
function inUrls(secrets: readonly string[]): string[] {
  const written = secrets.map((secret) => attempt(() => encodeURIComponent(secret)) ?? secret);
  return written.filter((text) => !secrets.includes(text));
}

/** Patterns of the secret within base64. */
function base64(secret: string): string[] {
  return base64Cores(secret).flatMap(({ core, offset, isWhole }) => {
    if (core.length < SHORTEST_BASE64 && offset > 0) return [];
    const signs = core.replaceAll("+", "[+ -]").replaceAll("/", "[/_]");
    const pattern = `${offset > 0 ? "[\\w+/-]?" : ""}${signs}${isWhole ? "" : "[\\w+/-]?"}={0,2}`;
    return [core.length >= SHORTEST_BASE64 ? pattern : `(?<![\\w+/=-])${pattern}(?![\\w+/=-])`];
  });
}

/** Characters of base64 that depend on the secret alone, for each of the three offsets of its bytes in a group. */
export function base64Cores(secret: string): { core: string; offset: number; isWhole: boolean }[] {
  const bytes = Buffer.from(secret, "utf8");
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    const bits = (offset + bytes.length) * 8;
    const core = text.slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6));
    return { core, offset, isWhole: bits % 6 === 0 };
  });
}
