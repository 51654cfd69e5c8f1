import { describe, expect, test } from "vitest";
import { shareOut } from "../../provider/forwarder/cluster/rendezvous";

describe("nodes are spread", () => {
  const nodes = Array.from({ length: 10 }, (_, n) => `node${n}`);
  const sizes = (owners: Map<string, string>) => {
    const counts: Record<string, number> = {};
    for (const owner of owners.values()) counts[owner] = (counts[owner] ?? 0) + 1;
    return Object.values(counts).sort();
  };

  test("evenly over any number of members, the same wherever it is reckoned", () => {
    expect(sizes(shareOut(nodes, ["a"]))).toEqual([10]);
    expect(sizes(shareOut(nodes, ["a", "b"]))).toEqual([5, 5]);
    expect(sizes(shareOut(nodes, ["a", "b", "c"]))).toEqual([3, 3, 4]);
    expect(shareOut([...nodes].reverse(), ["c", "a", "b"])).toEqual(shareOut(nodes, ["a", "b", "c"]));
    expect(shareOut(nodes, []).size).toBe(0);
  });
});
