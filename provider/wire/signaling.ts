import { z } from "zod";
import { Prefix, PrefixError } from "../model/prefix";
import { describe, isRecord, parseJson, ShapeError } from "./json";

/** The three operations (docs/contract.md#signaling-operations), each the last segment of its path. */
export type SignalingOperation = "status" | "start" | "stop";

/** Why a receiver says no (docs/contract.md#signaling-errors), as a word that programs can switch on. */
export type SignalingRefusal = "secret-invalid" | "prefix-invalid" | "already-active" | "not-active";

/** The four error texts of the contract. They are matched here and nowhere else. */
const SIGNALING_ERRORS: readonly { readonly text: string; readonly reason: SignalingRefusal }[] = [
  { text: "secret_key invalid", reason: "secret-invalid" },
  { text: "ip_prefix invalid", reason: "prefix-invalid" },
  { text: "cloud signaling already active", reason: "already-active" },
  { text: "cloud signaling is not active", reason: "not-active" },
];

/** Path of an operation below the receiver's url. Id and secret are single segments, whatever they contain. */
export function signalingPath(clientId: string, secretKey: string, operation: SignalingOperation): string {
  return `/${encodeURIComponent(clientId)}/${encodeURIComponent(secretKey)}/${operation}`;
}

/** The body of start and stop. */
export function signalingBody(prefixes: readonly (Prefix | string)[]): string {
  return JSON.stringify({ IP_prefix: prefixes.map(String) });
}

/** True for the answer that the contract shows for start and stop: the text "ok", also as a JSON string. */
export function isOk(body: string): boolean {
  return /^"?ok"?$/i.test(body.trim());
}

const ERROR_MEMBERS = ["error", "message", "detail"] as const;

/**
 * The refusal that a body tells, whatever its HTTP status and case: plain text, or JSON with the text under `error`,
 * `message` or `detail`. Text around it ("ip_prefix invalid: 198.51.100.0/33") does not matter.
 */
export function refusalIn(body: string): SignalingRefusal | undefined {
  const texts = errorTexts(body.slice(0, 65_536)).map((text) => text.toLowerCase().replace(/\s+/g, " "));
  return SIGNALING_ERRORS.find(({ text }) => texts.some((told) => told.includes(text)))?.reason;
}

function errorTexts(body: string): string[] {
  let json: unknown;
  try {
    json = parseJson(body);
  } catch {
    return [body];
  }
  return textsOf(json);
}

function textsOf(json: unknown): string[] {
  if (typeof json === "string") return [json];
  if (!isRecord(json)) return [];
  return ERROR_MEMBERS.flatMap((member) => textsOf(json[member]));
}

const statusAnswer = z.looseObject({ IP_prefix: z.array(z.string()).nullable() });

/**
 * The prefixes with active signaling, canonical and each once; bare addresses and host bits are understood.
 *
 * @throws {SyntaxError | ShapeError} when the body is not the object of the contract; `{}` is no empty list.
 */
export function readStatus(body: string): Prefix[] {
  const json = parseJson(body.replace(/^\uFEFF/, ""));
  const answer = statusAnswer.safeParse(json);
  if (!answer.success) throw new ShapeError(`the answer is ${describe(json)} instead of one with an array "IP_prefix"`);
  const prefixes = new Map<string, Prefix>();
  for (const spelling of answer.data.IP_prefix ?? []) {
    const prefix = readPrefix(spelling);
    prefixes.set(prefix.toString(), prefix);
  }
  return [...prefixes.values()];
}

function readPrefix(spelling: string): Prefix {
  try {
    return Prefix.parse(spelling, { hostBits: "mask" });
  } catch (error) {
    if (error instanceof PrefixError) throw new ShapeError(error.message.replace(/\.$/, ""));
    throw error;
  }
}
