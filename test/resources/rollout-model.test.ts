import { expect, it } from "vitest";
import { walkWorlds } from "./support/rollout-worlds";

it("no content comes to a node before its time, every loss is restored, and every run does what its preview showed", () => {
  // Four nodes in three waves, three contents: all 196 worlds after one run, and every hundredth of the 51 069 after two.
  const { worlds, problems } = walkWorlds(3, 100);
  expect(problems).toEqual([]);
  expect(worlds.at(-1)).toBeGreaterThan(10_000);
});
