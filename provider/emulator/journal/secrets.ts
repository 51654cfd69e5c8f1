/** What stands in the place of a secret. */
const CUT = "***";
/** Shorter texts are no secrets: to cut them out would only make everything else unreadable. */
const SHORTEST = 4;

/** Secrets, and texts without them. */
export class Secrets {
  /** Characters of the longest spelling of one. */
  readonly longest: number;
  private readonly pattern: RegExp | undefined;
  private readonly bytes: readonly Buffer[];

  constructor(secrets: Iterable<string>) {
    const spelled = new Set([...secrets].filter(({ length }) => length >= SHORTEST).flatMap(spellings));
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
