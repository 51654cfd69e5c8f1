import { expect, it } from "vitest";
import { subsets, walkStates } from "./support/rollout-states";

it("no content comes to a node before its time, whichever of the four nodes are silent", () => {
  const { starts, states, problems } = walkStates(subsets(["a", "b", "c", "d"]));
  expect(problems).toEqual([]);
  expect(starts).toBe(16 * 10 * 10 * 55);
  expect(states).toBeGreaterThan(starts);
});

it.each([
  { hasCheck: false, isBlocked: false },
  { hasCheck: true, isBlocked: true },
  { hasCheck: false, isBlocked: true },
])(
  "nor with %o; and nothing new is written while nodes have to pass a check that the program no longer has",
  (asked) => {
    const { starts, states, problems } = walkStates([[], ["a"], ["c", "d"]], asked);
    expect(problems).toEqual([]);
    expect(states).toBeGreaterThan(starts);
  },
);
