import { sameJson } from "../../../provider/model/json";
import { type Broken, judging } from "../play";
import { converges } from "../promises/converges";
import type { Scenario, Turn } from "../scenario";
import { World } from "../simulation";
import { FOUND, factsOf, scenarioOf, unexcused } from "../story/found";
import { generate } from "../story/generate";
import { differencesOf, timeless } from "./conformance";
import type { RealEngine } from "./engine";
import { RealWorld } from "./world";

/** Seeds that are played at the same time: most of the time of one is waiting. */
const AT_A_TIME = 6;

/** Sentences about a seed with the real engine. */
export type Trial = (seed: number, engine: RealEngine) => Promise<readonly string[]>;

/**
 * Promises that are broken with the real engine. Three are left to virtual time, since a busy machine breaks them: that resources which an engine hands over
 * slowly share a commit, that a list which took too long is not repeated, and the seconds of an emergency.
 */
export const brokenPromises: Trial = (seed, engine) => brokenIn(generate(seed), engine);

/** Judges of a story beside the promises. */
interface StoryJudge {
  /** Called after the last turn, before the faults end. */
  readonly told?: (world: RealWorld) => readonly string[];
  readonly excused?: (broken: readonly Broken[]) => readonly Broken[];
}

async function brokenIn(
  scenario: Scenario,
  engine: RealEngine,
  { told = () => [], excused = (found) => found }: StoryJudge = {},
): Promise<readonly string[]> {
  const broken: Broken[] = [];
  await using world = await RealWorld.open(scenario, engine);
  await world.play(judging(world.judged, broken));
  const invalid = world.records.flatMap(({ outcomes: { done } }) => done.invalid ?? []);
  return [
    ...told(world),
    ...excused(broken)
      .filter(({ promise }) => !/^(4|5|17) /.test(promise))
      .map(({ promise, sentence }) => `${promise}: ${sentence}`),
    ...(await converges(world.judged)).map((sentence) => `3 state is true: ${sentence}`),
    ...invalid.map((reason) => `the engine wrote a state that makes no sense: ${reason}`),
  ];
}

const isSecret = (turn: Turn) =>
  turn.kind === "runs" && turn.runs.some(({ program }) => program.some(({ options }) => options?.secret !== undefined));
/** The stories of found faults, by their numbers from 1, without those of secrets: the programs of this engine have none. */
const STORIES = Object.entries(FOUND).filter(([, { turns }]) => !turns.some(isSecret));
/** Seeds of no drawn scenario. */
const SEED_OF_STORIES = 2 ** 30;

/** Differences between the real engine and the story of a found fault. */
export const retold: Trial = (number, engine) => {
  const [name, story] = STORIES[number - 1] as (typeof STORIES)[number];
  const told = (world: RealWorld) => {
    const [is, should] = factsOf(story, world.judged, world.records);
    return sameJson(is, should) ? [] : [`${name}: ${JSON.stringify(is)}, not ${JSON.stringify(should)}`];
  };
  const excused = (broken: readonly Broken[]) => unexcused(story, broken);
  return brokenIn(scenarioOf(story, "plugin", SEED_OF_STORIES + number), engine, { told, excused });
};

/** Number of the stories of found faults. */
export const STORIES_FOUND = STORIES.length;

/** Differences between the simulated engine and the real one. */
export const nonconformities: Trial = (seed, engine) => nonconforming(timeless(generate(seed)), engine);

/** {@link nonconformities} of a scenario. */
export async function nonconforming(scenario: Scenario, engine: RealEngine): Promise<readonly string[]> {
  const simulated = new World(scenario);
  await simulated.play();
  // Nothing is silent in it, so no limit is waited for: a busy machine is slow.
  await using world = await RealWorld.open(scenario, engine, {});
  await world.play();
  return differencesOf(scenario, simulated.records, world.records);
}

/** Tries seeds, some at a time. @returns a sentence for each thing that is wrong, with its seed; in order of the seeds */
export async function tryEach(engine: RealEngine, seeds: readonly number[], trial: Trial): Promise<string[]> {
  const left = [...seeds];
  const found = new Map<number, readonly string[]>();
  const one = async () => {
    for (let seed = left.shift(); seed !== undefined; seed = left.shift()) {
      const wrong = await trial(seed, engine).catch((error: Error) => [error.stack ?? error.message]);
      found.set(seed, wrong);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, one));
  return seeds.flatMap((seed) => (found.get(seed) ?? []).map((sentence) => `seed ${seed}: ${sentence}`));
}

/** The seeds from one to another. */
export function seedsFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}
