import { attempt } from "../model/errors";
import { isObject, type JsonObject } from "../model/json";
import type { Prefix } from "../model/prefix";
import { jsonIn } from "../model/readable";
import type { ReceiverAnswers } from "./answers";
import { parsePrefix } from "./entry-members";
import { refuseContent, refuseState } from "./entry-state";
import { doubtIn, saysSuccess } from "./error-marker";
import { describe, isNothing, parseJson, ShapeError, sketch } from "./json";
import type { NodeAnswer } from "./node-answer";
import { refusePartialStatus } from "./partial-list";
import { follow, isAddressLike, isNaturalName, listCandidate } from "./places";
import { readPrefixSetList } from "./prefix-set-list";
import { ignoreRemedy, type MemberValue, successRemedy } from "./remedies";
import { refuseRivals } from "./status-rivals";

/** The three operations (docs/contributing/contract.md#signaling-operations), each the last segment of its path. */
export type SignalingOperation = "status" | "start" | "stop";

/** Reason of a receiver's refusal (docs/contributing/contract.md#signaling-errors), as a word for programs. */
export type SignalingRefusal = "secret-invalid" | "prefix-invalid" | "already-active" | "not-active";

/** The four error texts of the contract. */
const SIGNALING_ERRORS: readonly { readonly text: string; readonly reason: SignalingRefusal }[] = [
  { text: "secret_key invalid", reason: "secret-invalid" },
  { text: "ip_prefix invalid", reason: "prefix-invalid" },
  { text: "cloud signaling already active", reason: "already-active" },
  { text: "cloud signaling is not active", reason: "not-active" },
];

/** Path of an operation below the receiver's url. Id and secret are single segments, whatever their characters. */
export function signalingPath(clientId: string, secretKey: string, operation: SignalingOperation): string {
  return `/${encodeURIComponent(clientId)}/${encodeURIComponent(secretKey)}/${operation}`;
}

/** Name of the list of prefixes, in bodies and in a status. */
const CONTRACT_NAME = "IP_prefix";

/** The body of start and stop. */
export function signalingBody(prefixes: readonly (Prefix | string)[]): string {
  return JSON.stringify({ [CONTRACT_NAME]: prefixes.map(String) });
}

/** True for "ok", which the contract shows for start and stop, and for words with that meaning. */
export function isOk(text: string): boolean {
  return /^["']?\+?(ok|okay|done|success\w*|accepted|created|started|stopped)["']?[.!]?$/i.test(text.trim());
}

/**
 * Reason why an answer to a start or stop is not a success, with the setting that makes it one. `undefined` for a success: "ok",
 * words with that meaning, or JSON with a verdict of success and no doubtful one.
 */
export function doubtOf(
  answer: NodeAnswer,
  operation: SignalingOperation = "start",
): { readonly message: string; readonly remedy?: string } | undefined {
  switch (answer.kind) {
    case "error":
      return answer;
    case "html":
      return { message: `the answer is ${answer.title}` };
    case "text":
      if (isOk(answer.text)) return undefined;
      return { message: `the answer is not "ok" but ${JSON.stringify(answer.text)}`, remedy: DECLARE };
    case "empty":
      return { message: 'the answer is not "ok" but empty' };
    case "json": {
      if (answer.isSuccess) return undefined;
      if (typeof answer.json === "string") return doubtOf({ kind: "text", text: answer.json }, operation);
      if (!isObject(answer.json)) return { message: `the answer is not "ok" but ${describe(answer.json)}` };
      const doubt = doubtIn([answer.json], "");
      if (doubt === undefined && saysSuccess(answer.json)) return undefined;
      if (doubt === undefined)
        return { message: `the answer is not "ok" but ${describe(answer.json)}`, remedy: DECLARE };
      const message = `the answer is not known to mean success: ${doubt.text}`;
      return { message, remedy: successRemedy(operation, doubt) ?? DECLARE };
    }
  }
}

/** Remedy for an answer that no reader knows. */
const DECLARE = "Declare success by answers.success of the receiver.";

/**
 * The refusal in a body, whatever its HTTP status and case: in plain text, or in a member of JSON of any name. Text around it
 * ("ip_prefix invalid: 198.51.100.0/33") does not matter.
 */
export function refusalIn(body: string): SignalingRefusal | undefined {
  const read = body.slice(0, 65_536);
  const texts = textsOf(jsonIn(read, parseJson) ?? read).map((text) => text.toLowerCase().replace(/\s+/g, " "));
  return SIGNALING_ERRORS.find(({ text }) => texts.some((one) => one.includes(text)))?.reason;
}

/** A body with `{message}` in the place of the contract's text of an error; `undefined` if it holds none. */
export function refusalTemplate(body: string): string | undefined {
  const at = (text: string) => body.toLowerCase().indexOf(text);
  const found = SIGNALING_ERRORS.find(({ text }) => at(text) >= 0)?.text;
  if (found === undefined) return undefined;
  return `${body.slice(0, at(found))}{message}${body.slice(at(found) + found.length)}`;
}

/** Texts of an object and of objects in it; those in a list are about its elements. */
function textsOf(json: unknown, depth = 0): string[] {
  if (typeof json === "string") return [json];
  if (!isObject(json) || depth > DEEPEST_TEXT) return [];
  return Object.values(json).flatMap((member) => textsOf(member, depth + 1));
}

const DEEPEST_TEXT = 3;

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

/** True for words such as "no active signaling". */
export function saysNothingActive(text: string): boolean {
  return /\b(no|nothing|none)\b[a-z ]{0,30}\bactive\b|\bnot active\b/i.test(text.slice(0, LONGEST_SENTENCE));
}

const LONGEST_SENTENCE = 200;
