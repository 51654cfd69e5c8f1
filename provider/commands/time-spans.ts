import { LONGEST_TIMER_MS } from "../client/clock";
import { expiresSchema } from "../model/entry";
import { UsageError } from "./cli-io";

const SECONDS = { w: 604_800, d: 86_400, h: 3_600, m: 60, s: 1 } as const;
const SPAN = /^(?:(\d{1,9})w)?(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?$/;
const LAST = Date.parse("9999-12-31T23:59:59Z");

/** Message for a command line with no end, or two. */
export const HOW_LONG = "Give one of --for 2h, --until 2030-01-31T18:00:00Z, and --permanent.";

/** End of an entry on a command line. */
interface Lifetime {
  readonly for?: string | undefined;
  readonly until?: string | undefined;
  readonly permanent?: boolean | undefined;
}

/**
 * The time at which an entry ends, ISO 8601 in whole seconds of UTC; `null`: never.
 * @throws {UsageError} unless exactly one of the three is given, and lies ahead
 */
export function expiryOf(lifetime: Lifetime, now: number, option = "--for"): string | null {
  const given = [lifetime.for, lifetime.until, lifetime.permanent || undefined].filter((one) => one !== undefined);
  if (given.length !== 1) throw new UsageError(HOW_LONG);
  if (lifetime.permanent) return null;
  return lifetime.until === undefined ? after(lifetime.for ?? "", now, option) : at(lifetime.until, now);
}

function after(text: string, now: number, option: string): string {
  // Rounded up: never shorter than requested.
  const end = Math.ceil(now / 1_000) * 1_000 + readSpan(option, text);
  if (end <= LAST) return isoOf(end);
  throw noSpan(option, text);
}

/** Milliseconds of a time span such as `1h30m`. @throws {UsageError} */
export function readSpan(option: string, text: string): number {
  const [, ...parts] = SPAN.exec(text) ?? [];
  const seconds = Object.values(SECONDS).reduce((sum, size, index) => sum + size * Number(parts[index] ?? 0), 0);
  if (seconds > 0) return seconds * 1_000;
  throw noSpan(option, text);
}

/** Milliseconds of `--timeout`, at most the 24 days of a timer. @throws {UsageError} */
export function readTimeout(text: string): number {
  return Math.min(LONGEST_TIMER_MS, readSpan("--timeout", text));
}

function noSpan(option: string, text: string): UsageError {
  return new UsageError(
    `${option} ${JSON.stringify(text)} is not a time span: write numbers with w, d, h, m, s, the largest first, such as 2h or 1h30m.`,
  );
}

/** A time span for people, its two largest units: `1h 59m`, `3d 2h`, `40s`; in days if it is longer than 99 weeks. */
export function spanText(milliseconds: number): string {
  let rest = Math.ceil(milliseconds / 1_000);
  if (rest >= 100 * SECONDS.w) return `${Math.floor(rest / SECONDS.d)}d`;
  const parts = Object.entries(SECONDS).flatMap(([unit, size]) => {
    const number = Math.floor(rest / size);
    rest -= number * size;
    return number > 0 ? [`${number}${unit}`] : [];
  });
  return parts.slice(0, 2).join(" ") || "0s";
}

function at(text: string, now: number): string {
  if (!expiresSchema().safeParse(text).success)
    throw new UsageError(
      `--until ${JSON.stringify(text)} is not an ISO time with zone: write for example 2030-01-31T18:00:00Z or 2030-01-31T19:00:00+01:00.`,
    );
  const time = Date.parse(text);
  if (time > now) return isoOf(Math.ceil(time / 1_000) * 1_000);
  throw new UsageError(`--until ${text} has passed: it is ${isoOf(now)}.`);
}

/** ISO 8601 in whole seconds of UTC, rounded down. */
export function isoOf(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
}
