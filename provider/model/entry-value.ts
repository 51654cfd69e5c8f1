/**
 * The largest value of an entry; the smallest is 0. The contract names no range, and 32 bits is what marks and match
 * values have.
 */
export const MAX_VALUE = 2 ** 32 - 1;

/** True for a value that an entry may have: an integer from 0 to {@link MAX_VALUE}. */
export function isEntryValue(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_VALUE;
}
