/** Most tries of a request; while the other side is busy, only the deadline limits them. */
export const MAX_TRIES = 5;

/** Milliseconds of the longest pause after the first try; it doubles with each further one. */
const RETRY_PAUSE_MS = 300;
/** Upper limit of such a pause, in milliseconds. `Retry-After` may ask for a longer one. */
const MAX_RETRY_PAUSE_MS = 10_000;

/**
 * Pause after the given try, in milliseconds: exponential with full jitter, so anything from 0 to 300, 600, 1 200, …
 * Clients that failed together thus do not return together.
 */
export function backoff(tries: number, random: () => number): number {
  return random() * Math.min(MAX_RETRY_PAUSE_MS, RETRY_PAUSE_MS * 2 ** (tries - 1));
}

/** Pause of an endless retry: `first`, doubled with each failure up to `longest`, then reduced at random by up to half. */
export function growingPause(failures: number, first: number, longest: number, random: () => number): number {
  return Math.min(longest, first * 2 ** Math.min(30, failures - 1)) * (0.5 + random() / 2);
}

/**
 * The pause in `Retry-After`, in milliseconds: seconds or an HTTP date (RFC 9110, section 10.2.3). A date counts from the
 * answer's own `Date`, if it has one, so that different clocks do no harm. `undefined` for anything else.
 *
 * @param now Milliseconds since 1970.
 */
export function retryAfter(value: string | undefined, date: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000;
  const until = parseHttpDate(text);
  return until === undefined ? undefined : Math.max(0, until - (parseHttpDate(date?.trim() ?? "") ?? now));
}

/** Milliseconds for messages: `850 ms`, `4.5 s`, `125 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return `${ms < 9_950 ? Math.round(ms / 100) / 10 : Math.round(ms / 1_000)} s`;
}

/**
 * The time of an HTTP date in the form that senders must use (RFC 9110, section 5.6.7), in milliseconds since 1970. `undefined`
 * for any other text, also for the obsolete forms, and a date that does not exist or has the wrong day of the week.
 */
export function parseHttpDate(text: string): number | undefined {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) || date.toUTCString() !== text ? undefined : date.getTime();
}
