import { expect, test } from "vitest";
import { type Broken, judging } from "./play";
import { converges } from "./promises/converges";
import type { Door } from "./scenario";
import { World } from "./simulation";
import { FOUND, factsOf, scenarioOf, unexcused } from "./story/found";

const doors: readonly Door[] = ["dynamic", "plugin"];
const cases = Object.entries(FOUND).flatMap(([name, story]) => doors.map((door) => ({ name, door, story })));

// What was broken stands in the name. The real engine plays the same stories in real-engine.test.ts.
test.each(cases)("no more: $name ($door)", async ({ story, door }) => {
  const world = new World(scenarioOf(story, door));
  const broken: Broken[] = [];
  await world.play(judging(world, broken));
  expect(unexcused(story, broken)).toEqual([]);
  const [is, told] = factsOf(story, world, world.records);
  expect(is).toEqual(told);
  expect(await converges(world)).toEqual([]);
});
