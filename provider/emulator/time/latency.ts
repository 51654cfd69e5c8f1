import { z } from "zod";
import { readBy } from "../validation/strict";
import { type Duration, milliseconds } from "./duration";

/** How long something takes: a {@link Duration}, or a range from which each wait is drawn, each as likely as the others: `"5ms..40ms"`. */
export type Latency = Duration;

/** Milliseconds. */
export interface LatencyRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The bounds of a {@link Latency}; for a single duration they are equal.
 *
 * @throws {TypeError} when it is neither, or when the range ends before it begins.
 * @example
 * ```ts
 * latencyRange("5ms..40ms");   // { from: 5, to: 40 }
 * ```
 */
export function latencyRange(latency: Latency): LatencyRange {
  const [first = "", second, ...more] = typeof latency === "string" ? latency.split("..") : [latency];
  const from = milliseconds(first);
  const to = second === undefined ? from : milliseconds(second);
  if (more.length === 0 && from <= to) return { from, to };
  throw new TypeError(`${JSON.stringify(latency)} is no range: write the shorter duration first, as in "5ms..40ms".`);
}

/** A {@link Latency} from outside. */
export const latencySchema = z.union([z.number(), z.string()]).superRefine(readBy(latencyRange));

const UNITS = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, kbit: 125, Mbit: 125e3, Gbit: 125e6 } as const;

/**
 * Bytes a second of a bandwidth: a number, or a text such as `"10MB/s"` or `"100Mbit/s"`.
 *
 * @throws {TypeError} when it is not above 0, or has no unit.
 */
export function bytesPerSecond(bandwidth: number | string): number {
  const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?)([A-Za-z]+)\/s$/.exec(String(bandwidth)) ?? [];
  const factor = Object.entries(UNITS).find(([name]) => name === unit)?.[1] ?? Number.NaN;
  const rate = typeof bandwidth === "number" ? bandwidth : Number(number) * factor;
  if (rate > 0 && Number.isFinite(rate)) return rate;
  throw new TypeError(
    `${JSON.stringify(bandwidth)} is no bandwidth: write bytes a second, or a text such as "500kB/s", "10MB/s" or "100Mbit/s".`,
  );
}

/** A bandwidth from outside. */
export const bandwidthSchema = z.union([z.number(), z.string()]).superRefine(readBy(bytesPerSecond));
