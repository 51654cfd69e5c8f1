import * as pulumi from "@pulumi/pulumi";
import { beforeAll, expect, it } from "vitest";
import * as pf from "../../provider";

const registered = new Map<string, Record<string, unknown>>();
beforeAll(() =>
  pulumi.runtime.setMocks({
    newResource: ({ name, type, inputs }) => {
      if (type.endsWith(":PrefixSetGroup")) registered.set(name, inputs);
      const count = Object.keys(inputs.entries ?? {}).length;
      return { id: name, state: { ...inputs, count, url: "prefixset://edge/blocked", endpoints: {} } };
    },
    call: () => ({}),
  }),
);

const place = { arena: "edge", set: "blocked" };

it("each wave is a group of its nodes with what is different there, and knows the nodes of the others", async () => {
  const nodes = { fra1: {}, ams1: { entries: { "198.51.100.7/32": 9 }, maxRemovals: 3 } };
  const fleet = new pf.PrefixSetFleet("a", {
    ...place,
    entries: pulumi.output({ "192.0.2.7/32": 1, "198.51.100.0/24": { value: 2, reason: "scan" } }),
    nodes,
    waves: [1, 1],
    maxRemovals: "20%",
    maxUnreachable: "50%",
    atOnce: 4,
  });
  const count = await new Promise((resolve) => fleet.count.apply(resolve));
  expect(count).toBe(5);
  const common = {
    ...place,
    maxRemovals: "20%",
    maxUnreachable: 1,
    atOnce: 4,
    entries: { "192.0.2.7/32": 1, "198.51.100.0/24": { value: 2, reason: "scan" } },
  };
  const { fra1, ams1 } = nodes;
  expect(registered.get("a-1")).toMatchObject({ ...common, nodes: { fra1 }, __otherWaves: { ams1 } });
  expect(registered.get("a-2")).toMatchObject({ ...common, nodes: { ams1 }, __otherWaves: { fra1 } });
});

it("what is no prefix is left to the check of the resource, with its place", () => {
  const nodes = { fra1: { entries: { "192.0.2.300": 1 } } };
  new pf.PrefixSetFleet("b", { ...place, entries: ["192.0.2.0/24"], nodes });
  expect(pf.PrefixSetFleet.isInstance({})).toBe(false);
});

it.each<[object, string]>([
  [{ nodes: [] }, "nodes is empty, which would clear the set on every node that the fleet had"],
  [{ nodes: ["fra1", "fra1"] }, 'nodes[1]: the node "fra1" comes twice.'],
  [{ nodes: "fra1" }, "nodes is neither an array of names nor an object"],
  [{ nodes: pulumi.output(["fra1"]) }, "nodes is neither an array of names nor an object"],
  [{ nodes: { fra1: { entrys: {} } } }, 'nodes["fra1"] has no member "entrys": is entries meant?'],
  [{ nodes: ["fra1"], waves: [["fra2"]] }, 'there is no node "fra2" in the fleet: is "fra1" meant?'],
  [{ nodes: ["fra1"], pauseMs: -1 }, "pauseMs is -1: write milliseconds, from 0."],
  [{ nodes: ["fra1"], check: "ping" }, "check is not a function."],
  [{ nodes: ["fra1"], entries: undefined }, "entries is undefined"],
])("%j ends the program before anything is registered", (args, message) => {
  const before = registered.size;
  const make = () => new pf.PrefixSetFleet("c", { ...place, entries: {}, ...args } as never);
  expect(make).toThrow(message);
  expect(make).toThrow(pulumi.RunError);
  expect(registered.size).toBe(before);
});
