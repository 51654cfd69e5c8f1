import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { blocksOf, commandsOf, root } from "../support/markdown";

const blocks = blocksOf("README.md");
let folder: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "packetfilter-readme-"));
  await mkdir(join(folder, "backend"));
  await mkdir(join(folder, "node_modules"));
  await symlink(root, join(folder, "node_modules", "pulumi-packetfilter"));
  for (const name of ["@pulumi", "@types", "typescript"]) {
    await symlink(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
  env = {
    PATH: `${join(root, "node_modules", "node", "bin")}${delimiter}${process.env.PATH}`,
    HOME: folder,
    PULUMI_HOME: join(folder, "home"),
    PULUMI_BACKEND_URL: `file://${join(folder, "backend")}`,
    PULUMI_CONFIG_PASSPHRASE: "readme",
    PULUMI_SKIP_UPDATE_CHECK: "1",
    // What a person answers to the question of `pulumi up`.
    PULUMI_SKIP_CONFIRMATIONS: "true",
  };
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

test("the README's program and commands do what it says, against an emulator as it starts", async () => {
  await using emulator = await startEmulator();
  expect(emulator.prefixSet("prefixset://edge/blocked").applied).toEqual({});
  const program = blocks.find(({ tag }) => tag === "examples/quickstart/index.ts");
  const commands = commandsOf(blocks.filter(({ language, tag }) => language === "sh" && tag === "e2e"));
  expect(commands.length).toBeGreaterThan(5);
  await writeFile(join(folder, "Pulumi.yaml"), "name: readme\nruntime: nodejs\n");
  await writeFile(join(folder, "package.json"), '{ "name": "readme", "main": "index.ts", "private": true }');
  await writeFile(join(folder, "index.ts"), program?.text ?? "");

  const script = ["pulumi stack init dev", ...commands].join("\n");
  const located = script.replaceAll("127.0.0.1:8080", new URL(emulator.endpoint).host);
  const { stdout } = await promisify(execFile)("sh", ["-exc", located], { cwd: folder, env });

  const printed = blocks.filter(({ tag }, index) => tag === "output" && blocks[index - 1]?.tag === "e2e");
  expect(printed).toHaveLength(2);
  for (const { text } of printed) expect(stdout).toContain(text);
  expect(stdout).toMatch(/url *: "prefixset:\/\/edge\/blocked"/);
  expect(emulator.prefixSet("prefixset://edge/blocked").applied).toEqual({
    "192.0.2.0/24": 1,
    "203.0.113.7/32": 2,
    "2001:db8:bad::/48": 1,
  });
  expect(emulator.prefixSet("prefixset://edge/partners").applied).toMatchObject({ "203.0.113.4/32": 7 });
  expect(emulator.signalings).toMatchObject({ "client-a": ["198.51.100.7/32"] });
});
