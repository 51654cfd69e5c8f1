// @ts-check
import { mutants } from "./mutant.mjs";

/** Faults of the clients: requests, answers, retries, secrets. */
export const CLIENT = mutants([
  {
    name: "commit-each-chunk",
    promise: 1,
    file: "client/node-set.ts",
    find: "start = end;",
    replace: "start = end;\n        await this.commit();",
  },
  {
    name: "take-a-failed-list-for-empty",
    promise: 11,
    file: "client/node-set.ts",
    find: "readAbsent(answer, this.node.habits.answers?.absent) && done(empty)",
    replace: "(answer.status >= 400 ? done(empty) : undefined)",
  },
  {
    name: "take-an-unknown-shape-for-empty",
    promise: 11,
    file: "client/reading.ts",
    find: "const list = read(body.json, body.isSuccess ? { ...habits, isSuccess: true } : habits);",
    replace:
      "let list: T = [] as unknown as T;\n        try { list = read(body.json, habits); } catch { return done(list); }",
  },
  {
    name: "take-a-page-for-an-empty-list",
    promise: 11,
    file: "client/reading.ts",
    find: 'case "html":\n        return',
    replace: 'case "html":\n        return done(read([], habits));\n      case "never" as never:\n        return',
  },
  {
    name: "take-a-page-for-success",
    promise: 11,
    file: "client/reading.ts",
    find: 'return body.kind === "html" ? unexpected(`the answer is ${body.title}`, true) : done(undefined);',
    replace: "return done(undefined);",
  },
  {
    name: "take-a-server-error-for-not-sent",
    promise: 3,
    file: "client/reading.ts",
    find: 'if (status === 408 || status >= 500) return { kind: "failed", outcome: "unknown",',
    replace: 'if (status === 408 || status >= 500) return { kind: "failed", outcome: "refused",',
  },
  {
    name: "take-a-lost-answer-for-not-sent",
    promise: 3,
    file: "client/failed-try.ts",
    find: 'const outcome: Outcome = failure.sent ? "unknown" : "not-sent";',
    replace: 'const outcome: Outcome = "not-sent";',
  },
  {
    name: "merge-two-spellings",
    promise: 3,
    file: "client/node-set.ts",
    find: "return this.spelled.get(prefix) ?? [prefix];",
    replace: "return [prefix];",
  },
  {
    name: "show-a-header-in-an-error",
    promise: 9,
    file: "client/redact.ts",
    find: "(this.secrets.some(Boolean) ? this.matcher.cut(text, CUT) : text)",
    replace: "text",
  },
  {
    name: "quote-an-answer-in-full",
    promise: 9,
    file: "client/node-connection.ts",
    find: "quotable(this.requests.redactor.text(body))",
    replace: "quotable(body)",
  },
  {
    name: "wait-through-ctrl-c",
    promise: 17,
    file: "client/clock.ts",
    find: "return clock.sleep(Math.max(0, ms), signal)",
    replace: "return clock.sleep(Math.max(0, ms))",
  },
  {
    name: "believe-an-ok-of-the-receiver",
    promise: 12,
    file: "client/signaling-ensure.ts",
    find: "if (left === 0 || !patient) return undefined;",
    replace: "if (patient) progress.believe(progress.unshown, undefined as never);\n      return undefined;",
  },
  {
    name: "repeat-for-minutes",
    promise: 17,
    file: "client/requester.ts",
    find: "const until = given ?? began + this.connection.deadlineMs;",
    replace: "const until = (given ?? began) + 10 * this.connection.deadlineMs;",
  },
]);
