import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../support/markdown";
import { ownPort } from "../support/ports";
import { languageHosts, localSdk } from "./support/languages";
import { BLOCKED } from "./support/world";

const HELD = { "192.0.2.0/24": 1, "203.0.113.7/32": 2 };
const TIMEOUT = { timeout: 600_000 };

let home: string;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  const { ensurePython } = await import("../../tools/python/ensure.mjs");
  home = await mkdtemp(join(tmpdir(), "packetfilter-new-"));
  await mkdir(join(home, "backend"));
  const PATH = [join(await ensurePython(), "bin"), await languageHosts(), process.env.PATH].join(delimiter);
  // npm and pip keep the registries that this machine is set up for.
  environment = {
    ...process.env,
    PATH,
    PULUMI_HOME: join(home, "pulumi"),
    PULUMI_BACKEND_URL: `file://${home}/backend`,
    PULUMI_CONFIG_PASSPHRASE: "example",
    PULUMI_SKIP_UPDATE_CHECK: "1",
  };
  await command("npm", ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", home], root);
}, 600_000);
afterAll(() => rm(home, { recursive: true, force: true }));

/** Runs a command to its end. @returns all that it printed @throws {Error} with that, if it fails */
async function command(file: string, args: readonly string[], cwd: string, more: NodeJS.ProcessEnv = {}) {
  const running = promisify(execFile)(file, [...args], { cwd, env: { ...environment, ...more } });
  running.child.stdin?.end();
  const { stdout, stderr } = await running.catch(({ message, stdout }) => {
    throw new Error(`${message}${stdout}`);
  });
  return `${stdout}${stderr}`;
}

/** A project that `pulumi new` made where the package is installed as it is published, with the plugin in the cache of the CLI. */
async function made(template: string) {
  const folder = join(home, template);
  await mkdir(folder);
  const [tarball = ""] = (await readdir(home)).filter((name) => name.endsWith(".tgz"));
  const install = [
    "install",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    `../${tarball}`,
    "@pulumi/pulumi@^3.259.0",
  ];
  await command("npm", install, folder);
  await command("npx", ["pulumi-packetfilter", "plugin", "install"], folder);
  const pulumi = (args: string, more?: NodeJS.ProcessEnv) => command("pulumi", args.split(" "), folder, more);
  const from = `node_modules/pulumi-packetfilter/templates/${template}`;
  const text = await pulumi(`new ${from} --force --yes --name edge-${template} --description Ours`);
  return { folder, pulumi, text };
}

/** The emulator that the text of the new project starts, on a port of its own. */
async function node({ folder, pulumi, text }: Awaited<ReturnType<typeof made>>) {
  const port = String(await ownPort());
  const endpoint = `http://127.0.0.1:${port}`;
  const said = (words: string) => {
    const [line = ""] = new RegExp(`npx pulumi-packetfilter emulator ${words}.*`).exec(text) ?? [];
    return command("sh", ["-c", line.replace("8080", port)], folder);
  };
  await pulumi(`config set packetfilter:endpoint ${endpoint} --stack dev`);
  await said("--port");
  const list = ["pulumi-packetfilter", "list", BLOCKED, "--endpoint", endpoint, "--output", "json"];
  return {
    held: async () => {
      const rows: { prefix: string; value: number }[] = JSON.parse(await command("npx", list, folder));
      return Object.fromEntries(rows.map(({ prefix, value }) => [prefix, value]));
    },
    [Symbol.asyncDispose]: async () => void (await said("stop")),
  };
}

test.each(["typescript", "yaml"])(
  "pulumi new of templates/%s, and then pulumi up, as it says",
  TIMEOUT,
  async (template) => {
    const project = await made(template);
    const { pulumi, text } = project;
    expect(text).toMatch(/Your new project is ready to go!.+Then run pulumi up\./s);
    await using emulator = await node(project);
    await pulumi("up --yes --stack dev");
    expect(await emulator.held()).toEqual(HELD);
    await pulumi("install");
    await pulumi("preview --expect-no-changes --stack dev");
  },
);

test("pulumi new of templates/python, the classes, and then pulumi up, as it says", TIMEOUT, async () => {
  const project = await made("python");
  const { folder, pulumi, text } = project;
  expect(text).toMatch(/Your new project is ready to go!.+pulumi package add packetfilter\s.+Then run pulumi up\./s);
  // The host of 3.68 cannot answer `package add`, and makes the virtual environment in the folder of the project.
  const sdk = await localSdk("python", folder);
  await command(join(folder, "bin/python"), ["-m", "pip", "install", "--quiet", sdk], folder);
  await using emulator = await node(project);
  const PATH = [join(folder, "bin"), environment.PATH].join(delimiter);
  await pulumi("up --yes --stack dev", { PATH });
  expect(await emulator.held()).toEqual(HELD);
  await pulumi("preview --expect-no-changes --stack dev", { PATH });
});

test(
  "a version that a program pins is the one of the cache, another one is named, and so is a plugin that was removed",
  TIMEOUT,
  async () => {
    const file = join(home, "yaml", "Pulumi.yaml");
    const project = await readFile(file, "utf8");
    const preview = async (version: string) => {
      await writeFile(
        file,
        project.replace("    properties:", `    options: { version: ${version} }\n    properties:`),
      );
      return command("pulumi", ["preview", "--stack", "dev"], join(home, "yaml"));
    };
    expect(await preview("0.1.0")).toMatch(/2 unchanged/);
    await expect(preview("0.9.9")).rejects.toThrow("resource plugin 'pulumi-resource-packetfilter' at version v0.9.9");
    await writeFile(file, project);
    const folder = join(home, "yaml");
    expect(await command("npx", ["pulumi-packetfilter", "plugin", "remove"], folder)).toContain("is no longer in");
    // The words by which the guide to languages knows it.
    const without = command("pulumi", ["preview", "--stack", "dev"], folder);
    await expect(without).rejects.toThrow("could not find latest version for provider packetfilter");
  },
);
