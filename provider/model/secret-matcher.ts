import { attempt } from "./errors";

/** Fewest characters of a secret that betray it in a text of others: shorter pieces occur by chance. */
const PIECE = 8;

/** Characters of the parts that a text is searched for first, in steps: at one of them is a part of any piece. */
const PART = 6;
const STEP = PIECE - PART + 1;

/** As {@link PIECE}, for the beginning of a secret before a sign of omission. */
const HEADS = [4, 5, 6, 7] as const;

/** Signs of omission: what a reader or another side writes in the place of the rest. */
const OMISSION = /…|\.{3}|\*{2}/g;

/** Escapes of urls, HTML, JSON and programming languages, but those of line breaks; and bytes that could not be read. */
const ESCAPE = /%(?:u|[\da-f]{2})|&[#a-z]|\\(?![nrt])|\ufffd/i;

/** Characters of base64 and of hexadecimal numbers in a row; fewer cannot carry {@link READABLE}. */
const ENCODED = /[\w+/-]{16,}/g;

/** Bytes in a row that are text: by chance they occur in one name of 100 000. */
const READABLE = /[\t\n\r -~]{12}/;

/**
 * Finds secrets in a text, in two layers: as they are (in JSON, too), and their whole in a url, in base64 and in hexadecimal numbers. Ignores case. Every other form is
 * suspected alone, by {@link mayBeIn}: a text of others is then not quoted.
 *
 * @example
 * ```ts
 * new SecretMatcher(["a+b/c"], 4).cut("you sent a%2Bb%2Fc", "***");    // "you sent ***"
 * new SecretMatcher(["a+b/c"], 4).mayBeIn("you sent a+b&#47;c");       // true: it is not quoted
 * ```
 */
export class SecretMatcher {
  /** Each secret in each form, the longest first: one that contains another is cut as a whole. */
  readonly forms: readonly string[];
  private readonly pattern: RegExp | undefined;
  private parts: ReadonlySet<string> | undefined;

  /** @param freelyFrom Forms with fewer characters are found as whole words only: without every "a", no text is readable. */
  constructor(secrets: Iterable<string>, freelyFrom: number) {
    const forms = new Set([...secrets].filter((secret) => secret !== "").flatMap(formsOf));
    this.forms = [...forms].sort((a, b) => b.length - a.length);
    const patterns = this.forms.map((form) => {
      const pattern = form.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
      return form.length >= freelyFrom ? pattern : `(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`;
    });
    this.pattern = patterns.length === 0 ? undefined : new RegExp(patterns.join("|"), "giu");
  }

  /** The text with `mark` in the place of every secret. */
  cut(text: string, mark: string): string {
    return this.pattern === undefined ? text : text.replace(this.pattern, () => mark);
  }

  /**
   * True if a text of others, after {@link cut}, may still repeat a secret: a piece of one, its beginning before a sign of omission,
   * any escape, or a text in base64 or hexadecimal numbers. Always false without secrets.
   */
  mayBeIn(text: string): boolean {
    if (this.pattern === undefined) return false;
    // Texts in JSON are usual.
    const plain = text.replace(/\\(["/])/g, "$1");
    if (ESCAPE.test(plain) || plain.search(this.pattern) >= 0) return true;
    return this.holdsPiece(plain) || holdsEncodedText(plain);
  }

  private holdsPiece(text: string): boolean {
    this.parts ??= new Set(this.forms.flatMap((form) => partsOf(form.toLowerCase())));
    const even = text.toLowerCase();
    const isPiece = (at: number) => {
      const piece = even.slice(at, at + PIECE);
      return piece.length === PIECE && this.forms.some((form) => form.toLowerCase().includes(piece));
    };
    for (let at = 0; at + PART <= even.length; at += STEP) {
      if (!this.parts.has(even.slice(at, at + PART))) continue;
      for (let from = Math.max(0, at - STEP + 1); from <= at; from++) if (isPiece(from)) return true;
    }
    const heads = [...even.matchAll(OMISSION)].flatMap(({ index }) =>
      HEADS.map((length) => even.slice(Math.max(0, index - length), index)),
    );
    return heads.some(
      (head) => head.length >= HEADS[0] && this.forms.some((form) => form.toLowerCase().startsWith(head)),
    );
  }
}

/** The secret itself, what it is in a url, as JSON writes it, as bytes that were read as ISO 8859-1, and its whole in a url, in base64 and in hexadecimal numbers. */
function formsOf(secret: string): string[] {
  const inUrl = attempt(() => encodeURIComponent(secret)) ?? secret;
  const bytes = Buffer.from(secret, "utf8");
  const encoded = [bytes, Buffer.from(inUrl)].flatMap((text) => [text.toString("base64"), text.toString("base64url")]);
  const fromUrl = attempt(() => decodeURIComponent(secret)) ?? secret;
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    fromUrl,
    inJson,
    bytes.toString("latin1"),
    bytes.toString("hex"),
    inUrl,
    inUrl.replaceAll("%20", "+"),
    ...encoded,
  ];
}

function partsOf(form: string): string[] {
  return Array.from({ length: Math.max(0, form.length - PART + 1) }, (_, at) => form.slice(at, at + PART));
}

/** True for a text in base64 or hexadecimal numbers, wherever in a row of such characters its first byte stands. */
function holdsEncodedText(text: string): boolean {
  const isText = (row: string, encoding: "base64" | "hex") =>
    READABLE.test(Buffer.from(row, encoding).toString("latin1"));
  return [...text.matchAll(ENCODED)].some(
    ([row]) =>
      [0, 1, 2, 3].some((at) => isText(row.slice(at), "base64")) || [0, 1].some((at) => isText(row.slice(at), "hex")),
  );
}
