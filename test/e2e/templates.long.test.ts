import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { startEmulator } from "../../provider/emulator/index";
import { useEmptyFolder } from "../support/folder";
import { root } from "../support/markdown";
import { commandsOnPath } from "../support/place";
import { ownPort } from "../support/ports";
import { TestStack } from "./support/stack";

const TEMPLATES = ["typescript", "python", "yaml"];

/** A folder with the package installed and nothing else, in which the template for TypeScript was used. */
async function made(): Promise<TestStack> {
  const stack = await TestStack.create({ program: "", withPassphrase: true });
  await symlink(join(root, "templates"), join(stack.folder, "node_modules/pulumi-packetfilter/templates"));
  for (const name of ["Pulumi.yaml", "Pulumi.test.yaml", "package.json", "index.js"])
    await rm(join(stack.folder, name), { force: true });
  const from = "node_modules/pulumi-packetfilter/templates/typescript";
  const options = ["--force", "--yes", "--generate-only", "--name", "edge", "--description", "Our edge"];
  const { code, text } = await stack.pulumi("new", from, ...options);
  expect([code, text]).toEqual([0, expect.stringContaining("Created project 'edge'")]);
  return stack;
}

it.each(TEMPLATES)("the job of templates/%s has the CLI of the pipelines in examples", async (template) => {
  const step = async (folder: string) => {
    const workflow = await readFile(join(root, folder), "utf8");
    return /- uses: pulumi\/actions@.*\n.*\n.*pulumi-version: .*/.exec(workflow)?.[0];
  };
  const own = await step(`templates/${template}/.github/workflows/check.yml`);
  expect(own).toBeDefined();
  expect(own).toBe(await step("examples/ci-github/.github/workflows/packetfilter.yml"));
});

it("a project of templates/typescript passes its own check, without a node", { timeout: 240_000 }, async () => {
  await using stack = await made();
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

it.each(TEMPLATES)("the check of templates/%s says that its port is in use, and leaves nothing", async (template) => {
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
});
