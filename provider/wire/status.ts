import { attempt } from "../model/errors";
import { isObject, type JsonObject } from "../model/json";
import type { Prefix } from "../model/prefix";
import type { ReceiverAnswers } from "./answers";
import { parsePrefix } from "./entry-members";
import { refuseContent, refuseState } from "./entry-state";
import { doubtIn } from "./error-marker";
import { describe, isNothing, ShapeError, sketch } from "./json";
import { refusePartialStatus } from "./partial-list";
import { follow, isAddressLike, isNaturalName, listCandidate } from "./places";
import { readPrefixSetList } from "./prefix-set-list";
import { ignoreRemedy, type MemberValue } from "./remedies";
import { CONTRACT_NAME, saysNothingActive } from "./signaling";
import { refuseRivals } from "./status-rivals";

/**
 * The prefixes with active signaling, canonical and each once; bare addresses and host bits are accepted. Reads a list, one
 * prefix as a text, and an object around them under a usual name; no unknown answer is an empty list.
 *
 * @param isSuccess True if the settings know the answer as a success.
 * @throws {ShapeError} for any other answer, with the setting that reads it, for a part of a list, and for prefixes that may not
 * be active.
 */
export function readStatus(json: unknown, answers: ReceiverAnswers = {}, isSuccess = false): Prefix[] {
  const { elements, within, name } = locate(json, answers, []);
  const list = within.length > 0 ? within.at(-1)?.[name ?? ""] : json;
  if (answers.path === undefined && answers.name === undefined) {
    const active = () => attempt(() => readActive(elements, answers), ShapeError) ?? [];
    refuseRivals(json, { list, name, isContract: name === CONTRACT_NAME, active }, answers);
  }
  refusePartialStatus({ within, list, length: elements.length }, answers);
  if (elements.length === 0 && !isSuccess) refuseUntold(within, name, answers);
  return readActive(elements, answers);
}

/** Refuses an empty status beside words or a verdict of failure, unless they say that nothing is active. */
function refuseUntold(within: readonly JsonObject[], name = "", answers: ReceiverAnswers = {}): void {
  const ignored = answers.ignore?.map((one) => one.toLowerCase()) ?? [];
  const isIgnored = (member: string) => ignored.some((one) => member === one || member.startsWith(`${one}.`));
  const isHarmless = ({ member, value }: MemberValue) =>
    isIgnored(member.toLowerCase()) || (typeof value === "string" && NEUTRAL.test(value.trim()));
  const doubt = doubtIn(within, name, isHarmless);
  if (doubt === undefined || saysNothingActive(doubt.text)) return;
  throw new ShapeError(
    `nothing is listed, and beside it stands ${doubt.text}`,
    ignoreRemedy(answers, doubt.member, "nothing is active"),
  );
}

/** Words beside an empty status that report no failure. */
const NEUTRAL =
  /^(?:(?:the )?(?:cloud )?(?:signaling|service|system|receiver|status)(?: is)? )?(?:ready|online|up|healthy|stand-?by|normal|clear|idle|inactive|available|off)[.!]?$|^(?:next|last) (?:check|poll|update)\b|^(?:currently,? )?no prefix(?:es)? (?:is|are) (?:currently )?signall?ed[.!]?$/i;

/** The prefixes of a list of active ones, each once. @throws {ShapeError} */
export function readActive(elements: readonly unknown[], answers: ReceiverAnswers = {}): Prefix[] {
  const prefixes = elements.map((element, index) => readElement(element, index, answers));
  return [...new Map(prefixes.map((prefix) => [prefix.toString(), prefix])).values()];
}

/** Reads a prefix from a text, or from a record, alone or under its prefix; members that say nothing about it do not matter. */
function readElement(element: unknown, index: number, { ignore }: ReceiverAnswers): Prefix {
  if (typeof element === "string") return parsePrefix(element);
  if (isObject(element)) {
    const isKeyed = listCandidate(element)?.kind === "keyed";
    const record = isKeyed ? Object.values(element)[0] : element;
    if (isObject(record)) refuseState(record, `element ${index}`, { ignore });
    const habits = { answers: { names: { value: "value" }, ignore } };
    const [entry] = attempt(() => readPrefixSetList(isKeyed ? element : [element], habits), ShapeError) ?? [];
    if (entry) return entry.prefix;
  }
  throw new ShapeError(`the answer lists ${describe(element)} instead of a prefix`);
}

