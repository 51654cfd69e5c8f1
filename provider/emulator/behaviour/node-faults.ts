import { delayOf, effectIfAfter, type FaultDefinition, RESET } from "./fault-kind";

/** What can be wrong with the node itself: it is away, slow, full, or tells what is not so. */
export const nodeFaults = {
  refuse: {
    about: "Breaks all connections without effect and refuses new ones for `delay` (200 ms, real time).",
    parameters: { delay: "200ms" },
    run: async (context) => {
      context.outage(delayOf(context));
      return RESET;
    },
  },
  restart: {
    about:
      'As `refuse`, and staged entries are lost, or kept with `staged: "kept"`; `when: "after"`: the request took effect before.',
    parameters: { delay: "200ms", staged: "lost", when: "before" },
    run: async (context) => {
      await effectIfAfter(context);
      if (context.fault.staged !== "kept") context.discardStaged();
      context.outage(delayOf(context));
      return RESET;
    },
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
    parameters: { delay: "1s" },
    run: (context) => context.run({ commitDelay: delayOf(context) }),
  },
  "stuck-commit": {
    about:
      'A commit is answered as if all were well and never applied. What was staged is lost; `staged: "kept"`: it stays staged.',
    meets: ["commit"],
    parameters: { staged: "lost" },
    run: (context) =>
      context.run({ commitDelay: Number.POSITIVE_INFINITY, keepStaged: context.fault.staged === "kept" }),
  },
  "full-table": {
    about: "The node has no room: `status` 507, nothing is staged.",
    meets: ["insert", "commit"],
    parameters: { status: 507, message: "table full" },
    run: async ({ fault: { status = 507, message = "table full" }, error }) => error(status, message),
  },
  "stale-list": {
    about: "A list shows the set as it was before its last commit.",
    meets: ["list"],
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
