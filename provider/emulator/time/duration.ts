const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A time span: milliseconds as a number, or a text such as `"10ms"`, `"1.5s"`, `"5m"`, `"1h"`, `"2d"`. */
export type Duration = number | string;

/**
 * Milliseconds of a {@link Duration}.
 *
 * @throws {TypeError} when it is negative, not finite, or has no unit.
 * @example
 * ```ts
 * milliseconds("1.5s");   // 1500
 * ```
 */
export function milliseconds(duration: Duration): number {
  const ms = typeof duration === "number" ? duration : fromText(duration);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  throw new TypeError(
    `${JSON.stringify(duration)} is not a duration: write a number of milliseconds, or a text such as "10ms", "1s", "5m", "1h" or "2d".`,
  );
}

function fromText(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  return number === undefined ? Number.NaN : Number(number) * UNITS[unit as keyof typeof UNITS];
}
