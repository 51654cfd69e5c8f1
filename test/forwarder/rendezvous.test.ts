import { describe, expect, test } from "vitest";
import { shareOut } from "../../provider/forwarder/cluster/rendezvous";

describe("nodes are spread", () => {
  const nodes = Array.from({ length: 10 }, (_, n) => `node${n}`);
  const sizes = (owners: Map<string, string>) => {
    const counts: Record<string, number> = {};
    for (const owner of owners.values()) counts[owner] = (counts[owner] ?? 0) + 1;
    return Object.values(counts).sort();
  };

  const among = (names: readonly string[], all = nodes) => shareOut(names.map((name) => ({ name, nodes: all })));

  test("evenly over any number of members, the same wherever it is reckoned", () => {
    expect(sizes(among(["a"]))).toEqual([10]);
    expect(sizes(among(["a", "b"]))).toEqual([5, 5]);
    expect(sizes(among(["a", "b", "c"]))).toEqual([3, 3, 4]);
    expect(among(["c", "a", "b"], [...nodes].reverse())).toEqual(among(["a", "b", "c"]));
    expect(among([]).size).toBe(0);
  });

  test("to members that can poll them, also where one has more than its share then", () => {
    const owners = shareOut([
      { name: "a", nodes },
      { name: "b", nodes: ["node1"] },
      { name: "c", nodes: [] },
    ]);
    expect(owners.size).toBe(10);
    expect([...owners].filter(([node, owner]) => owner !== "a" && node !== "node1")).toEqual([]);
    expect(owners.get("node1")).toBe("b");
    // One of an earlier version does not say what it can poll.
    expect(sizes(shareOut([{ name: "a", nodes }, { name: "old" }]))).toEqual([5, 5]);
  });

  test("where they were, once a member that was away is back", () => {
    const before = among(["a", "b", "c"]);
    expect(among(["a", "c"])).not.toEqual(before);
    expect(among(["a", "b", "c"])).toEqual(before);
  });
});
