import { expect, test } from "vitest";
import { shareOut } from "../../provider/forwarder/cluster/rendezvous";

const nodes = Array.from({ length: 10 }, (_, n) => `node${n}`);
const among = (names: readonly string[], all = nodes) => shareOut(names.map((name) => ({ name, nodes: all })));
const sizes = (owners: Map<string, string>) =>
  [...new Set(owners.values())].map((name) => [...owners.values()].filter((one) => one === name).length).sort();

test("nodes are spread evenly over any number of members, in each process alike, whatever members were away before", () => {
  const members = [[], ["a"], ["a", "b"], ["a", "b", "c"]];
  expect(members.map((names) => sizes(among(names)))).toEqual([[], [10], [5, 5], [3, 3, 4]]);
  expect(among(["c", "a", "b"], [...nodes].reverse())).toEqual(among(["a", "b", "c"]));
});

test("nodes are spread to members that can poll them, also where one has more than its share then", () => {
  const owners = shareOut([
    { name: "a", nodes },
    { name: "b", nodes: ["node1"] },
    { name: "c", nodes: [] },
  ]);
  expect([owners.size, owners.get("node1"), sizes(owners)]).toEqual([10, "b", [1, 9]]);
});
