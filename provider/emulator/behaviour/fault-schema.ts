import { z } from "zod";
import { JOURNAL } from "../defaults";
import { addressProblem, kindOf } from "../journal/address-filter";
import { markTypeSchema } from "../validation/mark-type";
import { type FaultDefinition, faultParameters } from "./fault-kind";
import { FAULT_KINDS, type FaultKind } from "./fault-kinds";
import type { Fault } from "./fault-types";

const members = z.strictObject({
  kind: z
    .enum(Object.keys(FAULT_KINDS) as [FaultKind])
    .optional()
    .describe("Kind of the fault; default: error."),
  api: z.enum(["node", "signaling", "test"]).optional().describe("Only requests of this API."),
  cmd: z.enum(["list", "insert", "delete", "commit"]).optional().describe("Only this command of the node API."),
  op: z.enum(["status", "start", "stop"]).optional().describe("Only this operation of the signaling API."),
  url: z
    .string()
    .optional()
    .describe("Only this resource, with or without a trailing slash; a * at the end matches the rest."),
  type: markTypeSchema.optional().describe("Only lists of marks of this type."),
  client: z.string().optional().describe("Only this signaling client."),
  run: z.string().min(1).max(JOURNAL.labelCharacters).optional().describe("Only requests of the run with this label."),
  nth: z
    .int()
    .min(1)
    .optional()
    .describe("From the nth matching request on, counted from 1 since the fault was set; default 1."),
  every: z.int().min(1).optional().describe("Every nth matching request."),
  rate: z.number().min(0).max(1).optional().describe("Share of the matching requests, drawn by seed."),
  seed: z.int().min(0).optional().describe("Seed of rate; default: the emulator's seed."),
  times: z.int().min(1).optional().describe("Ends after so many hits; default 1, with every or rate unlimited."),
  ...faultParameters.shape,
});

/**
 * A fault and the requests to which it applies. The first fault that matches a request acts on it.
 *
 * @example
 * ```ts
 * emulator.fail({ cmd: "commit", nth: 1, status: 503 });
 * emulator.fail({ op: "start", kind: "lost-answer" });
 * emulator.fail({ rate: 0.1, seed: 42, kind: "reset" });
 * ```
 */
export const faultSchema = members
  .superRefine((fault, context) => {
    for (const message of nonsense(fault)) context.addIssue({ code: "custom", message });
  })
  .describe("A fault: its kind, and the requests to which it applies");

export type { Fault } from "./fault-types";

/**
 * Reasons why a fault can never strike, or has members without meaning. Such a fault is refused when it is set: with it, a
 * test would pass and show nothing.
 */
function* nonsense(fault: Fault): Generator<string> {
  yield* timing(fault);
  const kind = fault.kind ?? "error";
  const definition: FaultDefinition = FAULT_KINDS[kind];
  yield* parameters(fault, kind, definition);
  yield* requests(fault);
  if (fault.run !== undefined && definition.meetsEveryone) {
    yield `${kind} meets every caller and cannot be limited to a run: set it in an isolated emulator (POST /emulators)`;
  }
  const { cmd, op, type, api } = fault;
  const { meets } = definition;
  if (!meets) return;
  const only = `${kind} has a meaning only for ${meets.join(" and ")} of a prefix-set`;
  const elsewhere = cmd !== undefined && !meets.includes(cmd) ? `cmd "${cmd}"` : undefined;
  const other = op !== undefined ? `op "${op}"` : api !== undefined && api !== "node" ? `api "${api}"` : elsewhere;
  const place = fault.url === undefined || cmd === "commit" ? undefined : kindOf(fault.url);
  if (other !== undefined) yield `${only}: ${other} never meets it`;
  else if (type !== undefined) yield `${only}: it never meets a list of marks`;
  else if (place !== undefined && place !== "prefixset") yield `${only}: ${fault.url} is none`;
}

/** Contradictions between the members for the time of a fault. */
function* timing({ nth, every, rate, seed }: Fault): Generator<string> {
  if (nth !== undefined && every !== undefined) {
    yield "nth and every contradict each other: nth is the first request, every the interval; remove one of them";
  }
  if (rate === 0) yield "with the rate 0 it never takes effect";
  if (seed !== undefined && rate === undefined) yield "seed has an effect only with rate";
}

/** Parameters that the kind does not take. */
function* parameters(fault: Fault, kind: FaultKind, { parameters: known }: FaultDefinition): Generator<string> {
  const names = Object.keys(known);
  const takes = names.length === 0 ? "takes none of these" : `takes ${names.join(", ")}`;
  for (const name of faultParameters.keyof().options) {
    if (fault[name] !== undefined && !names.includes(name)) yield `${name} has no meaning for ${kind}, which ${takes}`;
  }
  if (fault.message !== undefined && fault.body !== undefined) yield "body is the whole answer: message is not in it";
}

/** Members that no request can have together. */
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

function* address(url: string, cmd: Fault["cmd"]): Generator<string> {
  const problem = addressProblem(url, cmd);
  if (problem !== undefined) yield `url: ${problem}`;
  const place = kindOf(url);
  if (place !== undefined && place !== "prefixset" && (cmd === "insert" || cmd === "delete")) {
    yield `a ${cmd} works on prefix-sets, and ${url} is none`;
  }
}
