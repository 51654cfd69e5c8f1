import { expect, it } from "vitest";
import { NodeConnection } from "../../provider/client/node-connection";
import { NodeSet } from "../../provider/client/node-set";
import type { NodeOptions } from "../../provider/client/options";
import { NodeMemories } from "../../provider/client/world";
import { serveRaw } from "../support/raw-server";

const BLOCKED = { kind: "prefixset", arena: "edge", set: "blocked" } as const;
const LIST = '{"data":[{"p":"192.0.2.0/24","v":1},{"p":"198.51.100.7","v":2}]}';
const HELD = { "192.0.2.0/24": 1, "198.51.100.7/32": 2 };

/** A set of a node of its own, which answers a list with what stands in `says`. */
async function nodeWith(says: { body: string; status?: number }, options: Partial<NodeOptions> = {}) {
  const server = await serveRaw((_, response) => response.writeHead(says.status ?? 200).end(says.body));
  const world = { memories: new NodeMemories(), maxTries: 1 };
  const node = new NodeConnection({ endpoint: server.url, ...options }, world);
  const set = new NodeSet(node, BLOCKED);
  const dispose = async () => {
    await node.close();
    server[Symbol.dispose]();
  };
  return { set, [Symbol.asyncDispose]: dispose };
}

it("what two nodes answer alike is read once", async () => {
  await using one = await nodeWith({ body: LIST });
  await using two = await nodeWith({ body: LIST });
  const [first, second] = [await one.set.observe(), await two.set.observe()];
  expect(Object.fromEntries(first.values)).toEqual(HELD);
  expect(second).toBe(first);
  expect(second.spellings("198.51.100.7/32" as never)).toEqual(["198.51.100.7"]);
});

it("one prefix with two values, in whatever spelling, is refused with both; with one value it is one entry", async () => {
  const twice = (value: number) => `[{"p":"192.0.2.0/24","v":1},{"p":"192.0.2.5/24","v":${value}}]`;
  await using same = await nodeWith({ body: twice(1) });
  const observed = await same.set.observe();
  expect([...observed.values]).toEqual([["192.0.2.0/24", 1]]);
  expect(observed.spellings("192.0.2.0/24" as never)).toEqual(["192.0.2.0/24", "192.0.2.5/24"]);
  await using other = await nodeWith({ body: twice(2) });
  await expect(other.set.observe()).rejects.toThrow(
    /^Set prefixset:\/\/edge\/blocked on 127.*: 192\.0\.2\.0\/24 is listed with the values 1 and 2\. Remove one of the two at the node/,
  );
});

it("the same text is read anew where settings make another list of it, and where it is a part", async () => {
  await using one = await nodeWith({ body: LIST });
  const first = await one.set.observe();
  await using other = await nodeWith({ body: LIST }, { answers: { names: { value: "p2", prefix: "p" } } });
  await using part = await nodeWith({ body: LIST, status: 206 });
  await using few = await nodeWith({ body: LIST }, { maxListRecords: 1 });
  await expect(other.set.observe().then((observed) => observed === first)).resolves.toBe(false);
  await expect(part.set.observe()).rejects.toThrow("the status 206 says that this is a part of the list");
  await expect(few.set.observe()).rejects.toThrow("maxListRecords");
});

it("a node whose keyed list was known from another is known to list so: its {} is an empty set", async () => {
  const keyed = '{"192.0.2.0/24":1,"198.51.100.7/32":2}';
  await using one = await nodeWith({ body: keyed });
  await one.set.observe();
  const says = { body: keyed };
  await using two = await nodeWith(says);
  expect(Object.fromEntries((await two.set.observe()).values)).toEqual(HELD);
  says.body = "{}";
  expect((await two.set.observe()).values.size).toBe(0);
});
