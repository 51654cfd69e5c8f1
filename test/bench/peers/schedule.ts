import type { Sample } from "./figures";
import { type Group, groupTitle, roughSeconds } from "./plan";

/** Repetitions of a group that are enough. */
const ENOUGH = 3;

/** The parts of a run that come from outside. */
export interface Schedule {
  readonly plan: readonly Group[];
  /** Seconds that the whole may take. */
  readonly seconds: number;
  /** Repetitions of each group, if the time is enough. Default 3. */
  readonly repetitions?: number;
  /** Measurements of an earlier, interrupted run. */
  readonly samples?: readonly Sample[];
  /** Measures a group once. */
  readonly run: (group: Group, repetition: number) => Promise<Sample[]>;
  /** Is told of every group that was measured. */
  readonly onSamples?: (samples: readonly Sample[]) => Promise<void>;
  /** Seconds since the beginning. */
  readonly elapsed: () => number;
}

/**
 * Measures every group once, in the order of the plan, and then repeats them, the shortest first, as long as another one fits into the time:
 * what is short and therefore noisy is measured three times, what is long once. A group whose first time would not fit is left out and named.
 */
export async function carryOut(schedule: Schedule): Promise<{ samples: Sample[]; leftOut: string[] }> {
  const { plan, seconds, repetitions = ENOUGH, run, onSamples, elapsed } = schedule;
  const samples = [...(schedule.samples ?? [])];
  const leftOut: string[] = [];
  const took = new Map<Group, number>();
  const once = async (group: Group, repetition: number) => {
    const begun = elapsed();
    samples.push(...(await run(group, repetition)));
    took.set(group, elapsed() - begun);
    await onSamples?.(samples);
  };
  const cost = (group: Group) => took.get(group) ?? roughSeconds(group);
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const order = repetition === 0 ? plan : [...plan].sort((a, b) => cost(a) - cost(b));
    for (const group of order) {
      if (samples.some((sample) => sample.repetition === repetition && belongs(sample, group))) continue;
      if (elapsed() + cost(group) <= seconds) await once(group, repetition);
      else if (repetition === 0) leftOut.push(groupTitle(group));
    }
  }
  return { samples, leftOut };
}

function belongs(sample: Sample, group: Group): boolean {
  return (["workload", "size", "latency", "commit"] as const).every((key) => sample[key] === group[key]);
}
