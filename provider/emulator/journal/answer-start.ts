import type { Secrets } from "./secrets";

/** Bytes of an answer that the journal keeps. */
const KEPT = 2_048;

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
    this.wanted = KEPT + 4 * this.margin;
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
    if (this.taken <= KEPT) return clean;
    // A secret that begins in the last part may not have been seen whole.
    const end = this.taken < this.wanted ? clean.length : Math.max(clean.length - this.margin, 0);
    return decoded(Buffer.from(clean.slice(0, end)).subarray(0, KEPT));
  }
}

/** A private key in PEM form (RFC 7468), whoever's it is: a fault may make the node echo one that nobody told the emulator. */
function withoutPrivateKeys(text: string): string {
  return text.replace(/-----BEGIN ([A-Z0-9 ]*PRIVATE KEY)-----.*?(?:-----END \1-----|$)/gs, "***");
}

/** Text of bytes, without the part of a character at their end. */
function decoded(bytes: Buffer): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
}
