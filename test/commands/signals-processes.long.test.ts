import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { sentIn } from "../../provider/model/entry";
import { readPrefixFile } from "../../provider/prefixes";
import { useEmptyFolder } from "../support/folder";
import { serveRaw } from "../support/raw-server";
import { run } from "./support";

const BLOCKED = "prefixset://edge/blocked";
const NOW = ["--file", "blocks.yaml", "--now", BLOCKED, "--node", "fra1"];

const folder = useEmptyFolder();
/** Takes requests, and answers none. */
let silent: Awaited<ReturnType<typeof serveRaw>>;
let asked: () => void;
let isAsked: Promise<void>;
beforeEach(async () => {
  isAsked = new Promise((resolve) => {
    asked = resolve;
  });
  silent = await serveRaw(() => asked());
  await write("Pulumi.dev.yaml", `config:\n  packetfilter:nodes: { fra1: { endpoint: "${silent.url}" } }\n`);
});
afterEach(async () => {
  silent[Symbol.dispose]();
});

const write = (name: string, content: string) => writeFile(join(folder, name), content);

const CLI = join(__dirname, "../../dist/provider/cli.js");

/** A command as a process of its own, once it has asked the node. */
async function started(...args: string[]) {
  const child = spawn(process.execPath, [CLI, ...args], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const said = { out: "", err: "" };
  child.stdout.on("data", (text) => {
    said.out += text;
  });
  child.stderr.on("data", (text) => {
    said.err += text;
  });
  const ended = once(child, "close");
  await isAsked;
  return { child, ended, said };
}

const HELD = "203.0.113.1/32: { value: 1 }\n";

/** Lets a command take the lock and keep it: its second reading of the file, a pipe, comes to no end. */
async function holding(...args: string[]) {
  await rm(join(folder, "blocks.yaml"), { force: true });
  await promisify(execFile)("mkfifo", [join(folder, "blocks.yaml")]);
  asked();
  const { child, ended } = await started(...args, "--file", "blocks.yaml");
  await writeFile(join(folder, "blocks.yaml"), HELD);
  await expect.poll(locks, { timeout: 20_000 }).toEqual(["blocks.yaml.lock"]);
  return { child, ended };
}

const locks = () => readdirSync(folder).filter((name) => name.includes(".lock"));

describe.each(["SIGINT", "SIGTERM"] as const)("a second %s", (signal) => {
  test.each([
    ["block", ["block", "203.0.113.7", "--reason", "r", "--permanent"]],
    ["unblock", ["unblock", "203.0.113.1"]],
  ])("ends %s at once, in the middle of an edit, and leaves no lock behind", async (_, args) => {
    const { child, ended } = await holding(...args);
    // Two that wait together are one.
    while (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(await ended).toEqual([null, signal]);
    expect(locks()).toEqual([]);
  });
});

describe("two signals", () => {
  test.each([
    ["block expire", [...NOW]],
    ["import", [BLOCKED, "--node", "fra1", "--out", "imported"]],
    ["capture", ["edge", "--node", "fra1"]],
    ["probe", [BLOCKED, "--node", "fra1", "--write"]],
    ["forward", ["--once", "--config", "forward.yaml"]],
  ])("end %s, and leave no lock behind", async (name, words) => {
    await write("blocks.yaml", '203.0.113.1/32: { expires: "2020-01-01T00:00:00Z" }\n');
    await write(
      "forward.yaml",
      `nodes: { fra1: { endpoint: "${silent.url}" } }\nwatch: [{ arena: edge }]\nstate: spool\nsinks: [{ name: disk, type: file, path: marks }]\n`,
    );
    const { child, ended } = await started(...name.split(" "), ...words);
    child.kill("SIGINT");
    child.kill("SIGTERM");
    const [code, by] = await ended;
    // Either the first one has ended it, or the second has.
    expect([130, 143, "SIGINT", "SIGTERM"]).toContain(code ?? by);
    expect(locks()).toEqual([]);
  });

  test("end a probe that takes back what it wrote, and --clean does the rest", async () => {
    await using node = await startEmulator({ state: { arenas: { edge: { sets: { blocked: {} } } } } });
    await write("Pulumi.dev.yaml", `config:\n  packetfilter:nodes: { fra1: { endpoint: "${node.endpoint}" } }\n`);
    for (const cmd of ["insert", "delete"] as const) node.fail({ cmd, kind: "silence" });
    const count = (cmd: string) => node.journal.filter((one) => one.cmd === cmd).length;
    asked();
    const { child, ended } = await started("probe", BLOCKED, "--node", "fra1", "--write");
    await expect.poll(() => count("insert"), { timeout: 20_000 }).toBe(1);
    child.kill("SIGINT");
    await expect.poll(() => count("delete"), { timeout: 20_000 }).toBe(1);
    child.kill("SIGINT");
    expect(await ended).toEqual([null, "SIGINT"]);
    expect(await run(["probe", "--clean", "--node", "fra1"], { folder })).toMatchObject({ code: 0 });
    expect([node.prefixSet(BLOCKED).applied, readdirSync(folder)]).toEqual([{}, ["Pulumi.dev.yaml"]]);
  });
});

test.each(["insert", "commit"])(
  "what a command that was killed after its %s put on a node is in the file, and the next unblock removes it",
  async (last) => {
    await using node = await startEmulator({
      state: { arenas: { edge: { sets: { blocked: {} } } } },
      commitLatency: "300ms",
    });
    await write("Pulumi.dev.yaml", `config:\n  packetfilter:nodes: { fra1: { endpoint: "${node.endpoint}" } }\n`);
    await write("blocks.yaml", HELD);
    asked();
    const { child, ended } = await started("block", "203.0.113.7", ...NOW, "--reason", "r", "--permanent");
    await expect.poll(() => node.journal.some((one) => one.cmd === last), { timeout: 20_000 }).toBe(true);
    child.kill("SIGKILL");
    await ended;
    expect(sentIn(readPrefixFile(join(folder, "blocks.yaml"))["203.0.113.7/32"])).toBe(`1 ${BLOCKED} ${node.endpoint}`);
    expect((await run(["unblock", "203.0.113.7", ...NOW], { folder })).code).toBe(0);
    expect(node.prefixSet(BLOCKED).applied).toEqual({});
    expect(Object.keys(readPrefixFile(join(folder, "blocks.yaml")))).toEqual(["203.0.113.1/32"]);
    expect(locks()).toEqual([]);
  },
);
