import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NodeClient, parseUrl } from "../../provider/client";
import { LiveConfig } from "../../provider/forwarder/config/config";
import { readSettings } from "../../provider/settings/settings";
import { run } from "../commands/support";
import { type ShapedNode, startShapedNode } from "../support/shaped-node";
import { SET } from "../support/shapes/shape";

const READER = "exports.default = (body) => body.split('|').map((p) => ({ p }));";
const TOLD = /answers\.read \(\S*own\.cjs\) failed: Cannot find module/;

let folder: string;
let node: ShapedNode;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "packetfilter-read-"));
  await mkdir(join(folder, "settings"));
  await writeFile(join(folder, "settings", "own.cjs"), READER);
  node = await startShapedNode({ [SET]: {} }, { list: () => "192.0.2.0/24|198.51.100.7" });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await node[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** Output of `list`, or its error. */
async function list(args: readonly string[], env = {}) {
  const { code, out, err } = await run(["list", SET, "--output", "json", ...args], { folder, env });
  return code === 0 ? JSON.parse(out) : err.replace(/^listing .*\n/gm, "");
}

const ENTRIES = [
  { prefix: "192.0.2.0/24", value: 1 },
  { prefix: "198.51.100.7/32", value: 1, spelling: "198.51.100.7" },
];

it("a module that --settings names is looked for beside that file", async () => {
  const settings = { endpoint: node.endpoint, answers: { read: "./own.cjs" } };
  await writeFile(join(folder, "settings", "node.json"), JSON.stringify({ node: settings }));
  expect(await list(["--settings", "settings/node.json"])).toEqual(ENTRIES);
  await writeFile(join(folder, "node.json"), JSON.stringify(settings));
  expect(await list(["--settings", "node.json"])).toMatch(TOLD);
});

it("a module that a stack names is looked for beside its program", async () => {
  const program = join(folder, "program");
  await mkdir(program);
  await writeFile(join(program, "own.cjs"), READER);
  const answers = JSON.stringify({ read: "./own.cjs" });
  const config = { "packetfilter:endpoint": node.endpoint, "packetfilter:node": { answers } };
  await writeFile(join(folder, "Pulumi.yaml"), "name: p\nruntime: nodejs\nmain: program/\n");
  await writeFile(join(folder, "Pulumi.dev.yaml"), JSON.stringify({ config }));
  expect(await list([])).toEqual(ENTRIES);
});

it("a module that a forwarder's configuration names is looked for beside that file", async () => {
  const file = join(folder, "settings", "forwarder.yaml");
  const nodes = { fra1: { endpoint: node.endpoint, answers: { read: "./own.cjs" } } };
  await writeFile(
    file,
    JSON.stringify({ nodes, watch: [{ arena: "edge" }], sinks: [{ name: "out", type: "stdout" }] }),
  );
  const config = await LiveConfig.ofFile(file, {});
  const client = new NodeClient(config.node("fra1"));
  const listed = await client.listPrefixSet(parseUrl(SET) as Parameters<NodeClient["listPrefixSet"]>[0]);
  expect(listed.map(({ prefix }) => prefix.toString())).toEqual(["192.0.2.0/24", "198.51.100.7/32"]);
  await client.close();
});

it("a module that a program of the client's names is looked for in the working folder", async () => {
  const client = new NodeClient({ endpoint: node.endpoint, answers: { read: "./own.cjs" } });
  await expect(client.listProfiles("edge")).rejects.toThrow(/./);
  await expect(client.listPrefixSet(parseUrl(SET) as never)).rejects.toThrow(TOLD);
  await client.close();
});

describe("a module that the operator did not allow is loaded nowhere", () => {
  const ran = () => existsSync(join(folder, "ran"));
  const readerIn = async (...path: string[]) => {
    const file = join(folder, ...path);
    await writeFile(file, `require("node:fs").writeFileSync(${JSON.stringify(join(folder, "ran"))}, "");\n${READER}`);
    return file;
  };
  const forwarder = async (read: string) => {
    const config = {
      nodes: { fra1: { endpoint: node.endpoint, answers: { read } } },
      watch: [{ arena: "edge" }],
      sinks: [{ name: "out", type: "stdout" }],
    };
    await writeFile(join(folder, "forwarder.yaml"), JSON.stringify(config));
    const { code, err } = await run(["forward", "--check", "--config", join(folder, "forwarder.yaml")], { folder });
    // The operator may set the variable later: that is no mistake in the file.
    expect(code).toBeLessThan(2);
    return code === 0 ? ENTRIES : err;
  };
  const client = async (read: string) => {
    const client = new NodeClient({ endpoint: node.endpoint, answers: { read } });
    return client
      .listPrefixSet(parseUrl(SET) as never)
      .then(() => ENTRIES, String)
      .finally(() => client.close());
  };
  const settings = async (read: string) => {
    await writeFile(join(folder, "node.json"), JSON.stringify({ endpoint: node.endpoint, answers: { read } }));
    return list(["--settings", "node.json"]);
  };
  const stack = async (read: string) => {
    await writeFile(join(folder, "Pulumi.yaml"), "name: p\nruntime: nodejs\n");
    const config = { "packetfilter:nodes": { fra1: { endpoint: node.endpoint, answers: { read } } } };
    await writeFile(join(folder, "Pulumi.dev.yaml"), JSON.stringify({ config }));
    return list(["--node", "fra1"]);
  };
  const program = async (read: string) => {
    const check = () => readSettings(() => undefined, {}).node({ endpoint: node.endpoint, answers: { read } });
    return Promise.resolve()
      .then(check)
      .then(() => ENTRIES, String);
  };

  it.each<[name: string, allowed: string | undefined, isAllowed: boolean]>([
    ["no variable", undefined, false],
    ["the empty text", "", false],
    ["0", "0", false],
    ["true", "true", false],
    ["its folder", "FOLDER", false],
    ["another module", "FOLDER/other.cjs", false],
    ["1", "1", true],
    ["its path", "FOLDER/own.cjs", true],
    ["its path among others, in another spelling", "./other.cjs, FOLDER/settings/../own.cjs", true],
  ])("by %s", async (_, allowed, isAllowed) => {
    const read = await readerIn("own.cjs");
    vi.stubEnv("PACKETFILTER_ALLOW_CODE", allowed?.replaceAll("FOLDER", folder));
    const found = [];
    for (const way of [client, settings, stack, program, forwarder]) found.push(await way(read));
    const answer = isAllowed ? ENTRIES : expect.stringContaining(`Set it to ${read} in the environment of the run`);
    expect(found).toEqual([answer, answer, answer, answer, answer]);
    expect(ran()).toBe(isAllowed);
  });

  it("a folder that is named, and would choose a module itself, is none", async () => {
    await readerIn("settings", "index.js");
    vi.stubEnv("PACKETFILTER_ALLOW_CODE", join(folder, "settings"));
    expect(await client(join(folder, "settings"))).toContain("PACKETFILTER_ALLOW_CODE does not name it");
    expect(ran()).toBe(false);
  });
});
