import { type Broken, judging } from "../play";
import { converges } from "../promises/converges";
import { World } from "../simulation";
import { generate } from "../story/generate";
import { differencesOf, timeless } from "./conformance";
import type { RealEngine } from "./engine";
import { RealWorld } from "./world";

/** Seeds that are played at the same time: most of the time of one is waiting. */
const AT_A_TIME = 6;

/** Sentences about a seed with the real engine. */
export type Trial = (seed: number, engine: RealEngine) => Promise<readonly string[]>;

/**
 * Promises that are broken with the real engine. Two are left to virtual time, since a busy machine breaks them: that resources which an engine hands over
 * slowly share a commit, and the seconds of an emergency.
 */
export const brokenPromises: Trial = async (seed, engine) => {
  const broken: Broken[] = [];
  await using world = await RealWorld.open(generate(seed), engine);
  await world.play(judging(world.judged, broken));
  const invalid = world.records.flatMap(({ outcomes: { done } }) => done.invalid ?? []);
  return [
    ...broken
      .filter(({ promise }) => !/^(4|17) /.test(promise))
      .map(({ promise, sentence }) => `${promise}: ${sentence}`),
    ...(await converges(world.judged)).map((sentence) => `3 state is true: ${sentence}`),
    ...invalid.map((reason) => `the engine wrote a state that makes no sense: ${reason}`),
  ];
};

/** Differences between the simulated engine and the real one. */
export const nonconformities: Trial = async (seed, engine) => {
  const scenario = timeless(generate(seed));
  const simulated = new World(scenario);
  await simulated.play();
  await using world = await RealWorld.open(scenario, engine);
  await world.play();
  return differencesOf(simulated.records, world.records);
};

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
