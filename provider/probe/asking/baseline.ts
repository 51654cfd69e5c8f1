import { isObject } from "../../model/json";
import { jsonOf } from "../../wire/json";
import { isHarmlessMember } from "../../wire/partial-list";

/** Status and body of an answer, as notes keep them. */
export interface Raw {
  readonly status: number;
  readonly body: string;
}

/**
 * True for two answers that report the same: texts that differ in numbers of comments only, or JSON that differs only in times,
 * versions and ids of the request.
 */
export function isSame(one: Raw, two: Raw): boolean {
  if (one.status !== two.status) return false;
  if (one.body === two.body) return true;
  const [first, second] = [jsonOf(one.body), jsonOf(two.body)];
  if (first === undefined || second === undefined) return first === second && plain(one.body) === plain(two.body);
  return isEqual(first, second);
}

/** A text without the digits of its comments, such as times and counts. */
function plain(text: string): string {
  return text
    .split("\n")
    .map((line) => (/^\s*(#|;|\/\/|!|<)/.test(line) ? line.replace(/\d+/g, "0") : line))
    .join("\n")
    .trim();
}

function isEqual(one: unknown, two: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(two))
    return one.length === two.length && one.every((element, at) => isEqual(element, two[at]));
  if (!isObject(one) || !isObject(two)) return one === two;
  const names = new Set([...Object.keys(one), ...Object.keys(two)]);
  return [...names].every((name) => {
    const [first, second] = [one[name], two[name]];
    return isEqual(first, second) || (isHarmlessMember(name) && typeof first === typeof second);
  });
}
