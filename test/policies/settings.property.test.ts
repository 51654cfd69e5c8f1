import fc from "fast-check";
import { dump, load } from "js-yaml";
import { expect, test } from "vitest";
import { connectionOf } from "../../policies/connection";
import { NodeConnection } from "../../provider/client/node-connection";
import { Runtime } from "../../provider/deployment/runtime";
import { messageOf } from "../../provider/model/errors";

const name = fc.constantFrom("fra1", "ams1", "__proto__", "constructor", "");
const address = fc.constantFrom(
  "https://192.0.2.10/fapi/",
  "http://user:word@NODE.example.net:80",
  "http://node.example.net\\u002ffapi",
  "ftp://192.0.2.10",
  "http://192.0.2.10?x",
  "",
);
/** JSON as a text, so that it may be what no object can hold: keys twice, numbers beyond a double, any depth. */
const noise = fc.oneof(
  fc.constantFrom("1e400", "123456789012345678901234567890", "-0", "null", '"x"', "[", "NaN"),
  fc.integer({ min: 1, max: 260 }).map((depth) => `${'{"a":['.repeat(depth)}1${"]}".repeat(depth)}`),
  fc.json({ maxDepth: 3 }),
);
const members = (pairs: readonly (readonly [string, string])[]) =>
  `{${pairs.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`;
const key = fc.constantFrom("endpoint", "headers", "answers", "timeoutMs", "other");
const node = fc
  .array(
    fc.tuple(
      key,
      fc.oneof(
        noise,
        address.map((text) => `"${text}"`),
      ),
    ),
    { maxLength: 3 },
  )
  .chain((more) => address.map((text) => members([["endpoint", `"${text}"`], ...more])));
const nodes = fc.array(
  fc.tuple(
    name,
    fc.oneof(
      node,
      node.map((text) => JSON.stringify(text)),
      noise,
    ),
  ),
  { maxLength: 4 },
);

/** The configuration of a stack, as texts and as the objects that an engine may have made of them. */
const config = fc.record({
  "packetfilter:nodes": fc.oneof(
    nodes.map(members),
    // A YAML file, in which one node may stand in several places.
    fc.tuple(address, fc.uniqueArray(name, { minLength: 1 })).map(([endpoint, names]) => {
      const one = { endpoint };
      return load(dump(Object.fromEntries(names.map((own) => [own, one]))));
    }),
  ),
  "packetfilter:node": fc.option(fc.oneof(node, noise), { nil: undefined }),
  "packetfilter:endpoint": fc.option(fc.oneof(address, noise), { nil: undefined }),
});

/** Address to which the provider would send, or its refusal. */
function reachedBy(argument: unknown, given: Readonly<Record<string, unknown>>) {
  const runtime = new Runtime({ env: {}, print: () => {} });
  runtime.configure((key) => given[`packetfilter:${key}`]);
  try {
    return { url: new NodeConnection(runtime.settings.node(argument).options).endpoint };
  } catch (error) {
    return { refused: messageOf(error) };
  }
}

test("whatever the settings look like, the judge sees the address that the provider reaches, or refuses as it does", () => {
  const seen = { reached: 0, refused: 0 };
  fc.assert(
    fc.property(config, fc.oneof(name, fc.constant(undefined)), (given, argument) => {
      const executor = reachedBy(argument, given);
      const { url, problem } = connectionOf("node", argument, { config: given });
      if (executor.refused === undefined) expect({ url, problem }).toEqual({ url: executor.url, problem: undefined });
      // A name that there is not, and no node at all, have no address that could be judged.
      else expect(url).toBeUndefined();
      seen[executor.refused === undefined ? "reached" : "refused"] += 1;
      if (problem !== undefined) expect(problem).toBe(executor.refused);
    }),
    { numRuns: 500 },
  );
  expect(Math.min(seen.reached, seen.refused)).toBeGreaterThan(50);
});
