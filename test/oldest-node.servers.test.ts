import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { startEmulator } from "../provider/emulator";
import { BUILD_TIMEOUT } from "./forwarder/support/servers";
import { useFolder } from "./support/folder";
import { root } from "./support/markdown";

/** The lowest that package.json allows, and the first that has node:sqlite without a flag. */
const OLDEST =
  /^>=([\d.]+)$/.exec(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).engines.node)?.[1] ?? "";
const WITH_SQLITE = "22.15.0";
const CLI = join(root, "dist/provider/cli.js");

const folder = useFolder();
const nodes = new Map<string, string>();

beforeAll(async () => {
  const { installNode } = await import("../tools/matrix/layouts.mjs");
  for (const version of [OLDEST, WITH_SQLITE])
    nodes.set(version, join(await installNode(join(folder, version), version), "node"));
}, BUILD_TIMEOUT);

/** A run of the command line by this Node. */
async function run(version: string, args: readonly string[]): Promise<{ code: number; text: string }> {
  const options = { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } };
  return promisify(execFile)(nodes.get(version) ?? "", [CLI, ...args], options).then(
    ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, text: stdout + stderr }),
  );
}

/** The commands that the help names. */
async function commands(version: string): Promise<string[]> {
  const { text } = await run(version, ["--help"]);
  const [, list = ""] = text.split(/^(?:Commands|Examples):$/m);
  return [...list.matchAll(/^ {2}([a-z-]+)/gm)]
    .map(([, name = ""]) => name)
    .filter((name) => !["help", "version"].includes(name));
}

test.each([OLDEST, WITH_SQLITE])("every command starts with Node %s", async (version) => {
  const names = await commands(version);
  expect(names).toEqual(expect.arrayContaining(["block", "emulator", "forward", "list", "probe"]));
  for (const name of names) {
    const { code, text } = await run(version, [name, "--help"]);
    expect([code, text], name).toEqual([0, expect.stringContaining(`Usage: pulumi-packetfilter ${name}`)]);
  }
});

test("the forwarder works with the first Node that has node:sqlite, and says what it lacks with an older one", async () => {
  await using emulator = await startEmulator();
  const { endpoint } = emulator;
  const config = {
    nodes: { fra1: { endpoint } },
    watch: [{ arena: "edge", types: ["shost"] }],
    sinks: [{ name: "disk", type: "file", path: "marks.ndjson" }],
  };
  await writeFile(join(folder, "forwarder.yaml"), JSON.stringify(config));
  const once = ["forward", "--once", "--config", "forwarder.yaml"];
  const old = await run(OLDEST, once);
  expect(old.text).toContain(`node:sqlite, which needs Node 22.15 or later; this is Node ${OLDEST}.`);
  expect(old.code).toBe(1);
  const { code, text } = await run(WITH_SQLITE, once);
  expect(code, text).toBe(0);
  expect(readFileSync(join(folder, "marks.ndjson"), "utf8")).toContain('"address":"203.0.113.9"');
});
