import { UsageError } from "./cli-io";

/** The value of an option that is a whole number. @throws {UsageError} with what it may be. */
export function wholeNumber(option: string, given: string, least: number, most: number): number {
  const number = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new UsageError(`${option} is an integer from ${least} to ${most}.`);
}
