import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { SDKS } from "../../tools/matrix/layouts.mjs";
import { placeholders } from "../../tools/published-addresses.mjs";

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, string>;
}
interface Job {
  needs?: string | string[];
  permissions?: Record<string, string>;
  strategy?: { matrix: { include: { name: string; context: string; file: string }[] } };
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
  expect([scripts, files]).toEqual([
    ["reference"],
    [
      "tools/changelog.mjs",
      "tools/published-addresses.mjs",
      "tools/plugin-archive.mjs",
      "tools/sbom.sh",
      "tools/changelog.mjs",
    ],
  ]);
  expect(scripts.filter((name) => !manifest.scripts[name])).toEqual([]);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test("a manifest is published with addresses of its own, and this one not before a release sets them", () => {
  const own = { homepage: "https://a.test/#readme", bugs: { url: "https://a.test/issues" } };
  expect(placeholders({ ...own, repository: { url: "git+https://a.test/b.git" } })).toEqual([]);
  expect(placeholders(own)).toEqual(["repository.url"]);
  expect(placeholders(manifest)).toEqual(["homepage", "bugs.url", "repository.url"]);
  expect(manifest.scripts.prepublishOnly).toBe("node tools/published-addresses.mjs");
  const refused = spawnSync(process.execPath, [join(root, "tools/published-addresses.mjs")], { encoding: "utf8" });
  expect([refused.status, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/^package\.json still has placeholders in homepage, bugs\.url, repository\.url\. Nothing/),
  ]);
});

test("the matrix tries the lowest SDK that the package accepts", () => {
  expect(manifest.peerDependencies["@pulumi/pulumi"]).toBe(`>=${SDKS[0]} <4`);
});

test("every script of the release is one that a shell can read", () => {
  for (const { run } of steps) if (run) execFileSync("sh", ["-n"], { input: run.replaceAll(/\$\{\{.*?\}\}/g, "x") });
  execFileSync("sh", ["-n", join(root, "tools/sbom.sh")]);
});

test("checks run for each change what a person runs, and read only", () => {
  const checks: typeof workflow = parse(readFileSync(join(root, ".github/workflows/checks.yml"), "utf8"));
  const commands = Object.values(checks.jobs).flatMap((job) => job.steps.flatMap(({ run }) => run ?? []));
  expect(commands).toEqual([
    "npm test",
    "npm run matrix",
    "npm run test:long",
    "npm audit --omit=dev --package-lock-only",
  ]);
  expect(commands.slice(1, -1).filter((one) => !manifest.scripts[one.replace("npm run ", "")])).toEqual([]);
  expect([
    checks.permissions,
    ...Object.values(checks.jobs).flatMap(({ permissions }) => (permissions ? [permissions] : [])),
  ]).toEqual([{ contents: "read" }]);
});

test("issue forms and updates of dependencies are such as GitHub reads", () => {
  const github = join(root, ".github");
  const read = (file: string) => parse(readFileSync(join(github, file), "utf8"));
  const forms = readdirSync(join(github, "ISSUE_TEMPLATE")).filter((name) => name !== "config.yml");
  expect(forms.length).toBe(3);
  for (const form of forms)
    expect(read(`ISSUE_TEMPLATE/${form}`)).toMatchObject({
      name: expect.any(String),
      description: expect.any(String),
      body: expect.arrayContaining([expect.objectContaining({ type: "textarea", attributes: expect.any(Object) })]),
    });
  const { version, updates } = read("dependabot.yml");
  expect([version, updates.map((one: Record<string, string>) => one["package-ecosystem"])]).toEqual([
    2,
    ["npm", "github-actions"],
  ]);
});

test("actions are pinned, and values of the event reach a shell by its environment only", () => {
  const example = readFileSync(join(root, "examples/emulator-container/.github/workflows/test.yaml"), "utf8");
  const folder = join(root, ".github/workflows");
  const others = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  const uses = [example, ...others].flatMap((file) => file.split("\n").filter((line) => line.includes("uses:")));
  expect(uses.filter((one) => !/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(one))).toEqual([]);
  // One action has one commit, wherever it is used.
  expect(new Set(uses.map((one) => one.replace(/^.*uses: /, ""))).size).toBe(
    new Set(uses.map((one) => one.replace(/^.*uses: |@.*$/g, ""))).size,
  );
  expect(steps.filter(({ run = "" }) => run.includes("${{"))).toEqual([]);
});

