import type { Waits } from "./clock";
import type { latencyRange } from "./duration";
import { type RandomSource, seededRandom } from "./random";

/** Waits until so many more bytes would have passed. */
export type Passage = (bytes: number) => Promise<void>;

type Range = ReturnType<typeof latencyRange>;

/** The options of an emulator for the line; the bandwidth in bytes per second. */
interface LinkOptions {
  readonly latency: Range;
  readonly commitLatency: Range;
  readonly bandwidth: number | undefined;
  readonly seed: number;
}

/** The line between callers and an emulator: delays of requests and answers, in real time. */
export class Link {
  private readonly latency: () => number;
  private readonly commitLatency: () => number;

  constructor(
    private readonly options: LinkOptions,
    private readonly waits: Waits,
    /** Milliseconds of a clock that measures durations. */
    private readonly elapsed: () => number,
  ) {
    // Separate random sources: the wait of a commit does not change that of the next request.
    this.latency = waitsOf(options.latency, seededRandom(options.seed));
    this.commitLatency = waitsOf(options.commitLatency, seededRandom(options.seed + 1));
  }

  /** Resolves when a request of so many bytes has arrived and takes effect; `undefined` if there is no delay. */
  arrival(bytes: number, isCommit: boolean): Promise<void> | undefined {
    const { bandwidth } = this.options;
    const carried = bandwidth === undefined ? 0 : (bytes / bandwidth) * 1000;
    const wait = this.latency() + (isCommit ? this.commitLatency() : 0) + carried;
    return wait > 0 ? this.waits.for(wait) : undefined;
  }

  /** Wait before each part of an answer; `undefined` without a bandwidth. */
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

/** The successive waits of a range; the same random numbers give the same waits. */
function waitsOf({ from, to }: Range, random: RandomSource): () => number {
  return () => (from === to ? from : from + random() * (to - from));
}
