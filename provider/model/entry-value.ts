/**
 * The largest value of an entry, of a mark and of an id; the smallest is 0. The contract names no range: 32 bits are our
 * choice.
 */
export const MAX_VALUE = 2 ** 32 - 1;

/** True for a value that an entry may have: an integer from 0 to {@link MAX_VALUE}. */
export function isEntryValue(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_VALUE;
}

/**
 * The value of an entry as a node lists it. What this package writes is in the range of `isEntryValue`; what
 * another writer wrote may be any number, or a text (the digits of an integer beyond ±(2⁵³−1) included). Such a value is
 * kept as it is and only compared.
 */
export type ListedValue = number | string;
