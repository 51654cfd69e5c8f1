import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(__dirname, "..", "..");
const MINUTE_MS = 60_000;
/** The promises that are judged: that of first contact belongs to the probe. */
const JUDGED = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19];

test("each promise has at least two planted faults", async () => {
  const { MUTANTS } = await import("./mutants/all.mjs");
  const lacking = JUDGED.filter((promise) => MUTANTS.filter((mutant) => mutant.promise === promise).length < 2);
  expect(lacking).toEqual([]);
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  expect(MUTANTS.length).toBeGreaterThanOrEqual(40);
});

test("each planted fault is found", { timeout: 240 * MINUTE_MS }, async () => {
  const { MUTANTS } = await import("./mutants/all.mjs");
  const table = await new Promise<string>((resolve) => {
    const tool = join(root, "tools", "simulate-mutants.mjs");
    execFile(process.execPath, [tool], { cwd: root }, (_error, stdout, stderr) => resolve(`${stdout}${stderr}`));
  });
  expect(table.trimEnd().split("\n").at(-1)).toBe(`${MUTANTS.length} mutants, 0 not found`);
});