test("only jobs that publish or push get more than read permission", () => {
  expect(workflow.permissions).toEqual({ contents: "read" });
  expect(Object.fromEntries(Object.entries(workflow.jobs).map(([name, job]) => [name, job.permissions]))).toEqual({
    test: undefined,
    package: undefined,
    papers: undefined,
    attest: { contents: "read", "id-token": "write", attestations: "write" },
    npm: { contents: "read", "id-token": "write" },
    image: { contents: "read", packages: "write", "id-token": "write" },
    notes: { contents: "write" },
  });
});

/** The jobs that have ended well before this one begins. */
function before(name: string): string[] {
  const needs = [workflow.jobs[name]?.needs ?? []].flat();
  return [...new Set([...needs, ...needs.flatMap(before)])];
}
const runs = (name: string) => workflow.jobs[name]?.steps.flatMap(({ run }) => run ?? []) ?? [];

test("nothing is packed or published before the tests and the changelog's check have passed", () => {
  expect(runs("test").map((run) => run.split(" ").slice(0, 2).join(" "))).toEqual([
    "node tools/changelog.mjs",
    "npm test",
  ]);
  const others = Object.keys(workflow.jobs).filter((name) => name !== "test");
  expect(others.filter((name) => !before(name).includes("test"))).toEqual([]);
  const publishing = others.filter((name) => name !== "package");
  expect(publishing.filter((name) => !before(name).includes("package"))).toEqual([]);
});

test("what is published is packed where nothing else runs, not even a script of a dependency", () => {
  expect(runs("package").map((run) => run.split("\n").at(-4)?.trim() ?? run)).toEqual([
    "npm ci --ignore-scripts",
    "npm pack --pack-destination release",
  ]);
  // The plugin's archives are made beside it, so that both are published with what the same files say.
  expect(runs("package").join("\n")).toContain("node tools/plugin-archive.mjs release");
  expect(runs("notes").join("\n")).toContain("release/pulumi-resource-*");
  const packing = Object.keys(workflow.jobs).filter((name) => runs(name).some((run) => run.includes("npm pack")));
  expect(packing).toEqual(["package"]);
  const download = workflow.jobs.npm?.steps.find(({ uses }) => uses?.startsWith("actions/download-artifact"));
  expect([download?.with?.name, runs("npm")]).toEqual([
    "package",
    ["npm publish --provenance --access public ./release/*.tgz"],
  ]);
});

test("the images are those of the examples, made of the package that was published", () => {
  const steps = workflow.jobs.image?.steps ?? [];
  const build = steps.find(({ uses }) => uses?.startsWith("docker/build-push-action"));
  const download = steps.find(({ uses }) => uses?.startsWith("actions/download-artifact"));
  expect(download?.with).toEqual({ name: "package", path: build?.with?.context });
  const { context, file, tags } = build?.with ?? {};
  const given = (name: string) => `$\{{ ${name} }}`;
  expect([context, file]).toEqual([given("matrix.context"), `${given("matrix.context")}/${given("matrix.file")}`]);
  expect(tags).toContain(`packetfilter-${given("matrix.name")}:${given("env.VERSION")}\n`);
  const images = workflow.jobs.image?.strategy?.matrix.include ?? [];
  const sources = images.map((one) => [one.name, readFileSync(join(root, one.context, one.file), "utf8")] as const);
  // Both are made of the archive itself.
  expect(sources).toEqual([
    ["emulator", expect.stringMatching(/^COPY pulumi-packetfilter-\*\.tgz /m)],
    ["forward", expect.stringMatching(/^ADD pulumi-packetfilter-\*\.tgz /m)],
  ]);
  expect(workflow.jobs.image?.needs).toContain("npm");
  expect(steps.map(({ uses }) => uses?.split("@")[0])).toEqual([
    "actions/checkout",
    "docker/setup-qemu-action",
    "docker/setup-buildx-action",
    "docker/login-action",
    "actions/download-artifact",
    "docker/build-push-action",
  ]);
});
