import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(__dirname, "..", "..");
const MINUTE_MS = 60_000;
const FRESH = 2_000;
/** Output of a tool, whether it fails or not. */
const outputOf = (tool: string, ...args: string[]) =>
  new Promise<string>((resolve) => {
    execFile(process.execPath, [join(root, "tools", tool), ...args], { cwd: root, maxBuffer: 2 ** 28 }, (_, out, err) =>
      resolve(`${out}${err}`.trimEnd()),
    );
  });

test("every promise holds in seeds that are new", { timeout: 60 * MINUTE_MS }, async () => {
  const first = randomInt(1_001, 2 ** 29);
  const seeds = `${first}-${first + FRESH - 1}`;
  console.log(`npm run simulate -- --seeds ${seeds}`);
  const output = await outputOf("simulate.mjs", "--seeds", seeds);
  const broken = output.split("\n").filter((line) => /\(seeds [\d, ]+\)$/.test(line));
  expect([...broken, output.split("\n").at(-1)]).toEqual([`${FRESH} seeds, 0 failed`]);
});

test("planted faults are found within 500 seeds, at least 40 of them, and two for each promise that is played", {
  timeout: 240 * MINUTE_MS,
}, async () => {
  const { MUTANTS } = await import("./mutants/all.mjs");
  const counted = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19];
  expect(counted.filter((number) => MUTANTS.filter(({ promise }) => promise === number).length < 2)).toEqual([]);
  expect(MUTANTS.length).toBeGreaterThanOrEqual(40);
  const table = await outputOf("simulate-mutants.mjs");
  expect(table.split("\n").filter((line) => line.includes("not found"))).toEqual([
    `${MUTANTS.length} mutants, 0 not found`,
  ]);
});
