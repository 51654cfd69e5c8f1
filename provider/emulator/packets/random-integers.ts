import { seededRandom } from "../time/random";

/** Random integers from a seed, as packets need them. The same seed, the same packets. */
export class RandomIntegers {
  private readonly next: () => number;

  /** @param seed Any integer. */
  constructor(seed: number) {
    this.next = seededRandom(seed);
  }

  /** 32 random bits, as a signed integer. */
  word(): number {
    return (this.next() * 2 ** 32) | 0;
  }

  /** An integer from 0 up to and without `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** An integer from `from` to `to`, both included. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1);
  }
}
