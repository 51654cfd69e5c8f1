import { describe, expect, test } from "vitest";
import { inWaves, type Waves } from "../../provider/resources/prefix-set-group/rollout/waves";

const nodes = ["lab1", "fra1", "fra2", "ams1", "ams2", "par1"];

describe("waves", () => {
  test.each<[string, Waves, string[][]]>([
    ["by name, the others last", [["par1"], ["fra1", "fra2"]], [["par1"], ["fra1", "fra2"], ["lab1", "ams1", "ams2"]]],
    ["by size, a percentage of all rounded up", [1, "20%"], [["lab1"], ["fra1", "fra2"], ["ams1", "ams2", "par1"]]],
    [
      "by name and by size, sizes of those without a wave of their own",
      [["par1"], 1, ["fra2"], "20%"],
      [["par1"], ["lab1"], ["fra2"], ["fra1", "ams1"], ["ams2"]],
    ],
    ["sizes beyond the last node", [4, 4, 4], [nodes.slice(0, 4), nodes.slice(4)]],
    ["a canary, then all", { canary: ["ams1"] }, [["ams1"], ["lab1", "fra1", "fra2", "ams2", "par1"]]],
    ["a canary, then some", { canary: ["lab1"], size: "34%" }, [["lab1"], nodes.slice(1, 4), nodes.slice(4)]],
    ["a canary that is all", { canary: nodes, size: 2 }, [nodes]],
  ])("%s", (_, waves, expected) => {
    expect(inWaves(nodes, waves)).toEqual(expected);
  });

  test.each<[unknown, string]>([
    [[["lab2"]], 'waves[0]: there is no node "lab2" in the group: did you mean "lab1"?'],
    [[["lab1"], ["lab1"]], 'The node "lab1" is in waves[0] and in waves[1]: it can change in one wave only.'],
    [[["lab1", "lab1"]], 'The node "lab1" is twice in waves[0]: it can change in one wave only.'],
    [{ canary: ["nowhere"] }, 'waves.canary: there is no node "nowhere" in the group: its nodes are lab1'],
    [{ canary: ["lab1"], sise: 2 }, 'waves has no member "sise"'],
    [[0], "waves[0] is 0: write a number of nodes from 1"],
    [["0%"], 'waves[0] is "0%"'],
    [["101%"], 'waves[0] is "101%"'],
    [
      ["lab1"],
      'waves[0] is "lab1": write a number of nodes from 1, or a percentage of all such as "20%"; names stand in arrays.',
    ],
    ["20%", "waves is neither an array nor an object"],
  ])("%j cannot be", (waves, message) => {
    expect(() => inWaves(nodes, waves as Waves)).toThrow(message);
  });
});
