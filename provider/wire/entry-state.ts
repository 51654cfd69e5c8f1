import { DoubtfulMembers } from "../model/doubtful-members";
import type { JsonObject } from "../model/json";
import { quoted, ShapeError } from "./json";
import { type Ignoring, ignoreRemedy } from "./remedies";

/** Entries that end later are there until then. */
const doubtful = new DoubtfulMembers(false);

/**
 * Refuses an entry with a member that may mean that it is not applied, or that it permits: `state: "pending"`,
 * `disabled: true`. @throws {ShapeError} naming the setting.
 *
 * @param what Name of the entry, as in "element 3".
 * @param isNamed True for members whose meaning the settings name.
 */
export function refuseState(
  record: JsonObject,
  what: string,
  answers: Ignoring | undefined,
  isNamed: (name: string) => boolean = () => false,
): void {
  const isKnown = (name: string) =>
    isNamed(name) || answers?.ignore?.some((one) => one.toLowerCase() === name.toLowerCase()) === true;
  const found = doubtful.find(record, isKnown)?.name;
  if (found === undefined) return;
  throw new ShapeError(
    `${what} has ${quoted(found)}: ${contentOf(record[found])}, and may not be applied`,
    ignoreRemedy(answers, found, "the entry counts"),
  );
}

/**
 * Refuses what stands under a prefix and may mean that it is not active: false, 0, `"inactive"`, an array. `value` in
 * `answers.ignore` is all that stands there. @throws {ShapeError} naming the setting.
 */
export function refuseContent(prefix: string, content: unknown, answers: Ignoring | undefined): void {
  const isKnown = () => answers?.ignore?.some((one) => one.toLowerCase() === "value") === true;
  const isState = doubtful.find({ state: content, enabled: content }, isKnown) !== undefined;
  if (!isState && (!Array.isArray(content) || isKnown())) return;
  throw new ShapeError(
    `${quoted(prefix)} has ${Array.isArray(content) ? "an array" : contentOf(content)}, and may not be active`,
    ignoreRemedy(answers, "value", "each listed prefix is active"),
  );
}

function contentOf(value: unknown): string {
  return typeof value === "string" ? quoted(value) : JSON.stringify(value);
}
