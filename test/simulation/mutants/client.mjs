// @ts-check
import { mutants } from "./mutant.mjs";

/** Faults of the clients: requests, answers, retries, secrets. */
export const CLIENT = mutants([
  {
    name: "commit-each-chunk",
    promise: 1,
    seed: 1,
    file: "client/node-set.ts",
    find: "start = end;",
    replace: "start = end;\n        await this.commit();",
  },
  {
    name: "take-a-failed-list-for-empty",
    promise: 11,
    seed: 47,
    file: "client/node-set.ts",
    find: "readAbsent(answer, this.node.habits.answers?.absent) && done(empty)",
    replace: "(answer.status >= 400 ? done(empty) : undefined)",
  },
  {
    name: "take-an-unknown-shape-for-empty",
    promise: 11,
    seed: 9,
    file: "client/answer-readers.ts",
    find: "const list = read(body.json, body.isSuccess ? { ...habits, isSuccess: true } : habits);",
    replace:
      "let list: T = [] as unknown as T;\n        try { list = read(body.json, habits); } catch { return done(list); }",
  },
  {
    name: "repeat-for-minutes",
    promise: 17,
    file: "client/requester.ts",
    find: "const until = given ?? began + this.connection.deadlineMs;",
    replace: "const until = (given ?? began) + 10 * this.connection.deadlineMs;",
  },
  {
    name: "merge-two-spellings",
    promise: 3,
    seed: 16,
    file: "client/node-set.ts",
    find: "return this.spelled.get(prefix) ?? [prefix];",
    replace: "return [prefix];",
  },
  {
    name: "forget-the-key-of-a-receiver",
    promise: 9,
    seed: 351,
    file: "client/signaling-request.ts",
    find: "new Redactor([options.secretKey, ",
    replace: "new Redactor([",
  },
  {
    name: "forget-the-headers-of-a-node",
    promise: 9,
    seed: 15,
    file: "client/node-connection.ts",
    find: "new Redactor([...Object.values(credentials), ",
    replace: "new Redactor([",
  },
]);
