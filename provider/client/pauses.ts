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
  const until = parseHttpDate(text, now);
  return until === undefined ? undefined : Math.max(0, until - (parseHttpDate(date?.trim() ?? "", now) ?? now));
}

/** Milliseconds for messages: `850 ms`, `12 s`. */
export function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Number((ms / 1000).toPrecision(2))} s`;
}

/** IMF-fixdate, which senders must use, and the two obsolete forms, which recipients must still understand. */
const FORMS = [
  /^(?<weekday>\w{3}), (?<day>\d\d) (?<month>\w{3}) (?<year>\d{4}) (?<time>[\d:]{8}) GMT$/,
  /^(?<weekday>(?:Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day), (?<day>\d\d)-(?<month>\w{3})-(?<year>\d\d) (?<time>[\d:]{8}) GMT$/,
  /^(?<weekday>\w{3}) (?<month>\w{3}) (?<day>[ \d]\d) (?<time>[\d:]{8}) (?<year>\d{4})$/,
];

/**
 * The time of an HTTP date (RFC 9110, section 5.6.7), in milliseconds since 1970. `undefined` for any other text, also for
 * a date that does not exist or has the wrong day of the week.
 *
 * @param now Milliseconds since 1970; a year of two digits is at most 50 years after it.
 */
export function parseHttpDate(text: string, now: number): number | undefined {
  const found = FORMS.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (!found) return undefined;
  const { weekday = "", day = "", month = "", year = "", time = "" } = found;
  const full = year.length === 4 ? year : fullYear(Number(year), new Date(now).getUTCFullYear());
  // `Date` has no leap seconds: it becomes the second before.
  const fixed = `${weekday.slice(0, 3)}, ${day.replace(" ", "0")} ${month} ${full} ${time.replace(/60$/, "59")} GMT`;
  const date = new Date(fixed);
  return date.toUTCString() === fixed ? date.getTime() : undefined;
}

function fullYear(twoDigits: number, thisYear: number): number {
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}
