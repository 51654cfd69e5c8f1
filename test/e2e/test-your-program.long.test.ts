import { execFileSync } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { runProgram, startEmulator } from "../../provider/emulator";
import { guide } from "../support/guide";
import { root } from "../support/markdown";
import { TestStack, TYPES_ARE_CHECKED } from "./support/stack";

const EXAMPLE = join(root, "examples/test-your-program");

/** The example as a user's repository, with its packages in a folder above it, as workspaces have them. */
async function repository() {
  const machine = await TestStack.create({
    program: "",
    env: { ...TYPES_ARE_CHECKED, PULUMI_ACCESS_TOKEN: "not a token" },
  });
  const folder = join(machine.folder, "repository");
  await cp(EXAMPLE, folder, { recursive: true });
  await symlink(join(root, "node_modules/vitest"), join(machine.folder, "node_modules/vitest"));
  await symlink(join(root, "node_modules/vitest/vitest.mjs"), join(machine.folder, "node_modules/.bin/vitest"));
  const { PULUMI_BACKEND_URL: _state, PULUMI_CONFIG_PASSPHRASE: _key, ...env } = machine.place.env;
  return { folder, env, [Symbol.asyncDispose]: () => machine[Symbol.asyncDispose]() };
}

/** Files of a repository, without the packages, among which the runner of tests keeps a cache. */
const filesOf = async (folder: string) =>
  (await readdir(folder, { recursive: true })).filter((name) => !name.startsWith("node_modules")).toSorted();

guide("test-your-program.md", "the example passes as it stands, and leaves nothing in its folder", async (guide) => {
  await using user = await repository();
  const files = await filesOf(user.folder);
  guide.at({
    folder: user.folder,
    env: { ...user.env, NO_COLOR: "1", PACKETFILTER_HEADERS: '{"authorization":"Bearer real"}' },
  });
  expect(await guide.next("vitest run")).toMatch(/Tests +5 passed/);
  expect(await filesOf(user.folder)).toEqual(files);
});

test("the jobs for GitHub and GitLab type what the guide types, and set no variable", async () => {
  const github = parse(await readFile(join(EXAMPLE, ".github/workflows/test.yml"), "utf8"));
  const gitlab = parse(await readFile(join(EXAMPLE, ".gitlab-ci.yml"), "utf8"));
  const typed = github.jobs.test.steps.flatMap(({ run }: { run?: string }) => run ?? []);
  expect(typed).toEqual(["npm ci", "npx vitest run"]);
  expect(gitlab.test.script).toEqual(typed);
  const members = [github, github.jobs.test, gitlab, gitlab.test].flatMap(Object.keys);
  expect(members.filter((name) => ["env", "variables", "secrets", "services"].includes(name))).toEqual([]);
});

/** Tells what reaches a program. */
const TELLS = `
const pulumi = require("@pulumi/pulumi");
const settings = new pulumi.Config("packetfilter");
exports.given = new pulumi.Config().require("given");
exports.secret = new pulumi.Config().requireSecret("token");
for (const key of ["endpoint", "signalingUrl", "headers", "maxEntries"]) exports[key] = settings.get(key);
for (const key of ["nodes", "receivers"]) exports[key] = settings.getObject(key);
exports.variables = Object.keys(process.env).filter((name) => /^PACKETFILTER_|TOKEN|PASSPHRASE_FILE/.test(name));
`;

const STACK = `
environment: [real/prod]
encryptionsalt: v1:cmVhbA==:v1:cmVhbA==:cmVhbA==
config:
  packetfilter:headers: { authorization: { secure: v1:real } }
  packetfilter:maxEntries: "7"
  packetfilter:nodes:
    fra1: { endpoint: https://fra1.example.net, headers: { authorization: { secure: v1:real } }, timeoutMs: 900 }
  tells:token: { secure: v1:real }
`;

test("the emulator stands in for every node and receiver of the settings; credentials and secrets of others stay out", async () => {
  const folder = await mkdtemp(join(process.env.PACKETFILTER_E2E_STACKS ?? tmpdir(), "program-"));
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  await write("package.json", '{ "name": "tells", "main": "index.js" }');
  await write("index.js", TELLS);
  await write(
    "Pulumi.yaml",
    'name: tells\nruntime: nodejs\nconfig:\n  packetfilter:receivers: { value: { eu: { url: "https://eu.example.net" } } }\n',
  );
  await write("Pulumi.prod.yaml", STACK);
  const variables = { PACKETFILTER_SECRET_KEY: "real", PULUMI_ACCESS_TOKEN: "real", PULUMI_STACK: "other" };
  Object.assign(process.env, variables);
  try {
    await using emulator = await startEmulator();
    const { endpoint, signalingUrl, clients } = emulator;
    const [{ clientId, secretKey } = { clientId: "", secretKey: "" }] = clients;
    await expect(runProgram(emulator, { workDir: folder, stack: "prod", config: { given: 1 } })).rejects.toThrow(
      "Pulumi.prod.yaml has secrets that only the key of the real stack decrypts (tells:token): give test values",
    );
    const config = { given: 1, "tells:token": { value: "for-tests", secret: true } };
    const program = await runProgram(emulator, { workDir: folder, stack: "prod", config });
    await program.up();
    const outputs = await program.outputs();
    expect(Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value]))).toEqual({
      given: "1",
      secret: "for-tests",
      endpoint,
      signalingUrl,
      headers: "{}",
      maxEntries: "7",
      nodes: { fra1: { timeoutMs: 900, endpoint } },
      receivers: { eu: { url: signalingUrl, clientId, secretKey } },
      variables: [],
    });
    expect(outputs.secret?.secret).toBe(true);

    // What still runs ends with it.
    await write("index.js", "setInterval(() => {}, 1_000);");
    let cut: Promise<void> = Promise.resolve();
    await new Promise<void>((onOutput) => {
      cut = expect(program.preview({ onOutput: () => onOutput() })).rejects.toThrow(/SIGINT|cancel/);
    });
    await program[Symbol.asyncDispose]();
    await cut;
    expect(await filesOf(folder)).toEqual(["Pulumi.prod.yaml", "Pulumi.yaml", "index.js", "package.json"]);
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
    await rm(folder, { recursive: true });
  }
});

test("a folder without a program, an option that is none and a machine without a CLI are told", async () => {
  await using emulator = await startEmulator();
  const misspelt = { workDir: EXAMPLE, stak: "prod" } as { workDir: string };
  await expect(runProgram(emulator, misspelt)).rejects.toThrow(
    'runProgram(): there is no "stak"; did you mean "stack"?',
  );
  await expect(runProgram(emulator, { workDir: join(root, "docs") })).rejects.toThrow("docs has no Pulumi.yaml");
  const { PATH } = process.env;
  process.env.PATH = "";
  try {
    await expect(runProgram(emulator, { workDir: EXAMPLE })).rejects.toThrow(
      /the Pulumi CLI does not start \(.+\): install it/,
    );
  } finally {
    process.env.PATH = PATH;
  }
});

test("the emulator alone does not load the SDK", () => {
  const loads =
    'require("./dist/provider/emulator"); Object.keys(require.cache).filter((it) => it.includes("@pulumi"))';
  expect(execFileSync(process.execPath, ["-p", `${loads}.length`], { cwd: root, encoding: "utf8" }).trim()).toBe("0");
});
