import { messageOf } from "../../model/errors";
import { nameProblem, parseUrl, type ResourceUrl, withoutEnding } from "../../model/resource-url";
import type { Command } from "../journal/entry";
import type { FaultDefinition, FaultParameters } from "./fault-kind";
import { FAULT_KINDS, type FaultKind } from "./fault-kinds";

/** A fault as it is set; see `faultSchema`. */
interface Fault extends FaultParameters {
  readonly kind?: FaultKind;
  readonly api?: string;
  readonly cmd?: Command;
  readonly op?: string;
  readonly url?: string;
  readonly type?: string;
  readonly client?: string;
  readonly nth?: number;
  readonly every?: number;
  readonly rate?: number;
  readonly seed?: number;
}

/**
 * Why a fault cannot strike, or says what has no meaning; none when all is well. A fault that strikes unnoticed makes tests
 * green that show nothing, so it is refused when it is set.
 */
export function* nonsense(fault: Fault): Generator<string> {
  yield* timing(fault);
  const kind = fault.kind ?? "error";
  const definition: FaultDefinition = FAULT_KINDS[kind];
  yield* parameters(fault, kind, definition);
  yield* requests(fault);
  const { cmd, op, type, api } = fault;
  const { meets } = definition;
  if (!meets) return;
  const only = `${kind} has a meaning only for ${meets.join(" and ")} of a prefix-set`;
  const elsewhere = cmd !== undefined && !meets.includes(cmd) ? `cmd "${cmd}"` : undefined;
  const other = op !== undefined ? `op "${op}"` : api !== undefined && api !== "node" ? `api "${api}"` : elsewhere;
  const place = fault.url === undefined ? undefined : kindOf(fault.url);
  if (other !== undefined) yield `${only}: ${other} never meets it`;
  else if (type !== undefined) yield `${only}: it never meets a list of marks`;
  else if (place !== undefined && place !== "prefixset") yield `${only}: ${fault.url} is none`;
}

/** Members that say when, and contradict each other. */
function* timing({ nth, every, rate, seed }: Fault): Generator<string> {
  if (nth !== undefined && every !== undefined) {
    yield "nth and every contradict each other: nth says from which request on, every how often; leave one out";
  }
  if (rate === 0) yield "with the rate 0 it never strikes";
  if (seed !== undefined && rate === undefined) yield "seed has a meaning only with rate";
}

/** What the kind cannot be told. */
function* parameters(fault: Fault, kind: FaultKind, { parameters: known }: FaultDefinition): Generator<string> {
  const told = ["status", "body", "message", "retryAfter", "when", "delay", "staged"] as const;
  const names = Object.keys(known);
  const takes = names.length === 0 ? "takes none of these" : `takes ${names.join(", ")}`;
  for (const name of told) {
    if (fault[name] !== undefined && !names.includes(name)) yield `${name} has no meaning for ${kind}, which ${takes}`;
  }
  if (fault.message !== undefined && fault.body !== undefined) yield "body is the whole answer: message is not in it";
}

/** Members that say which requests, and that no request has together. */
function* requests({ api, cmd, op, url, type, client }: Fault): Generator<string> {
  const node = Object.entries({ cmd, url, type }).find(([, value]) => value !== undefined);
  const signaling = Object.entries({ op, client }).find(([, value]) => value !== undefined);
  const never = (a: string, b: string) =>
    `no request has both ${a} and ${b}: the first is of the node API, the second of signaling`;
  if (node && signaling) yield never(node[0], signaling[0]);
  else if (node && api !== undefined && api !== "node") yield never(node[0], `api "${api}"`);
  else if (signaling && api === "node") yield never('api "node"', signaling[0]);
  if (url !== undefined) yield* address(url, cmd);
  if (type === undefined) return;
  if (cmd !== undefined && cmd !== "list") yield `only a list of marks has a type: a ${cmd} never meets it`;
  const place = url === undefined ? undefined : kindOf(url);
  if (place !== undefined && place !== "mark") yield `only mark://ARENA/PROFILE has a type, and ${url} is none`;
}

const SCHEMES = ["arena", "profile", "prefixset", "mark"] as const;

function* address(url: string, cmd: Command | undefined): Generator<string> {
  const place = kindOf(url);
  if (place === undefined && !isBeginning(url)) {
    const names = withoutEnding(url.replace(/^\/+/, ""), "/*").split("/");
    const meant =
      names.length > 1 && names.every((name) => !nameProblem(name)) ? `; is prefixset://${names.join("/")} meant?` : "";
    yield `url: ${JSON.stringify(url)} begins no resource address: arena://, profile://, prefixset:// or mark://${meant}`;
    return;
  }
  if (place !== undefined && place !== "prefixset" && cmd !== undefined && cmd !== "list") {
    yield `a ${cmd} works on prefix-sets, and ${url} is none`;
  }
  // A name that no node has may still be asked for; too many or too few names may not.
  if (url.endsWith("*") || place === undefined) return;
  const [, path = ""] = url.split("://");
  if (path.split("/").some((name) => name !== "" && nameProblem(name) !== undefined)) return;
  const problem = addressProblem(url);
  if (problem !== undefined) yield `url: ${problem.replace(/\.$/, "")}`;
}

function addressProblem(url: string): string | undefined {
  try {
    parseUrl(url);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** What an address or the beginning of one is about, if that is clear already. */
function kindOf(url: string): ResourceUrl["kind"] | undefined {
  return SCHEMES.find((scheme) => url.startsWith(`${scheme}://`));
}

/** True for a pattern such as `prefix*`, which may still become an address. */
function isBeginning(url: string): boolean {
  return url.endsWith("*") && SCHEMES.some((scheme) => `${scheme}://`.startsWith(url.slice(0, -1)));
}
