import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(__dirname, "..", "..");
const MINUTE_MS = 60_000;
test("each planted fault is found", { timeout: 240 * MINUTE_MS }, async () => {
  const { MUTANTS } = await import("./mutants/all.mjs");
  const table = await new Promise<string>((resolve) => {
    const tool = join(root, "tools", "simulate-mutants.mjs");
    execFile(process.execPath, [tool], { cwd: root }, (_error, stdout, stderr) => resolve(`${stdout}${stderr}`));
  });
  expect(table.trimEnd().split("\n").at(-1)).toBe(`${MUTANTS.length} mutants, 0 not found`);
});
