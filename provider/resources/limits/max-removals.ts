/** `maxRemovals`, as an argument and in the stack's configuration: a number of entries, or percent of what a set holds. */
export interface MaxRemovals {
  /** As it was written. */
  readonly text: string;
  /** The number of entries, for a set that holds so many. */
  of(size: number): number;
}

/** Reads `500`, `"500"` and `"20%"`; `undefined` where it is none of them. */
export function parseMaxRemovals(value: number | string): MaxRemovals | undefined {
  const text = String(value);
  if (typeof value === "number" ? Number.isInteger(value) && value >= 0 : /^\d{1,9}$/.test(text)) {
    return { text, of: () => Number(text) };
  }
  const percent = /^(100|\d{1,2})(\.\d+)?%$/.exec(text) ? Number.parseFloat(text) : Number.NaN;
  return percent <= 100 ? { text, of: (size) => Math.floor((percent / 100) * size) } : undefined;
}
