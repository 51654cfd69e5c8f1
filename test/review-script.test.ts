import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { useEmptyFolder } from "./support/folder";

const SCRIPTS = resolve(__dirname, "../examples/ci-stack/ci");

const folder = useEmptyFolder();

interface Resource {
  readonly old?: object;
  readonly now?: object;
  readonly op?: string;
}

/** The sentence of a comment on limits, by resources as a preview has them: name to inputs before and after. */
async function limits(resources: Record<string, Resource>): Promise<string> {
  const { limitsIn } = await import(pathToFileURL(join(SCRIPTS, "limits.mjs")).href);
  const steps = Object.entries(resources).map(([name, { old, now, op = "update" }]) => ({
    op,
    urn: `urn:pulumi:prod::edge::packetfilter:index:PrefixSet::${name}`,
    ...(old && { oldState: { inputs: { arena: "edge", set: "a", ...old } } }),
    ...(now && { newState: { inputs: { arena: "edge", set: "a", ...now } } }),
  }));
  return limitsIn(JSON.stringify({ steps }));
}

it.each<[Record<string, Resource>, string]>([
  [{ a: { old: { maxRemovals: 5 }, now: { maxRemovals: 5, entries: {} } } }, ""],
  [{ a: { old: { maxRemovals: 5 }, now: { maxRemovals: 50 } } }, "changed: maxRemovals (1)"],
  [{ a: { old: { maxRemovals: 5, exclusive: true }, now: {} } }, "absent: exclusive (1), maxRemovals (1)"],
  [{ a: { now: { maxRemovals: 5, set: "b" }, op: "create" } }, "new: maxRemovals (1)"],
  [{ a: { now: {}, op: "create" }, b: { now: { set: "b" }, op: "create" } }, "new resources without any: 2"],
  [
    { a: { old: { maxRemovals: 5, maxEntries: 9 }, op: "delete" }, b: { now: { maxRemovals: 5 }, op: "create" } },
    "absent: maxEntries (1); moved: maxRemovals (1)",
  ],
  [{ a: { old: { maxRemovals: 5 }, op: "delete" }, b: { old: {}, now: {}, op: "same" } }, "absent: maxRemovals (1)"],
  [
    {
      a: { old: { nodes: { fra1: { maxRemovals: 1 } } }, now: { nodes: { fra1: { maxRemovals: "100%" }, ams1: {} } } },
    },
    "changed: nodes.*.maxRemovals (1)",
  ],
  [
    { a: { old: { nodes: { fra1: { maxRemovals: 1 } } }, now: { nodes: ["fra1"], maxRemovals: 1 } } },
    "new: maxRemovals (1); absent: nodes.*.maxRemovals (1)",
  ],
])("limits of %j are named: %s", async (resources, words) => {
  expect(await limits(resources)).toBe(words === "" ? "" : `> **Limits of resources: ${words}.**\n\n`);
});

it.each([
  "{",
  '{"steps":[null]}',
  `{"steps":[{"op":"update","urn":"::::","newState":{"inputs":{"arena":1,"maxRemovals":${"[".repeat(1e5)}${"]".repeat(1e5)}}}}]}`,
])("limits of a preview that no reader gets through are said to be unknown", async (preview) => {
  const { limitsIn } = await import(pathToFileURL(join(SCRIPTS, "limits.mjs")).href);
  expect(limitsIn(preview)).toContain("cannot be compared: the preview cannot be read");
});

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
