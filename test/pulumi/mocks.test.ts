import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PrefixSet } from "../../provider";

const registered: string[] = [];

beforeAll(() =>
  pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => {
      registered.push(name);
      return { id: name, state: inputs };
    },
    call: () => ({}),
  }),
);
afterAll(() => pulumi.runtime.disconnect());

// docs/guides/test-your-program.md says so first.
test("with Pulumi's mocks nothing of the provider checks arguments, and the classes check two things", async () => {
  const set = { arena: "edge", set: "blocked" };
  const wrong = new PrefixSet("wrong", {
    ...set,
    entries: { "no prefix": -1, "0.0.0.0/0": 1, "192.0.2.1/24": 1 },
    forbiddenPrefixes: ["192.0.2.0/24"],
  });
  await new Promise((resolve) => wrong.urn.apply(resolve));
  expect(registered).toEqual(["wrong"]);

  const incomplete = { arena: "edge", entries: {} } as unknown as ConstructorParameters<typeof PrefixSet>[1];
  expect(() => new PrefixSet("incomplete", incomplete)).toThrow('PrefixSet "incomplete": set is undefined');
  // Which node a set is at must be known for that: by the argument, or by mocked configuration.
  const twice = { ...set, entries: { "203.0.113.0/24": 1 }, node: { endpoint: "http://192.0.2.10" } };
  const one = new PrefixSet("one", twice);
  await new Promise((resolve) => one.urn.apply(resolve));
  expect(() => new PrefixSet("again", twice)).toThrow(/both own the whole set/);
  expect(registered).toEqual(["wrong", "one"]);
});
