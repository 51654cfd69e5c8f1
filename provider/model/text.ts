/** Number of items that a message names; the others are counted. */
export const NAMED = 5;

/** The first few of a list and how many more there are: `192.0.2.0/24, 192.0.2.1/32 and 8 more`. */
export function some(items: readonly unknown[], shown = NAMED): string {
  const head = items.slice(0, shown).map(String).join(", ");
  return items.length > shown ? `${head} and ${items.length - shown} more` : head;
}

/** A number with its noun: `1 entry`, `10 002 entries`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${grouped(number)} ${number === 1 ? one : many}`;
}

/** Digits in groups of three, separated by a space: `10 002`. */
export function grouped(number: number | bigint): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, " ");
}

/** The end of a line in texts from outside, whichever system wrote them. */
export const LINE_END = /\r\n|\r|\n/;

/** Items on a line of a long list. */
const A_LINE = 20;

/** A list as texts of a bounded number of items each, so that a thousand stay readable: `["a, b", "c"]`. */
export function inLines(items: readonly unknown[]): string[] {
  const starts = Array.from({ length: Math.ceil(items.length / A_LINE) }, (_, index) => index * A_LINE);
  return starts.map((start) => items.slice(start, start + A_LINE).join(", "));
}

const NAMES = new Intl.Collator("en", { numeric: true });

/** For `sort`: natural order of names, `n2` before `n10`. */
export function compareNames(a: string, b: string): number {
  return NAMES.compare(a, b);
}