/** The elements of an object keyed by prefix: the key where nothing stands under it, and the record with its key. */
function elementsOf(members: JsonObject, answers: ReceiverAnswers): unknown[] {
  return Object.entries(members).map(([key, content]) => {
    if (isObject(content) && !isNothing(content)) return { [key]: content };
    if (!isObject(content)) refuseContent(key, content, answers);
    return key;
  });
}

/** A list in a status: the objects around it, the outermost first, and its name in the innermost. */
interface Located {
  readonly elements: readonly unknown[];
  readonly within: readonly JsonObject[];
  readonly name?: string | undefined;
}

function locate(json: unknown, answers: ReceiverAnswers, around: readonly JsonObject[], outer?: string): Located {
  const { path, name = CONTRACT_NAME, empty } = answers;
  // If nothing is active, there may be nothing at the path.
  const isNothing = isObject(json) && Object.keys(json).length === 0;
  const isAtPath = path !== undefined && !isNothing;
  const followed = isAtPath ? follow(json, path) : { value: json, within: [] };
  const place = followed?.value;
  const outside = [...around, ...(followed?.within ?? [])];
  const here = (elements: readonly unknown[]): Located => ({
    elements,
    within: outside,
    name: isAtPath ? path.split(".").at(-1) : outer,
  });
  const keyed = listCandidate(place);
  if (keyed?.kind === "keyed") return here(elementsOf(keyed.members, answers));
  if (Array.isArray(place) && (place.length > 0 || path !== undefined || isEmptySaid(empty))) return here(place);
  if (isObject(place)) {
    const [key, ...others] = Object.keys(place).filter((member) => member.toLowerCase() === name.toLowerCase());
    if (key !== undefined) {
      if (others.length > 0) throw new ShapeError(`in the answer, both "${key}" and "${others[0]}" may be the list`);
      const value = place[key];
      const inside = (elements: readonly unknown[]): Located => ({ elements, within: [...outside, place], name: key });
      if (value === null) return inside([]);
      if (Array.isArray(value)) return inside(value);
      const found = listCandidate(value);
      if (found?.kind === "keyed") return inside(elementsOf(found.members, answers));
      if (found?.kind === "hollow" && isEmptySaid(empty)) return inside([]);
      if (typeof value === "string" && isAddressLike(value)) return inside([value]);
      throw new ShapeError(`in the answer, "${key}" is ${describe(value)} instead of an array`);
    }
    if (Object.keys(place).length === 0 && isEmptySaid(empty)) return here([]);
    const [only, ...more] = Object.keys(place).filter(
      (member) => isNaturalName(member) && typeof place[member] === "object",
    );
    const inner = only === undefined || more.length > 0 || path !== undefined ? undefined : place[only];
    // An empty array under a usual name may be some other empty list.
    if (isObject(inner) || (Array.isArray(inner) && inner.length > 0))
      return locate(inner, answers, [...outside, place], only);
  }
  throw unknownStatus(json, answers);
}

function isEmptySaid(empty: ReceiverAnswers["empty"]): boolean {
  return empty === "{}" || empty === "";
}

function unknownStatus(json: unknown, { path, name }: ReceiverAnswers): ShapeError {
  if (typeof json === "object" && json !== null && Object.keys(json).length === 0) {
    return new ShapeError(
      `the answer is an empty ${Array.isArray(json) ? "array" : "object"}`,
      `If this means that nothing is active, set answers.empty: "{}" of the receiver.`,
    );
  }
  const where = path === undefined ? "" : `, and at ${JSON.stringify(path)} in it is not a list`;
  const expected = name ?? CONTRACT_NAME;
  return new ShapeError(
    `the answer is ${describe(json)}, without "${expected}"${where}; its shape is ${sketch(json)}`,
    "If a list of prefixes is in it, say where: answers.path and answers.name of the receiver.",
  );
}
