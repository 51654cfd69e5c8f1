import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import type { Core } from "./core";
import { deviations, dialectSchema } from "./dialect";
import type { Emulator } from "./emulator";
import { faultSchema } from "./faults";
import { json, type Reply } from "./reply";
import { type EmulatorState, stateSchema } from "./state";

/** What an operation of the control API gets. */
export interface ControlInput<Query = unknown, Body = unknown> {
  readonly emulator: Emulator;
  readonly core: Core;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

type Answer = Reply | undefined | Promise<Reply | undefined>;

/** An operation of the control API. The OpenAPI description is made of these. */
export interface ControlRoute {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path with parameters in braces. */
  readonly path: string;
  readonly summary: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** JSON of a successful answer; absent where the answer is something else. */
  readonly answer?: z.ZodType;
  /** The answer; `undefined` when the operation answers by itself. */
  readonly run: (input: ControlInput) => Answer;
}

/** An operation whose handler knows the types of its query and body. */
export function route<Query extends z.ZodType = z.ZodUndefined, Body extends z.ZodType = z.ZodUndefined>(
  definition: Omit<ControlRoute, "query" | "body" | "run"> & {
    query?: Query;
    body?: Body;
    run: (input: ControlInput<z.output<Query>, z.output<Body>>) => Answer;
  },
): ControlRoute {
  return definition as ControlRoute;
}

const done = z.object({ status: z.literal("ok") }).describe("Done.");
const ok = () => json(200, { status: "ok" });
const entries = z.record(z.string(), z.number());
const duration = z.union([z.number(), z.string()]);
const credentials = z.array(z.object({ clientId: z.string(), secretKey: z.string(), prefixes: z.array(z.string()) }));
const clock = z.object({ now: z.string(), frozen: z.boolean() });
const showClock = ({ emulator }: Pick<ControlInput, "emulator">) =>
  json(200, { now: emulator.clock.now.toISOString(), frozen: emulator.clock.frozen });

const journalEntry = z.looseObject({
  index: z.int(),
  time: z.string(),
  api: z.string(),
  method: z.string(),
  path: z.string(),
});

const activeFault = z.object({
  id: z.int(),
  fault: z.looseObject({ kind: z.string() }),
  seen: z.int(),
  hits: z.int(),
  spent: z.boolean(),
});

/** Every operation of the control API. */
export const ROUTES: readonly ControlRoute[] = [
  route({
    method: "GET",
    path: "/info",
    summary: "Addresses and clients: what the ready line of the command says.",
    answer: z.object({
      endpoint: z.string(),
      signalingUrl: z.string(),
      testSignalingUrl: z.string(),
      control: z.string(),
      clients: credentials,
      testClients: credentials,
    }),
    run: ({ emulator }) => json(200, emulator.info()),
  }),
  route({
    method: "GET",
    path: "/state",
    summary: "Everything that the emulator holds, in the form that it starts from.",
    answer: stateSchema,
    run: ({ emulator }) => json(200, emulator.state()),
  }),
  route({
    method: "PUT",
    path: "/state",
    summary: "Replaces everything that the emulator holds.",
    body: stateSchema,
    answer: done,
    run: ({ emulator, body }) => {
      emulator.seed(body as EmulatorState);
      return ok();
    },
  }),
  route({
    method: "POST",
    path: "/reset",
    summary: "Back to the start: first state and dialect, real time, no faults, an empty journal.",
    answer: done,
    run: ({ emulator }) => {
      emulator.reset();
      return ok();
    },
  }),
  route({
    method: "GET",
    path: "/prefix-set",
    summary: "What a set holds, and what a commit would make of it.",
    query: z.strictObject({ url: z.string() }),
    answer: z.object({ applied: entries, staged: entries }),
    run: ({ emulator, query }) => json(200, emulator.prefixSet(query.url)),
  }),
  route({
    method: "POST",
    path: "/prefix-set/change",
    summary: "Changes the applied entries of a set at once, as somebody at the node's console would.",
    body: z.strictObject({ url: z.string(), insert: entries.optional(), delete: z.array(z.string()).optional() }),
    answer: done,
    run: ({ emulator, body: { url, ...changes } }) => {
      emulator.change(url, changes);
      return ok();
    },
  }),
  route({
    method: "GET",
    path: "/signalings",
    summary: "Prefixes with active signaling, by client.",
    answer: z.object({
      signalings: z.record(z.string(), z.array(z.string())),
      testSignalings: z.record(z.string(), z.array(z.string())),
    }),
    run: ({ emulator }) => json(200, { signalings: emulator.signalings, testSignalings: emulator.testSignalings }),
  }),
  route({
    method: "POST",
    path: "/signalings",
    summary: "Starts and stops signaling of a client without a request to the signaling API.",
    body: z.strictObject({
      clientId: z.string(),
      start: z.array(z.string()).optional(),
      stop: z.array(z.string()).optional(),
    }),
    answer: done,
    run: ({ emulator, body: { clientId, ...changes } }) => {
      emulator.signal(clientId, changes);
      return ok();
    },
  }),
  route({
    method: "GET",
    path: "/bound-profile",
    summary: "The profile that an address is bound to.",
    query: z.strictObject({ address: z.string() }),
    answer: z.object({ profile: z.string().nullable() }),
    run: ({ emulator, query }) => json(200, { profile: emulator.boundProfile(query.address) ?? null }),
  }),
  route({
    method: "GET",
    path: "/journal",
    summary: "What the emulator was asked, secrets cut out.",
    query: z.strictObject({
      cmd: z.enum(["list", "insert", "delete", "commit"]).optional(),
      op: z.enum(["status", "start", "stop"]).optional(),
      api: z.enum(["node", "signaling", "test", "other"]).optional(),
      url: z.string().optional(),
      client: z.string().optional(),
      since: z.coerce.number().optional().describe("Only entries with at least this index."),
    }),
    answer: z.array(journalEntry),
    run: ({ emulator, query: { since = 0, ...filter } }) =>
      json(
        200,
        emulator.requests(filter).filter(({ index }) => index >= since),
      ),
  }),
  route({
    method: "DELETE",
    path: "/journal",
    summary: "Empties the journal.",
    answer: done,
    run: ({ emulator }) => {
      emulator.clearJournal();
      return ok();
    },
  }),
  route({
    method: "GET",
    path: "/faults",
    summary: "The faults that were set.",
    answer: z.array(activeFault),
    run: ({ emulator }) => json(200, emulator.faults.map(showFault)),
  }),
  route({
    method: "POST",
    path: "/faults",
    summary: "Lets something go wrong.",
    body: faultSchema,
    answer: activeFault,
    run: ({ emulator, body }) => json(200, showFault(emulator.fail(body))),
  }),
  route({
    method: "DELETE",
    path: "/faults",
    summary: "Takes all faults back.",
    answer: done,
    run: ({ emulator }) => {
      emulator.clearFaults();
      return ok();
    },
  }),
  route({
    method: "DELETE",
    path: "/faults/{id}",
    summary: "Takes one fault back.",
    answer: done,
    run: ({ core, path }) =>
      core.faults.remove(Number(path.id)) ? ok() : json(404, { error: `there is no fault ${path.id}` }),
  }),
  route({ method: "GET", path: "/clock", summary: "The virtual time.", answer: clock, run: showClock }),
  route({
    method: "POST",
    path: "/clock",
    summary: "Freezes, advances or resumes the virtual time, in this order.",
    body: z.strictObject({
      freeze: z
        .union([z.literal(true), z.string()])
        .optional()
        .describe("true, or the time to freeze at"),
      advance: duration.optional(),
      resume: z.literal(true).optional(),
    }),
    answer: clock,
    run: ({ emulator, body }) => {
      if (body.freeze !== undefined) emulator.clock.freeze(body.freeze === true ? undefined : body.freeze);
      if (body.advance !== undefined) emulator.clock.advance(body.advance);
      if (body.resume) emulator.clock.resume();
      return showClock({ emulator });
    },
  }),
  route({
    method: "GET",
    path: "/dialect",
    summary: "How the open points of the contract are settled, and which of it is not the default.",
    answer: z.object({ dialect: dialectSchema, deviations: dialectSchema.partial() }),
    run: ({ emulator }) => json(200, { dialect: emulator.dialect, deviations: deviations(emulator.dialect) }),
  }),
  route({
    method: "PUT",
    path: "/dialect",
    summary: "Sets the dialect: by name, or by switches.",
    body: z.union([z.strictObject({ name: z.string() }), dialectSchema]),
    answer: done,
    run: ({ emulator, body }) => {
      emulator.setDialect("name" in body ? body.name : body);
      return ok();
    },
  }),
];

function showFault({ id, fault, seen, hits, spent }: Emulator["faults"][number]) {
  return { id, fault, seen, hits, spent };
}

/** The operation for a method and path; or the methods that the path has. */
export function matchRoute(
  method: string,
  pathname: string,
): { route: ControlRoute; path: Record<string, string> } | { allowed: string[] } {
  const candidates = ROUTES.flatMap((it) => {
    const path = matchPath(it.path, pathname);
    return path ? [{ route: it, path }] : [];
  });
  return candidates.find((it) => it.route.method === method) ?? { allowed: candidates.map((it) => it.route.method) };
}

function matchPath(pattern: string, pathname: string): Record<string, string> | undefined {
  const [wanted, given] = [pattern.split("/"), pathname.split("/")];
  if (wanted.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const value = given[at] ?? "";
    if (part.startsWith("{")) parameters[part.slice(1, -1)] = decodeURIComponent(value);
    else if (part !== value) return undefined;
  }
  return parameters;
}
