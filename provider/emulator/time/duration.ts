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
 * @throws {TypeError} if it is negative, not finite, or has no unit.
 * @example
 * ```ts
 * milliseconds("1.5s");    // 1500
 * milliseconds("9m59s");   // 599000
 * ```
 */
export function milliseconds(duration: Duration): number {
  const ms = typeof duration === "number" ? duration : fromText(duration);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  if (typeof duration === "string" && new RegExp(`^${NUMBER}$`).test(duration)) {
    throw new TypeError(
      `"${duration}" is not a duration, since it has no unit: write "${duration}ms", "${duration}s" or "${duration}m".`,
    );
  }
  throw new TypeError(
    `${JSON.stringify(duration)} is not a duration: write a number of milliseconds, or a text such as "10ms", "1s", "5m", "1h", "2d" or "9m59s".`,
  );
}

const NUMBER = "\\d+(\\.\\d+)?";
/** Texts that {@link milliseconds} reads. Each unit has two groups: its number, and the fraction of that. */
const PATTERN = `^(?=\\d)(${NUMBER}d)?(${NUMBER}h)?(${NUMBER}m)?(${NUMBER}s)?(${NUMBER}ms)?$`;

function fromText(text: string): number {
  const groups = new RegExp(PATTERN).exec(text)?.slice(1);
  if (!groups) return Number.NaN;
  return UNITS.reduce((sum, unit, at) => sum + Number.parseFloat(groups[2 * at] ?? "0") * unit, 0);
}

export const durationSchema = z
  .union([z.number(), z.string().meta({ pattern: PATTERN })])
  .superRefine(readBy(milliseconds));

/** A {@link Duration}, or a range from which each wait is drawn evenly: `"5ms..40ms"`. */
export type Latency = Duration;

/**
 * The bounds of a {@link Latency} in milliseconds; for a single duration they are equal.
 *
 * @throws {TypeError} if it is neither, or the range ends before it begins.
 * @example
 * ```ts
 * latencyRange("5ms..40ms");   // { from: 5, to: 40 }
 * ```
 */
export function latencyRange(latency: Latency) {
  const [first = "", second, ...more] = typeof latency === "string" ? latency.split("..") : [latency];
  const from = milliseconds(first);
  const to = second === undefined ? from : milliseconds(second);
  if (more.length === 0 && from <= to) return { from, to };
  throw new TypeError(
    `${JSON.stringify(latency)} is not a range: write the shorter duration first, as in "5ms..40ms".`,
  );
}

export const latencySchema = z.union([z.number(), z.string()]).superRefine(readBy(latencyRange));

const RATES = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, kbit: 125, Mbit: 125e3, Gbit: 125e6 } as const;

/**
 * Bytes per second of a bandwidth: a number, or a text such as `"10MB/s"` or `"100Mbit/s"`.
 *
 * @throws {TypeError} if it is not above 0, or has no unit.
 */
export function bytesPerSecond(bandwidth: number | string): number {
  const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?)([A-Za-z]+)\/s$/.exec(String(bandwidth)) ?? [];
  const factor = Object.entries(RATES).find(([name]) => name === unit)?.[1] ?? Number.NaN;
  const rate = typeof bandwidth === "number" ? bandwidth : Number(number) * factor;
  if (rate > 0 && Number.isFinite(rate)) return rate;
  throw new TypeError(
    `${JSON.stringify(bandwidth)} is not a bandwidth: write bytes a second, or a text such as "500kB/s", "10MB/s" or "100Mbit/s".`,
  );
}

export const bandwidthSchema = z.union([z.number(), z.string()]).superRefine(readBy(bytesPerSecond));
