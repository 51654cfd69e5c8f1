import { PROMISES } from "./promises/all";
import { bothDoorsAgree } from "./promises/both-doors";
import { converges } from "./promises/converges";
import { exceptionFor, FINAL_EXCEPTIONS } from "./promises/exceptions";
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
  /** Names of the exceptions that covered a broken promise. */
  readonly excused: readonly string[];
  readonly world: World;
}

/** The doors are compared in every so many seeds. */
const DOORS_EVERY = 10;

/** Plays a scenario, and judges every promise after each run and at the end. */
export async function play(scenario: Scenario): Promise<Played> {
  const world = new World(scenario);
  const broken: Broken[] = [];
  const excused = new Set<string>();
  try {
    await world.play(judging(world, broken, excused));
    const end = {
      "17 in an incident, seconds": emergenciesInSeconds(world),
      "3 state is true": await converges(world),
    };
    for (const [promise, sentences] of Object.entries(end)) {
      for (const sentence of sentences) {
        const exception = FINAL_EXCEPTIONS.find(({ says }) => sentence.includes(says));
        if (exception) {
          excused.add(exception.name);
          world.story.note("KNOWN", `${promise}: ${sentence}`);
          continue;
        }
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
  return { broken, excused: [...excused], world };
}

/** Judges every promise after each run, and adds what is broken. */
export function judging(world: World, broken: Broken[], excused = new Set<string>()): (record: RunRecord) => void {
  /** Declarations of each stack's program when it was last applied, wholly or in part. */
  const declared = new Map<number, readonly Claim[]>();
  return (record) => {
    const { run, done, preview } = record;
    const before = declared.get(run.stack) ?? [];
    const now = run.command === "up" ? claimsOf(run.program, run.options) : before;
    for (const { number, name, judge: judged } of PROMISES) {
      const given = { world, record, before, now };
      for (const sentence of judged(given)) {
        const exception = exceptionFor(number, sentence, given);
        if (exception) {
          excused.add(exception.name);
          world.story.note("KNOWN", `${number} ${name}: ${sentence}`);
          continue;
        }
        broken.push({ promise: `${number} ${name}`, sentence });
        world.story.note("PROMISE", `${number} ${name}: ${sentence}`);
      }
    }
    if (done !== preview && run.command === "up") declared.set(run.stack, now);
    if (run.command === "destroy") declared.set(run.stack, []);
  };
}
