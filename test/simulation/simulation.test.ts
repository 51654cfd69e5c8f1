import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = join(__dirname, "..", "..");
const run = promisify(execFile);
/** The command as people call it; a failing run rejects. */
const simulate = async (...args: string[]) =>
  (await run(process.execPath, [join(root, "tools", "simulate.mjs"), ...args], { cwd: root, maxBuffer: 2 ** 28 }))
    .stdout;
const lastLine = (output: string) => output.trimEnd().split("\n").at(-1);

test("every promise holds in the fixed seeds", { timeout: 600_000 }, async () => {
  expect(lastLine(await simulate("--seeds", "1-1000"))).toBe("1000 seeds, 0 failed");
});

test("a patch is played in either spelling, and not without its file", async () => {
  const none = join(root, ".tmp", "none.diff");
  await expect(simulate("--seeds", "1-1", `--patch=${none}`)).rejects.toThrow(/git[\s\S]*none\.diff/);
  await expect(simulate("--seeds", "1-1", "--patch", none)).rejects.toThrow(/git[\s\S]*none\.diff/);
  await expect(simulate("--seeds", "1-1", "--patch")).rejects.toThrow("argument missing");
});

test("a seed tells the same story byte for byte, in another process and after other seeds", {
  timeout: 600_000,
}, async () => {
  expect(lastLine(await simulate("--repeat", "1-50"))).toBe("50 seeds, 0 failed");
  const story = await simulate("--seed", "7", "--story");
  expect(await simulate("--seed", "7", "--story")).toBe(story);
  expect(story.split("\n").filter((line) => line !== "" && !/^ *\d+ \S+ /.test(line))).toEqual([]);
});
