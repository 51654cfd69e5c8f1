import type { Waits } from "./clock";
import type { latencyRange } from "./duration";
import { type RandomSource, seededRandom } from "./random";

/** Waits until so many more bytes would have passed. */
export type Passage = (bytes: number) => Promise<void>;

type Range = ReturnType<typeof latencyRange>;

/** Of an emulator's options those that say how long the way is; the bandwidth in bytes a second. */
interface LinkOptions {
  readonly latency: Range;
  readonly commitLatency: Range;
  readonly bandwidth: number | undefined;
  readonly seed: number;
}

/** The line between callers and an emulator: how long requests and answers are on their way, in real time. */
export class Link {
  private readonly latency: () => number;
  private readonly commitLatency: () => number;

  constructor(
    private readonly options: LinkOptions,
    private readonly waits: Waits,
    /** Milliseconds of a clock that measures durations. */
    private readonly elapsed: () => number,
  ) {
    // One source each: a commit does not change what the request after it meets.
    this.latency = waitsOf(options.latency, seededRandom(options.seed));
    this.commitLatency = waitsOf(options.commitLatency, seededRandom(options.seed + 1));
  }

  /** Resolves when a request of so many bytes is there and takes effect; `undefined` where that is at once. */
  arrival(bytes: number, isCommit: boolean): Promise<void> | undefined {
    const { bandwidth } = this.options;
    const carried = bandwidth === undefined ? 0 : (bytes / bandwidth) * 1000;
    const wait = this.latency() + (isCommit ? this.commitLatency() : 0) + carried;
    return wait > 0 ? this.waits.for(wait) : undefined;
  }

  /** Wait of an answer, part by part; `undefined` without a bandwidth. */
  answer(): Passage | undefined {
    const { bandwidth } = this.options;
    if (bandwidth === undefined) return undefined;
    let began: number | undefined;
    let sent = 0;
    return (bytes) => {
      began ??= this.elapsed();
      sent += bytes;
      return this.waits.for(began + (sent / bandwidth) * 1000 - this.elapsed());
    };
  }
}

/** The waits of a range, one after the other: with the same random numbers the same waits. */
function waitsOf({ from, to }: Range, random: RandomSource): () => number {
  return () => (from === to ? from : from + random() * (to - from));
}
