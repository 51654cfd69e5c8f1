/** How often a request is sent at most. */
export const MAX_TRIES = 5;

const FIRST_MS = 300;
const LONGEST_MS = 10_000;

/**
 * Pause after the given try: exponential with full jitter, that is anything from 0 to 300, 600, 1200, … ms, so that
 * clients that failed together do not come back together.
 */
export function backoff(tries: number, random: () => number): number {
  return random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** (tries - 1));
}

/**
 * The pause that `Retry-After` asks for, in milliseconds: seconds or a date (RFC 9110, section 10.2.3). A date counts
 * from the answer's own `Date` where it has one, so that clocks which differ do no harm.
 */
export function retryAfter(value: string | undefined, date: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000;
  // An HTTP date always has letters; Date.parse would also take things such as "-1".
  const until = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(until)) return undefined;
  const sent = Date.parse(date ?? "");
  return Math.max(0, until - (Number.isNaN(sent) ? now : sent));
}

/** Milliseconds as people say them: `850 ms`, `12 s`. */
export function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Number((ms / 1000).toPrecision(2))} s`;
}
