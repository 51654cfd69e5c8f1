import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

const SCRIPTS = resolve(__dirname, "../examples/ci-stack/ci");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "packetfilter-review-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the review of the target branch in a checkout, with commands that stand for ours and Pulumi's. */
function review(commands: Record<string, string>): { status: number | null; checkout: string } {
  const [target, checkout] = [join(folder, "target"), join(folder, "checkout")];
  cpSync(SCRIPTS, join(target, "ci"), { recursive: true });
  const bin = join(target, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  for (const [name, script] of Object.entries(commands))
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const { status } = spawnSync("bash", [join(target, "ci/review.sh")], { cwd: checkout });
  return { status, checkout };
}

it.each<[string, () => void]>([
  [
    "a folder",
    () => {
      mkdirSync(join(folder, "checkout/review-results"), { recursive: true });
      writeFileSync(join(folder, "checkout/review-results/preview.json"), '{"steps":[]}');
    },
  ],
  [
    "a link",
    () => {
      for (const made of ["checkout", "outside"]) mkdirSync(join(folder, made));
      writeFileSync(join(folder, "outside/preview.json"), '{"steps":[]}');
      symlinkSync(join(folder, "outside"), join(folder, "checkout/review-results"));
    },
  ],
])("where the review fails at its first command, %s that a change brought is not what it left", (_, bring) => {
  bring();
  const { status, checkout } = review({ "pulumi-packetfilter": "exit 3" });
  expect(status).not.toBe(0);
  expect(readdirSync(join(checkout, "review-results"))).toEqual([]);
  if (existsSync(join(folder, "outside"))) expect(readdirSync(join(folder, "outside"))).toEqual(["preview.json"]);
});

it("where even its folder cannot be made, nothing of the change is left either", () => {
  mkdirSync(join(folder, "checkout/review-results"), { recursive: true });
  const { status, checkout } = review({ mktemp: "exit 1" });
  expect([status === 0, existsSync(join(checkout, "review-results"))]).toEqual([false, false]);
});
