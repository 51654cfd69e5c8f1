import { expect, it } from "vitest";
import { walkLives } from "./support/node-lives";
import { walkStates } from "./support/rollout-states";

it("no content comes to a node before its time, every loss is restored, and every run does what its preview showed", () => {
  // Every combination of what can be known about four nodes in three waves, all of which answer, and every event at every step.
  const { starts, states, problems, steps } = walkStates([[]]);
  expect(problems).toEqual([]);
  expect(starts).toBe(10 * 10 * 55);
  expect(states).toBeGreaterThan(starts);
  // What the rollout takes for true of a node is true after any number of runs of three contents.
  const walked = walkLives(steps);
  expect(walked.problems).toEqual([]);
  expect(walked.lives).toBeGreaterThan(1_000);
});
