/** Waits of a probe, in milliseconds. */
export const TIMING = {
  /** Between two lists or statuses while a delay is measured and still short. */
  firstPause: 25,
  /** The same for a long delay: not more often than a client would ask. */
  laterPause: 500,
  /** Least delay that counts as long. */
  long: 500,
  /** Least delay of a commit that counts; a shorter one is that of the network. */
  least: 100,
  /** Between lists for a change that did not show at once. */
  listPause: 1_000,
  /** For a change that may have no effect, beside four times the measured delay of commits. */
  brief: 1_000,
  /** For a start of signaling to show. */
  statusPatience: 5_000,
  /** After a 429 without `Retry-After`. */
  turnedAway: 1_000,
  /** Longest `Retry-After` that is obeyed. */
  longestWait: 60_000,
  /** For the effect of a request that the user's stop cut off. */
  afterStop: 1_000,
  /** For all of the cleaning up at the end. */
  mostCleanUp: 60_000,
  /** For the effect of a request that had no answer, as a part of that. */
  mostDoubt: 20_000,
  /** For a change to show, if the killed probe had not measured that. */
  unmeasured: 5_000,
  /** Between tries to clean up a node that fails. */
  cleanUp: [500, 1_000, 2_000, 4_000, 8_000, 16_000],
} as const;

/** Default limits of a probe; the entries are those of one insert of the client. */
export const LIMITS = { entries: 5_000, bytes: 1_048_576, patienceMs: 30_000, wholeMs: 900_000 } as const;

/** Pause after so many milliseconds of a delay that is being measured. */
export function pauseAfter(ms: number): number {
  return Math.max(TIMING.firstPause, ms / 8);
}
