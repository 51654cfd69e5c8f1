/**
 * The largest value of an entry, of a mark and of an id; the smallest is 0. The contract names no range: 32 bits are our
 * choice.
 */
export const MAX_VALUE = 2 ** 32 - 1;

/** True for a value that an entry may have: an integer from 0 to {@link MAX_VALUE}. */
export function isEntryValue(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_VALUE;
}
