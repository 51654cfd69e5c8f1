import { html, json, text } from "../http/reply";
import {
  type Delivery,
  delayOf,
  type FaultContext,
  type FaultDefinition,
  type FaultParameters,
  instead,
} from "./fault-kind";

/** The connection breaks and nothing is answered. */
const RESET: Delivery = { cut: "reset" };

/** Faults of one request: a wrong answer, a late one, or none. */
const requestFaults = {
  error: {
    about:
      'Answers an error: `status` (500), `message` or a whole `body`, `retryAfter`; `when: "after"` takes effect first.',
    parameters: { status: 500, message: null, body: null, retryAfter: null, when: "before" },
    run: instead(({ fault, error }) => {
      const { status = 500, message = `fault: status ${status}`, body, retryAfter } = fault;
      const reply = body === undefined ? { ...error(status, message), status } : text(status, body);
      return retryAfter === undefined ? reply : { ...reply, headers: { "retry-after": String(retryAfter) } };
    }),
  },
  delay: {
    about:
      'Answers properly, but `delay` (1 s) later; `when: "after"` (default: before) says on which side of the wait the effect is.',
    parameters: { delay: "1s", when: "before" },
    run: async (context) => {
      const { when } = context.fault;
      if (when !== "after") await context.wait(delayOf(context));
      const reply = await context.run();
      if (when === "after") await context.wait(delayOf(context));
      return reply;
    },
  },
  reset: {
    about: 'Resets the connection before the request takes effect (`when: "after"`: afterwards).',
    parameters: { when: "before" },
    run: instead(() => RESET),
  },
  "lost-answer": {
    about: "The request takes effect and the connection breaks before the answer.",
    parameters: { when: "after" },
    run: instead(() => RESET),
  },
  truncated: {
    about: "The request takes effect and its answer breaks off in the middle.",
    parameters: {},
    run: async (context) => ({ cut: "truncate", reply: await context.run() }),
  },
  silence: {
    about: 'The request takes effect and nothing is ever answered; `when: "before"`: without effect.',
    parameters: { when: "after" },
    run: instead(() => ({ cut: "silence" })),
  },
  html: {
    about:
      'A proxy answers with a page (`status` 502, `body`) and the request does not take effect; `when: "after"`: it does.',
    parameters: { status: 502, body: null, when: "before" },
    run: instead(({ fault: { status = 502, body } }) =>
      body === undefined ? html(status, "Bad Gateway") : { ...html(status, ""), body },
    ),
  },
  "unknown-shape": {
    about: "The request takes effect and the answer (`status` 200) is JSON of an unexpected form, or `body`.",
    parameters: { status: 200, body: null, when: "after" },
    run: instead(({ fault: { status = 200, body } }) =>
      body === undefined ? json(status, { page: { of: 1 }, took: 3 }) : { ...json(status, null), body },
    ),
  },
} satisfies Record<string, FaultDefinition>;

/** Faults of the node itself: it is unreachable, slow, full, or answers something untrue. */
const nodeFaults = {
  refuse: {
    about: "Breaks all connections without effect and refuses new ones for `delay` (200 ms, real time).",
    meetsEveryone: true,
    parameters: { delay: "200ms" },
    run: async (context) => {
      context.outage(delayOf(context));
      return RESET;
    },
  },
  restart: {
    about:
      'As `refuse`, and staged entries are lost, or kept with `staged: "kept"`; `when: "after"`: the request took effect before.',
    meetsEveryone: true,
    parameters: { delay: "200ms", staged: "lost", when: "before" },
    changesNode: ({ staged }) => staged !== "kept",
    run: instead((context) => {
      if (context.fault.staged !== "kept") context.discardStaged();
      context.outage(delayOf(context));
      return RESET;
    }),
  },
  "slow-commit": {
    about: "A commit takes `delay` (1 s, real time) until effect and answer.",
    meets: ["commit"],
    parameters: { delay: "1s" },
    run: async (context) => {
      await context.wait(delayOf(context));
      return context.run();
    },
  },
  "late-commit": {
    about: "A commit is answered at once and applied `delay` (1 s, virtual time) later.",
    meets: ["commit"],
    changesNode: () => true,
    parameters: { delay: "1s" },
    run: (context) => context.run({ commitDelay: delayOf(context) }),
  },
  "stuck-commit": {
    about:
      'A commit is answered as a success and never applied. Staged changes are lost; with `staged: "kept"` they stay staged.',
    meets: ["commit"],
    changesNode: () => true,
    parameters: { staged: "lost" },
    run: (context) =>
      context.run({ commitDelay: Number.POSITIVE_INFINITY, keepStaged: context.fault.staged === "kept" }),
  },
  "full-table": {
    about: "The node has no room: `status` 507, nothing is staged.",
    meets: ["insert", "commit"],
    parameters: { status: 507, message: "table full" },
    run: async ({ fault: { status = 507, message = "table full" }, error }) => ({ ...error(status, message), status }),
  },
  "stale-list": {
    about: "A list shows the set as it was before its last change of applied entries.",
    meets: ["list"],
    changesNode: () => true,
    parameters: {},
    run: (context) => context.run({ stale: true }),
  },
  "clock-skew": {
    about: "The answer's `Date` is off by `delay` (1 h) into the future; the API carries no other time.",
    parameters: { delay: "1h" },
    run: async (context) => {
      const reply = await context.run();
      const date = new Date(context.now().getTime() + delayOf(context));
      return { ...reply, headers: { ...reply.headers, date: date.toUTCString() } };
    },
  },
} satisfies Record<string, FaultDefinition>;

/** Every kind of fault; the schema, the reference and the page's form are generated from it. */
export const FAULT_KINDS = { ...requestFaults, ...nodeFaults } satisfies Record<string, FaultDefinition>;

/** Name of a kind of fault. */
export type FaultKind = keyof typeof FAULT_KINDS;

/** Applies a fault to a request and returns the outcome. A missing parameter has the default of its kind. */
export function applyFault(
  { kind, ...settings }: FaultParameters & { readonly kind: FaultKind },
  context: Omit<FaultContext, "fault">,
): Promise<Delivery> {
  const { parameters, run }: FaultDefinition = FAULT_KINDS[kind];
  return run({ ...context, fault: { ...given(parameters), ...given(settings) } });
}

/** The members that have a value. */
function given(parameters: object): FaultParameters {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined));
}
