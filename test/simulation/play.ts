import { PROMISES } from "./promises/all";
import { bothDoorsAgree } from "./promises/both-doors";
import { commandsObey } from "./promises/commands";
import { converges } from "./promises/converges";
import { type Claim, claimsOf } from "./promises/model";
import { emergenciesInSeconds } from "./promises/seconds";
import type { Scenario } from "./scenario";
import { type RunRecord, World } from "./simulation";

/** A broken promise. */
export interface Broken {
  readonly promise: string;
  readonly sentence: string;
}

/** Result of one seed. */
export interface Played {
  readonly broken: readonly Broken[];
  readonly world: World;
}

/** The doors are compared in every so many seeds. */
const DOORS_EVERY = 10;

/** Plays a scenario, and judges every promise after each run and at the end. */
export async function play(scenario: Scenario): Promise<Played> {
  const world = new World(scenario);
  const broken: Broken[] = [];
  try {
    await world.play(judging(world, broken));
    const end = {
      "17 in an incident, seconds": emergenciesInSeconds(world),
      "3 state is true": await converges(world),
      "13 one rule for every entry point": await commandsObey(world),
    };
    for (const [promise, sentences] of Object.entries(end)) {
      for (const sentence of sentences) {
        broken.push({ promise, sentence });
        world.story.note("PROMISE", `${promise}: ${sentence}`);
      }
    }
    for (const sentence of scenario.seed % DOORS_EVERY === 0 ? await bothDoorsAgree(scenario) : []) {
      broken.push({ promise: "19 the same from every language", sentence });
      world.story.note("PROMISE", `19 the same from every language: ${sentence}`);
    }
  } catch (error) {
    const sentence = error instanceof Error ? (error.stack ?? error.message) : String(error);
    broken.push({ promise: "0 the run ends", sentence });
    world.story.note("PROMISE", `0 the run ends: ${sentence}`);
  }
  return { broken, world };
}

/** Judges every promise after each run, and adds what is broken. */
export function judging(world: World, broken: Broken[]): (record: RunRecord) => void {
  /** Declarations of each stack's program when it was last applied, wholly or in part. */
  const declared = new Map<number, readonly Claim[]>();
  return (record) => {
    const { run, done, preview } = record;
    const before = declared.get(run.stack) ?? [];
    const now = run.command === "up" ? claimsOf(run.program, run.options, done.began) : before;
    for (const { number, name, judge: judged } of PROMISES) {
      for (const sentence of judged({ world, record, before, now })) {
        broken.push({ promise: `${number} ${name}`, sentence });
        world.story.note("PROMISE", `${number} ${name}: ${sentence}`);
      }
    }
    if (done !== preview && run.command === "up") declared.set(run.stack, now);
    if (run.command === "destroy") declared.set(run.stack, []);
  };
}
