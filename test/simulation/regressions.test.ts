import { expect, test } from "vitest";
import { type Broken, judging } from "./play";
import { converges } from "./promises/converges";
import type { Door } from "./scenario";
import { World } from "./simulation";
import { FOUND, type FoundStory, factsOf, scenarioOf, textFaults, unexcused } from "./story/found";
import { SITUATIONS } from "./story/situations";

const doors: readonly Door[] = ["dynamic", "plugin"];
const casesOf = (stories: Readonly<Record<string, FoundStory>>) =>
  Object.entries(stories).flatMap(([name, story]) => doors.map((door) => ({ name, door, story })));

// What was broken stands in the name. The real engine plays the same stories in real-engine.test.ts.
test.each(casesOf(FOUND))("no more: $name ($door)", tell);
test.each(casesOf(SITUATIONS))("$name ($door)", tell);

async function tell({ story, door }: { readonly story: FoundStory; readonly door: Door }): Promise<void> {
  const world = new World(scenarioOf(story, door));
  const broken: Broken[] = [];
  await world.play(judging(world, broken));
  expect(unexcused(story, broken)).toEqual([]);
  expect(textFaults(story, world.records)).toEqual([]);
  for (const { plan } of world.stacks) expect(world.notes.left(plan.name)).toEqual([]);
  const [is, told] = factsOf(story, world, world.records);
  expect(is).toEqual(told);
  expect(await converges(world)).toEqual([]);
}
