import { z } from "zod";
import { readBy } from "../validation/strict";

/** Milliseconds of a day, an hour, a minute, a second, a millisecond. */
const UNITS = [86_400_000, 3_600_000, 60_000, 1_000, 1] as const;

/**
 * A time span: milliseconds as a number, or a text such as `"10ms"`, `"1.5s"`, `"5m"`, `"1h"`, `"2d"`, or several of these from
 * the longest to the shortest: `"9m59s"`.
 */
export type Duration = number | string;

/**
 * Milliseconds of a {@link Duration}.
 *
 * @throws {TypeError} when it is negative, not finite, or has no unit.
 * @example
 * ```ts
 * milliseconds("1.5s");    // 1500
 * milliseconds("9m59s");   // 599000
 * ```
 */
export function milliseconds(duration: Duration): number {
  const ms = typeof duration === "number" ? duration : fromText(duration);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  throw new TypeError(
    `${JSON.stringify(duration)} is not a duration: write a number of milliseconds, or a text such as "10ms", "1s", "5m", "1h", "2d" or "9m59s".`,
  );
}

function fromText(text: string): number {
  const [, ...parts] = /^(?:([\d.]+)d)?(?:([\d.]+)h)?(?:([\d.]+)m)?(?:([\d.]+)s)?(?:([\d.]+)ms)?$/.exec(text) ?? [];
  const given = parts.flatMap((part, at) => (part === undefined ? [] : [numberOf(part) * (UNITS[at] ?? Number.NaN)]));
  return given.length === 0 ? Number.NaN : given.reduce((sum, each) => sum + each);
}

function numberOf(text: string): number {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
}

const NUMBER = "\\d+(\\.\\d+)?";
/** What {@link milliseconds} reads of texts, for those who have a JSON Schema alone. */
const PATTERN = `^(?=\\d)(${NUMBER}d)?(${NUMBER}h)?(${NUMBER}m)?(${NUMBER}s)?(${NUMBER}ms)?$`;

/** A {@link Duration} from outside. */
export const durationSchema = z
  .union([z.number(), z.string().meta({ pattern: PATTERN })])
  .superRefine(readBy(milliseconds));
