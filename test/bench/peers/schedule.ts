import type { Sample } from "./figures";
import { type Group, partTitle, roughSeconds } from "./plan";

/** Repetitions of a group that are enough. */
const ENOUGH = 3;

/** The parts of a run that come from outside. */
export interface Schedule {
  readonly plan: readonly Group[];
  /** Seconds that the whole may take. */
  readonly seconds: number;
  /** Measures a group once. */
  readonly run: (group: Group, repetition: number) => Promise<Sample[]>;
  /** Seconds since the beginning. */
  readonly elapsed: () => number;
}

/**
 * Measures every group once, in the order of the plan, and then repeats them, the shortest first, as long as another one fits into the time:
 * what is short and therefore noisy is measured three times, what is long once. A group whose first time would not fit is left out and named.
 */
export async function carryOut(schedule: Schedule): Promise<{ samples: Sample[]; leftOut: string[] }> {
  const { plan, seconds, run, elapsed } = schedule;
  const samples: Sample[] = [];
  const leftOut: string[] = [];
  const took = new Map<Group, number>();
  const once = async (group: Group, repetition: number) => {
    const begun = elapsed();
    samples.push(...(await run(group, repetition)));
    took.set(group, elapsed() - begun);
  };
  const cost = (group: Group) => took.get(group) ?? roughSeconds(group);
  for (let repetition = 0; repetition < ENOUGH; repetition++) {
    const order = repetition === 0 ? plan : [...plan].sort((a, b) => cost(a) - cost(b));
    for (const group of order) {
      if (elapsed() + cost(group) <= seconds) await once(group, repetition);
      else if (repetition === 0) leftOut.push(partTitle(group));
    }
  }
  return { samples, leftOut };
}
