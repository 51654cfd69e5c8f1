import { expect, it } from "vitest";
import { walkStates } from "./support/rollout-states";

it("no content comes to a node before its time, every loss is restored, and every run does what its preview showed", () => {
  // Every combination of what can be known about four nodes in three waves, all of which answer, and every event at every step.
  const { starts, states, problems } = walkStates([[]]);
  expect(problems).toEqual([]);
  expect(starts).toBe(10 * 10 * 55);
  expect(states).toBeGreaterThan(starts);
});
