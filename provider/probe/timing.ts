/** How long a probe waits and how often it asks, in milliseconds; and how far it goes where nothing else is said. */
export const TIMING = {
  /** Between looks at a list or status while a delay is measured, for as long as it may still be short. */
  firstPause: 25,
  /** The same once it is long: the node is not asked more often than a client would. */
  laterPause: 500,
  /** When a delay counts as long. */
  long: 500,
  /** Between lists for a change that did not show at once. */
  listPause: 1_000,
  /** Until a change that may well not show is taken for none, beside four times the delay that commits have shown. */
  brief: 1_000,
  /** Until a start of signaling that does not show will not show any more. */
  statusPatience: 5_000,
  /** Waited after a 429 that does not say how long. */
  turnedAway: 1_000,
  /** The longest wait that the node may ask for by `Retry-After`. */
  longestWait: 60_000,
  /** After a request that the user's stop cut off, until its effect would show. */
  afterStop: 1_000,
  /** What is cleaned up in the end is given up after so long; of that a request that was given up on is waited for so long at most. */
  mostCleanUp: 60_000,
  mostDoubt: 20_000,
  /** Until a change shows, where a probe was killed before it had measured that. */
  unmeasured: 5_000,
  /** Between tries to clean up a node that fails. */
  cleanUp: [500, 1_000, 2_000, 4_000, 8_000, 16_000],
} as const;

/** What is tried at most, unless the user says otherwise: the client's own chunk of an insert, half a minute for one change, and a quarter of an hour for all. */
export const LIMITS = { entries: 5_000, bytes: 1_048_576, patienceMs: 30_000, wholeMs: 900_000 } as const;

/** The pause after so many milliseconds of a delay that is being measured. */
export function pauseAfter(ms: number): number {
  return ms < TIMING.long ? TIMING.firstPause : TIMING.laterPause;
}
