import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, rm, symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { startEmulator } from "../../provider/emulator/index";
import { useEmptyFolder } from "../support/folder";
import { root } from "../support/markdown";
import { commandsOnPath } from "../support/place";
import { ownPort } from "../support/ports";
import { TestStack } from "./support/stack";

const PROGRAMS = { typescript: "index.ts", python: "__main__.py", yaml: "Pulumi.yaml" };
const SHARED = [".github", "Pulumi.yaml", "check.sh", "package.json", "packetfilter-policies.yaml"];

/** A folder with the package installed and nothing else, in which the template was used. */
async function made(template: string): Promise<TestStack> {
  const stack = await TestStack.create({ program: "", withPassphrase: true });
  await symlink(join(root, "templates"), join(stack.folder, "node_modules/pulumi-packetfilter/templates"));
  for (const name of ["Pulumi.yaml", "Pulumi.test.yaml", "package.json", "index.js"])
    await rm(join(stack.folder, name), { force: true });
  const from = `node_modules/pulumi-packetfilter/templates/${template}`;
  const options = ["--force", "--yes", "--generate-only", "--name", "edge", "--description", "Our edge"];
  const { code, text } = await stack.pulumi("new", from, ...options);
  expect([code, text]).toEqual([0, expect.stringContaining("Created project 'edge'")]);
  return stack;
}

it.each(Object.entries(PROGRAMS))("pulumi new makes a project of templates/%s", async (template, program) => {
  await using stack = await made(template);
  const files = await readdir(stack.folder);
  expect(files).toEqual(expect.arrayContaining([...SHARED, program]));
  for (const name of ["Pulumi.yaml", "package.json"])
    expect(await readFile(join(stack.folder, name), "utf8")).not.toMatch(/\$\{(PROJECT|DESCRIPTION)\}/);
  expect(await stack.read("Pulumi.yaml")).toMatch(/^name: edge\ndescription: Our edge\n/);
});

it.each(Object.keys(PROGRAMS))("the job of templates/%s has the CLI of the pipelines in examples", async (template) => {
  const step = async (folder: string) => {
    const workflow = await readFile(join(root, folder), "utf8");
    return /- uses: pulumi\/actions@.*\n.*\n.*pulumi-version: .*/.exec(workflow)?.[0];
  };
  const own = await step(`templates/${template}/.github/workflows/check.yml`);
  expect(own).toBeDefined();
  expect(own).toBe(await step("examples/ci-github/.github/workflows/packetfilter.yml"));
});

it("pulumi new of templates/yaml ends with 0 once the plugin is in the cache of the CLI; install and preview work without a path", {
  timeout: 240_000,
}, async () => {
  await using stack = await TestStack.create({ program: "", withPassphrase: true });
  const { folder, env } = stack.place;
  await symlink(join(root, "templates"), join(folder, "node_modules/pulumi-packetfilter/templates"));
  for (const name of ["Pulumi.yaml", "Pulumi.test.yaml", "package.json", "index.js"])
    await rm(join(folder, name), { force: true });
  const { ensurePart } = await import("../../tools/pulumi-cli/parts.mjs");
  const bin = await ensurePart("yaml");
  stack.environment({ PATH: [stack.variables.PATH, bin].join(delimiter) });
  const ours = join(folder, "node_modules/.bin/pulumi-packetfilter");
  const plugin = (word: string) => promisify(execFile)(ours, ["plugin", word], { cwd: folder, env: { ...env } });
  expect((await plugin("install")).stdout).toContain("resource-packetfilter-v0.1.0");
  const made = [
    "new",
    "node_modules/pulumi-packetfilter/templates/yaml",
    "--force",
    "--yes",
    "--name",
    "edge",
    "--description",
    "Ours",
  ];
  await stack.must(...made);
  await stack.must("install");
  const planned = await stack.must("preview");
  expect(planned.text).toContain("packetfilter:index:PrefixSet");
  expect((await plugin("remove")).stdout).toContain("is no longer in");
  const without = await stack.mustFail("preview");
  // The words by which the guide to languages knows it.
  expect(without.text).toContain("could not find latest version for provider packetfilter");
});

it("a project of templates/typescript passes its own check, without a node", { timeout: 240_000 }, async () => {
  await using stack = await made("typescript");
  const env = { ...stack.place.env, EMULATOR_PORT: String(await ownPort()) };
  const { PULUMI_STACK: _, ...own } = env as Record<string, string>;
  const { stdout } = await promisify(execFile)("sh", ["check.sh"], { cwd: stack.folder, env: own }).catch((error) => {
    throw new Error(`${error.message}${error.stdout}`);
  });
  expect(stdout).toContain("prefixset://edge/blocked: 2 entries declared");
  expect(stdout).toMatch(/\+ 2 to create/);
  expect(await readdir(stack.folder)).not.toContain("Pulumi.check.yaml");
});

const folder = useEmptyFolder();

it.each(Object.keys(PROGRAMS))(
  "the check of templates/%s says that its port is in use, and leaves nothing",
  async (template) => {
    await using other = await startEmulator();
    await copyFile(join(root, "templates", template, "check.sh"), join(folder, "check.sh"));
    await mkdir(join(folder, "tmp"));
    const { port } = new URL(other.endpoint);
    const env = { ...commandsOnPath(folder), EMULATOR_PORT: port, TMPDIR: join(folder, "tmp") };
    const ended = promisify(execFile)("sh", ["check.sh"], { cwd: folder, env });
    await expect(ended).rejects.toMatchObject({
      stdout: "",
      stderr: expect.stringMatching(/^Port \d+ is in use: [^\n]*\n$/),
    });
    const left = await readdir(join(folder, "tmp"));
    expect(left.filter((name) => name !== "node-compile-cache")).toEqual([]);
  },
);
