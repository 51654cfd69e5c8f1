import { parseHttpDate } from "./http-date";

/** How often a request is sent, and how long the pauses in between are. */
export interface RetryPolicy {
  /** How often a request is sent at most; 1 means that nothing is repeated. */
  readonly maxTries: number;
  /** The longest pause after the first try, in milliseconds; it doubles with each further try. */
  readonly retryPauseMs: number;
  /** No pause of ours is longer, in milliseconds. One that the other side asks for may be. */
  readonly maxRetryPauseMs: number;
}

/**
 * Pause after the given try: exponential with full jitter, that is anything from 0 to `retryPauseMs`, twice, four times as
 * much, …, so that clients that failed together do not come back together.
 */
export function backoff(tries: number, policy: Omit<RetryPolicy, "maxTries">, random: () => number): number {
  return random() * Math.min(policy.maxRetryPauseMs, policy.retryPauseMs * 2 ** (tries - 1));
}

/**
 * The pause that `Retry-After` asks for, in milliseconds: seconds or an HTTP date (RFC 9110, section 10.2.3). A date
 * counts from the answer's own `Date` where it has one, so that clocks which differ do no harm. `undefined` for anything
 * else.
 *
 * @param now Milliseconds since 1970.
 */
export function retryAfter(value: string | undefined, date: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000;
  const until = parseHttpDate(text, now);
  return until === undefined ? undefined : Math.max(0, until - (parseHttpDate(date?.trim() ?? "", now) ?? now));
}

/** Milliseconds as people say them: `850 ms`, `12 s`. */
export function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Number((ms / 1000).toPrecision(2))} s`;
}
