import { html, json, type Reply, text } from "../http/reply";
import { type Duration, milliseconds } from "../time/duration";

/** What becomes of a request in the end: an answer, or a connection that breaks. */
export type Outcome =
  | Reply
  /** The connection is reset and nothing is answered. */
  | { readonly cut: "reset" }
  /** The answer breaks off in the middle of its body. */
  | { readonly cut: "truncate"; readonly reply: Reply }
  /** Nothing is answered and the connection stays open. */
  | { readonly cut: "silence" };

/** Changes to how a request is carried out. */
export interface Variation {
  /** Virtual milliseconds from the answer of a commit to its effect; instead of the dialect's. */
  readonly commitDelay?: number;
  /** With an endless delay: what is staged stays staged instead of being lost. */
  readonly keepStaged?: boolean;
  /** Lists show the state before the last commit. */
  readonly stale?: boolean;
}

/** What a kind is told; see `faultSchema` for the meaning of each. */
export interface FaultParameters {
  readonly status?: number;
  readonly message?: string;
  readonly body?: string;
  readonly retryAfter?: number | string;
  readonly when?: "before" | "after";
  readonly delay?: Duration;
  readonly staged?: "lost" | "kept";
}

/** What a fault can do to a request. */
export interface FaultContext {
  readonly fault: FaultParameters;
  /** Carries the request out and gives the answer that it would have. At most once. */
  run(variation?: Variation): Promise<Reply>;
  /** An error in the form of the API that was called. */
  error(status: number, message: string): Reply;
  /** Waits in real time, as a slow network or node does. */
  wait(ms: number): Promise<void>;
  /** Breaks all connections and refuses new ones for a time (real milliseconds). */
  outage(ms: number): void;
  /** Drops all staged entries of the node. */
  discardStaged(): void;
  /** The virtual time. */
  now(): Date;
}

interface Kind {
  /** For people, with the parameters that it knows and their defaults. */
  readonly about: string;
  readonly run: (context: FaultContext) => Promise<Outcome>;
}

const RESET: Outcome = { cut: "reset" };

/** How long something takes when the fault does not say. */
const SOME_TIME = "1s";

const delayOf = (fault: FaultParameters, normal: string) => milliseconds(fault.delay ?? normal);

/** Runs the request first when the fault is set to strike after the effect. */
async function effectIf(after: boolean, context: FaultContext): Promise<void> {
  if (after) await context.run();
}

/** Every kind of fault. A new one is a new entry here. */
export const FAULT_KINDS = {
  error: {
    about:
      'Answers an error: `status` (500), `message` or a whole `body`, `retryAfter`; `when: "after"` takes effect first.',
    run: async (context) => {
      const { status = 500, message = `fault: status ${status}`, body, retryAfter, when } = context.fault;
      await effectIf(when === "after", context);
      const reply = body === undefined ? context.error(status, message) : text(status, body);
      return retryAfter === undefined ? reply : { ...reply, headers: { "retry-after": String(retryAfter) } };
    },
  },
  delay: {
    about:
      'Answers properly, but `delay` (1 s) later; `when: "after"` (default: before) says on which side of the wait the effect is.',
    run: async (context) => {
      const { when } = context.fault;
      if (when !== "after") await context.wait(delayOf(context.fault, SOME_TIME));
      const reply = await context.run();
      if (when === "after") await context.wait(delayOf(context.fault, SOME_TIME));
      return reply;
    },
  },
  reset: {
    about: 'Resets the connection before the request takes effect (`when: "after"`: afterwards).',
    run: async (context) => {
      await effectIf(context.fault.when === "after", context);
      return RESET;
    },
  },
  "lost-answer": {
    about: "The request takes effect and the connection breaks before the answer.",
    run: async (context) => {
      await effectIf(context.fault.when !== "before", context);
      return RESET;
    },
  },
  truncated: {
    about: "The request takes effect and its answer breaks off in the middle.",
    run: async (context) => ({ cut: "truncate", reply: await context.run() }),
  },
  silence: {
    about: 'The request takes effect and nothing is ever answered; `when: "before"`: without effect.',
    run: async (context) => {
      await effectIf(context.fault.when !== "before", context);
      return { cut: "silence" };
    },
  },
  html: {
    about:
      'A proxy answers with a page (`status` 502, `body`) and the request does not take effect; `when: "after"`: it does.',
    run: async (context) => {
      const { status = 502, body, when } = context.fault;
      await effectIf(when === "after", context);
      return body === undefined ? html(status, "Bad Gateway") : { ...html(status, ""), body };
    },
  },
  "unknown-shape": {
    about: "The request takes effect and the answer (`status` 200) is JSON of a form that nobody promised, or `body`.",
    run: async (context) => {
      const { status = 200, body, when } = context.fault;
      await effectIf(when !== "before", context);
      return body === undefined ? json(status, { page: { of: 1 }, took: 3 }) : { ...json(status, null), body };
    },
  },
  refuse: {
    about: "Breaks all connections without effect and refuses new ones for `delay` (200 ms, real time).",
    run: async (context) => {
      context.outage(delayOf(context.fault, "200ms"));
      return RESET;
    },
  },
  restart: {
    about:
      'As `refuse`, and staged entries are lost, or kept with `staged: "kept"`; `when: "after"`: the request took effect before.',
    run: async (context) => {
      await effectIf(context.fault.when === "after", context);
      if (context.fault.staged !== "kept") context.discardStaged();
      context.outage(delayOf(context.fault, "200ms"));
      return RESET;
    },
  },
  "slow-commit": {
    about: "A commit takes `delay` (1 s, real time) until effect and answer.",
    run: async (context) => {
      await context.wait(delayOf(context.fault, SOME_TIME));
      return context.run();
    },
  },
  "late-commit": {
    about: "A commit is answered at once and applied `delay` (1 s, virtual time) later.",
    run: (context) => context.run({ commitDelay: delayOf(context.fault, SOME_TIME) }),
  },
  "stuck-commit": {
    about:
      'A commit is answered as if all were well and never applied. What was staged is lost; `staged: "kept"`: it stays staged.',
    run: (context) =>
      context.run({ commitDelay: Number.POSITIVE_INFINITY, keepStaged: context.fault.staged === "kept" }),
  },
  "full-table": {
    about: "The node has no room: `status` 507, nothing is staged.",
    run: async (context) => context.error(context.fault.status ?? 507, context.fault.message ?? "table full"),
  },
  "stale-list": {
    about: "A list shows the set as it was before its last commit.",
    run: (context) => context.run({ stale: true }),
  },
  "clock-skew": {
    about: "The answer's `Date` is off by `delay` (1 h) into the future; the API carries no other time.",
    run: async (context) => {
      const reply = await context.run();
      const date = new Date(context.now().getTime() + delayOf(context.fault, "1h"));
      return { ...reply, headers: { ...reply.headers, date: date.toUTCString() } };
    },
  },
} satisfies Record<string, Kind>;

/** Name of a kind of fault. */
export type FaultKind = keyof typeof FAULT_KINDS;
