import { z } from "zod";
import { PEERS, STEPS, WORKLOADS } from "./plan";

const count = z.number().int().nonnegative();
const amount = z.number().nonnegative();

const place = z.object({
  workload: z.enum(WORKLOADS),
  size: count,
  peer: z.enum(PEERS),
  step: z.enum(STEPS),
});

/** Cost of one step of one peer. */
const measured = z.object({
  /** Wall clock, from the start of the command to its end. */
  seconds: amount,
  requests: count,
  commits: count,
  /** Entries that its commits added, took out or changed. */
  written: count,
  /** The largest resident sizes, in MiB. */
  engine: amount,
  provider: amount,
  other: amount,
  /** Bytes of the state afterwards. */
  state: count,
  /** Whether a refresh said that an entry had been taken out at the node. */
  sawDrift: z.boolean().optional(),
});

export type Measured = z.infer<typeof measured>;

/** One repetition of a step, or why there is none. */
export interface Sample extends z.infer<typeof place> {
  readonly repetition: number;
  readonly outcome: Measured | { readonly notRun: string } | { readonly failed: string };
}

/** A step of a peer as it is published: the median of the seconds, and the largest of all else. */
const row = place.extend({
  /** Number of measurements. */
  runs: count,
  /** Absent where it was never measured; `note` says why. */
  measured: measured.extend({ shortest: amount, longest: amount }).optional(),
  note: z.string().optional(),
});
export type Row = z.infer<typeof row>;

/** Content of docs/benchmarks.json, from which tables are drawn. */
export const figuresSchema = z.object({
  /** ISO 8601, of the day. */
  date: z.string(),
  /** Groups for which the time was not enough, in words. */
  leftOut: z.string().array(),
  machine: z.object({ cpu: z.string(), cores: count, memoryGiB: amount, system: z.string() }),
  versions: z.record(z.string(), z.string()),
  /** Cost of the look of a plain `up`, measured as `npm run bench look` does: medians of pairs of runs, in seconds. */
  look: z
    .object({
      date: z.string(),
      rows: z.array(z.object({ what: z.string(), goal: z.string(), pairs: count, off: amount, auto: amount })),
    })
    .optional(),
  /** Milliseconds of the provider process by part, as `npm run bench parts` measures them: medians. */
  parts: z
    .object({
      date: z.string(),
      entries: count,
      runs: count,
      rows: z.array(z.object({ what: z.string(), ms: z.record(z.enum(STEPS), amount) })),
    })
    .optional(),
  rows: z.array(row),
});
export type Figures = z.infer<typeof figuresSchema>;

/** Sums samples up, in their order. */
export function condense(samples: readonly Sample[]): Row[] {
  const places = new Map<string, Sample[]>();
  for (const sample of samples) places.set(placeName(sample), [...(places.get(placeName(sample)) ?? []), sample]);
  return [...places.values()].map((all) => {
    const { repetition: _, outcome: __, ...where } = all[0] as Sample;
    const done = all.flatMap(({ outcome }) => ("seconds" in outcome ? [outcome] : []));
    const notes = all.flatMap(({ outcome }) => {
      if ("failed" in outcome) return [`failed: ${outcome.failed}`];
      return "notRun" in outcome ? [`not run: ${outcome.notRun}`] : [];
    });
    return { ...where, runs: done.length, measured: summary(done), note: notes[0] };
  });
}

/** The step of a peer that a sample or a row is about. */
function placeName({ workload, size, peer, step }: z.infer<typeof place>): string {
  return [workload, size, peer, step].join(" ");
}

function summary(samples: readonly Measured[]): Row["measured"] {
  const [first] = samples;
  if (first === undefined) return undefined;
  const largest = (pick: (sample: Measured) => number) => Math.max(...samples.map(pick));
  const seconds = samples.map((sample) => sample.seconds).sort((a, b) => a - b);
  return {
    seconds: rounded(median(seconds), 3),
    shortest: rounded(seconds[0] as number, 3),
    longest: rounded(seconds.at(-1) as number, 3),
    requests: largest(({ requests }) => requests),
    commits: largest(({ commits }) => commits),
    written: largest(({ written }) => written),
    engine: rounded(
      largest(({ engine }) => engine),
      0,
    ),
    provider: rounded(
      largest(({ provider }) => provider),
      0,
    ),
    other: rounded(
      largest(({ other }) => other),
      0,
    ),
    state: largest(({ state }) => state),
    ...(first.sawDrift === undefined ? {} : { sawDrift: samples.every(({ sawDrift }) => sawDrift) }),
  };
}

/** The middle of numbers in order; of an even number of them the mean of the two in the middle. */
export function median(sorted: readonly number[]): number {
  const middle = sorted.length >> 1;
  const above = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? above : ((sorted[middle - 1] ?? Number.NaN) + above) / 2;
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** The text of docs/benchmarks.json: a row a line, members in the order of the schema. */
export function figuresText(figures: Figures): string {
  const { rows, ...about } = figuresSchema.parse(figures);
  const head = JSON.stringify(about, null, 2).slice(0, -2);
  return `${head},\n  "rows": [\n${rows.map((one) => `    ${JSON.stringify(one)}`).join(",\n")}\n  ]\n}\n`;
}
