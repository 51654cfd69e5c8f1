/** One number of a benchmark. A benchmark says how fast something is; it passes no judgement and is no test. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Figure to compare with. */
  readonly reference: string;
}

/** The middle of several timings, in milliseconds; the first ones, before the code is compiled, are left out. */
export async function median(work: () => unknown, { runs = 11, warmUp = 3 } = {}): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < warmUp + runs; run++) {
    const start = performance.now();
    await work();
    if (run >= warmUp) times.push(performance.now() - start);
  }
  return middleOf(times);
}

/** The middle of some figures. */
export function middleOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** The figures as a table for people. */
export function table(title: string, figures: readonly Figure[]): string {
  const rows = figures.map(({ name, value, unit, reference }) => {
    const digits = value >= 1000 ? 0 : value >= 10 ? 1 : 2;
    const number = value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits });
    return `  ${name.padEnd(62)} ${number.padStart(12)} ${unit.padEnd(10)} ${reference}`;
  });
  return [`${title}`, ...rows, ""].join("\n");
}
