import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(__dirname, "..", "..");
const MINUTE_MS = 60_000;
/** Output of a tool, whether it fails or not. */
const outputOf = (tool: string, ...args: string[]) =>
  new Promise<string>((resolve) => {
    execFile(process.execPath, [join(root, "tools", tool), ...args], { cwd: root, maxBuffer: 2 ** 28 }, (_, out, err) =>
      resolve(`${out}${err}`.trimEnd()),
    );
  });

/** Seeds that no shorter test plays; with SIMULATION_FRESH that many new ones, which are printed. */
const FRESH = Number(process.env.SIMULATION_FRESH ?? 0);
const FIRST = FRESH > 0 ? randomInt(3_001, 2 ** 29) : 1_001;
const SEEDS = FRESH > 0 ? FRESH : 300;

test("every promise holds in more seeds", { timeout: 60 * MINUTE_MS }, async () => {
  const seeds = `${FIRST}-${FIRST + SEEDS - 1}`;
  console.log(`npm run simulate -- --seeds ${seeds}`);
  const output = await outputOf("simulate.mjs", "--seeds", seeds);
  const broken = output.split("\n").filter((line) => /\(seeds [\d, ]+\)$/.test(line));
  expect([...broken, output.split("\n").at(-1)]).toEqual([`${SEEDS} seeds, 0 failed`]);
});

test("there are at least 40 planted faults, two for each promise that is played, and one of each promise is found again", {
  timeout: 60 * MINUTE_MS,
}, async () => {
  const { MUTANTS } = await import("./mutants/all.mjs");
  const counted = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19];
  const of = (number: number) => MUTANTS.filter(({ promise }) => promise === number);
  expect(counted.filter((number) => of(number).length < 2)).toEqual([]);
  expect(MUTANTS.length).toBeGreaterThanOrEqual(40);
  // Those whose seed the table names; `npm run simulate:mutants` plays them all.
  const known = counted.flatMap((number) => of(number).find(({ seed }) => seed !== undefined)?.name ?? []);
  const table = await outputOf("simulate-mutants.mjs", ...known);
  expect(table.split("\n").filter((line) => line.includes("not found"))).toEqual([
    `${known.length} mutants, 0 not found`,
  ]);
});
