import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, string>;
}
interface Job {
  needs?: string | string[];
  permissions?: Record<string, string>;
  steps: Step[];
}

const root = join(import.meta.dirname, "../..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const text = readFileSync(join(root, ".github/workflows/release.yml"), "utf8");
const workflow: { permissions: unknown; jobs: Record<string, Job> } = parse(text);
const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

test("every command of the release that is ours exists", () => {
  const scripts = steps.flatMap(({ run = "" }) => [...run.matchAll(/npm run ([\w-]+)/g)].map(([, name = ""]) => name));
  const files = steps.flatMap(({ run = "" }) =>
    [...run.matchAll(/(?:node|sh) (tools\/\S+)/g)].map(([, file = ""]) => file),
  );
  expect([scripts, files]).toEqual([["reference"], ["tools/changelog.mjs", "tools/sbom.sh"]]);
  expect(scripts.filter((name) => !manifest.scripts[name])).toEqual([]);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test("every script of the release is one that a shell can read", () => {
  for (const { run } of steps) if (run) execFileSync("sh", ["-n"], { input: run.replaceAll(/\$\{\{.*?\}\}/g, "x") });
  execFileSync("sh", ["-n", join(root, "tools/sbom.sh")]);
});

test("actions are pinned, and values of the event reach a shell by its environment only", () => {
  const uses = steps.flatMap((step) => step.uses ?? []);
  expect(uses.filter((one) => !/^[\w-]+\/[\w-]+@(v\d+|[0-9a-f]{40})$/.test(one))).toEqual([]);
  expect(steps.filter(({ run = "" }) => run.includes("${{"))).toEqual([]);
});

test("only jobs that publish or push get more than read permission", () => {
  expect(workflow.permissions).toEqual({ contents: "read" });
  expect(Object.fromEntries(Object.entries(workflow.jobs).map(([name, job]) => [name, job.permissions]))).toEqual({
    package: undefined,
    npm: { contents: "read", "id-token": "write" },
    image: { contents: "read", packages: "write", "id-token": "write" },
    notes: { contents: "write" },
  });
});

test("nothing is published before the tests and the changelog's check have passed", () => {
  const own = workflow.jobs.package?.steps.flatMap(({ run }) => run ?? []) ?? [];
  const position = (command: string) => own.findIndex((run) => run.includes(command));
  const order = ["tools/changelog.mjs", "npm test", "npm pack"].map(position);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect(order).not.toContain(-1);
  const publishing = Object.entries(workflow.jobs).filter(([name]) => name !== "package");
  expect(publishing.filter(([, { needs }]) => ![needs].flat().includes("package"))).toEqual([]);
});

test("the image is that of the example, in the version that was published", () => {
  const build = workflow.jobs.image?.steps.find(({ uses }) => uses?.startsWith("docker/build-push-action"));
  const dockerfile = readFileSync(join(root, build?.with?.context ?? "", "Dockerfile"), "utf8");
  expect(build?.with?.["build-args"]).toMatch(/^VERSION=/);
  expect(dockerfile).toMatch(/^ARG VERSION=/m);
});
