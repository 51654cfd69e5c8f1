import { isObject } from "../model/json";
import type { Prefix } from "../model/prefix";
import { jsonIn } from "../model/readable";
import { doubtIn, saysSuccess } from "./error-marker";
import { describe, parseJson } from "./json";
import type { NodeAnswer } from "./node-answer";
import { successRemedy } from "./remedies";

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
export const CONTRACT_NAME = "IP_prefix";

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

/** True for words such as "no active signaling", and not for words about a client, a license or a service. */
export function saysNothingActive(text: string): boolean {
  const sentence = text.slice(0, LONGEST_SENTENCE);
  return NOTHING_ACTIVE.some((words) => words.test(sentence));
}

const NOTHING_ACTIVE: readonly RegExp[] = [
  /\b(no|nothing|none)( (is|are|currently|cloud|signall?ings?|ip|prefix(es)?|mitigations?|diversions?|entry|entries)){0,6} active\b(?=[^a-z]*$| (cloud )?signall?ings?\b| (ip )?prefix(es)?\b)/i,
  /\bno( currently)? active (mitigations?|diversions?|entry|entries)(?=[^a-z]*$| (for|on|at|now|currently|found)\b)/i,
  /\bno (cloud )?(signall?ings?|(ip )?prefix(es)?|mitigations?|diversions?|entry|entries)( is| are)?( currently)? active (for|on|at|now|currently)\b/i,
  /\bsignall?ings?( is| are)? not( currently)? active\b/i,
];

const LONGEST_SENTENCE = 200;
