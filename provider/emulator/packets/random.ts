/**
 * Random numbers from a seed (sfc32, Chris Doty-Humphrey): the same seed, the same numbers, on every machine.
 * Not for secrets.
 */
export class Random {
  private a = 0x9e3779b9 | 0;
  private b = 0x243f6a88;
  private c: number;
  private counter = 1;

  /** @param seed Any integer. */
  constructor(seed: number) {
    this.c = seed | 0;
    this.a ^= Math.floor(seed / 2 ** 32) | 0;
    for (let round = 0; round < 12; round++) this.word();
  }

  /** The next 32 random bits, as a signed integer. */
  word(): number {
    const sum = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + sum;
    this.c |= 0;
    return sum;
  }

  /** An integer from 0 up to and without `limit` (at most 2³¹). */
  below(limit: number): number {
    return Math.floor(((this.word() >>> 0) / 2 ** 32) * limit);
  }

  /** An integer from `from` to `to`, both included. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1);
  }
}
