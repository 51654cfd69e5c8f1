import { html, json, text } from "../http/reply";
import { delayOf, effectIfAfter, type FaultDefinition, RESET } from "./fault-kind";

/** What can happen to one request on its way: a wrong answer, a late one, or none. */
export const requestFaults = {
  error: {
    about:
      'Answers an error: `status` (500), `message` or a whole `body`, `retryAfter`; `when: "after"` takes effect first.',
    parameters: { status: 500, message: null, body: null, retryAfter: null, when: "before" },
    run: async (context) => {
      const { status = 500, message = `fault: status ${status}`, body, retryAfter } = context.fault;
      await effectIfAfter(context);
      const reply = body === undefined ? context.error(status, message) : text(status, body);
      return retryAfter === undefined ? reply : { ...reply, headers: { "retry-after": String(retryAfter) } };
    },
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
    run: async (context) => {
      await effectIfAfter(context);
      return RESET;
    },
  },
  "lost-answer": {
    about: "The request takes effect and the connection breaks before the answer.",
    parameters: { when: "after" },
    run: async (context) => {
      await effectIfAfter(context);
      return RESET;
    },
  },
  truncated: {
    about: "The request takes effect and its answer breaks off in the middle.",
    parameters: {},
    run: async (context) => ({ cut: "truncate", reply: await context.run() }),
  },
  silence: {
    about: 'The request takes effect and nothing is ever answered; `when: "before"`: without effect.',
    parameters: { when: "after" },
    run: async (context) => {
      await effectIfAfter(context);
      return { cut: "silence" };
    },
  },
  html: {
    about:
      'A proxy answers with a page (`status` 502, `body`) and the request does not take effect; `when: "after"`: it does.',
    parameters: { status: 502, body: null, when: "before" },
    run: async (context) => {
      const { status = 502, body } = context.fault;
      await effectIfAfter(context);
      return body === undefined ? html(status, "Bad Gateway") : { ...html(status, ""), body };
    },
  },
  "unknown-shape": {
    about: "The request takes effect and the answer (`status` 200) is JSON of an unexpected form, or `body`.",
    parameters: { status: 200, body: null, when: "after" },
    run: async (context) => {
      const { status = 200, body } = context.fault;
      await effectIfAfter(context);
      return body === undefined ? json(status, { page: { of: 1 }, took: 3 }) : { ...json(status, null), body };
    },
  },
} satisfies Record<string, FaultDefinition>;
