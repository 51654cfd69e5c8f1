import { execFile, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { readPrefixFile } from "../../provider/prefixes";
import { useEmptyFolder } from "../support/folder";
import { run } from "./support";

const CLI = join(__dirname, "../../dist/provider/cli.js");
const BLOCKED = "prefixset://edge/blocked";

const folder = useEmptyFolder();
const nodes: Emulator[] = [];
beforeEach(async () => {
  const state = { arenas: { edge: { sets: { blocked: {} } } } };
  nodes.push(
    await startEmulator({ state, dialect: "seed:4", commitLatency: "30ms" }),
    await startEmulator({ state, dialect: "seed:34", commitLatency: "5ms..60ms" }),
  );
});
afterEach(async () => void (await Promise.all(nodes.splice(0).map((node) => node.close()))));

const at = (name: string) => join(folder, name);
const write = (text: string) => writeFile(at("blocks.yaml"), text);
const entries = () => readPrefixFile(at("blocks.yaml"), { allowEmpty: true });
const held = () => nodes.map((node) => node.prefixSet(BLOCKED).applied);
const NOW = ["--file", "blocks.yaml", "--now", BLOCKED, "--timeout", "10m"];
const both = () => [...NOW, ...nodes.flatMap((node) => ["--endpoint", node.endpoint])];
const REASON = ["--reason", "SYN flood", "--for", "2h"];
const block = (host: string, ...more: string[]) => ["block", host, "--create", ...REASON, ...both(), ...more];
const unblock = (host: string) => ["unblock", host, ...both()];

// The lock covers the file alone: a command whose value another one has changed on its way says so, and ends when it is run again.
test("of six processes at once at two slow nodes, which block and unblock four hosts, file and nodes say the same in the end, and another writer's entry stays", async () => {
  const OTHERS = { "192.0.2.0/24": 1 };
  for (const node of nodes) node.change(BLOCKED, { insert: OTHERS });
  await write("# ours\n203.0.113.9/32: 1\n");
  await run(block("203.0.113.9"), { folder });
  const calls = Array.from({ length: 6 }, (_, index) => {
    const host = `203.0.113.${1 + (index % 4)}`;
    const args = index % 2 === 0 ? block(host, "--value", String(index)) : unblock(host);
    return { args, ended: promisify(execFile)(process.execPath, [CLI, ...args], { cwd: folder }) };
  });
  const overtaken: (readonly string[])[] = [];
  const ends = await Promise.allSettled(calls.map(({ ended }) => ended));
  for (const [index, end] of ends.entries()) {
    if (end.status === "fulfilled") continue;
    expect(end.reason.stderr).toMatch(
      /another writer|the node's list (does not show|still shows|shows another value)/i,
    );
    overtaken.push(calls[index]?.args ?? []);
  }
  expect(overtaken.length).toBeLessThan(calls.length / 2);
  for (const args of overtaken) expect(await run([...args], { folder })).toMatchObject({ code: 0 });
  const values = Object.fromEntries(Object.entries(entries()).map(([prefix, { value }]) => [prefix, value]));
  expect(values).toMatchObject({ "203.0.113.9/32": 1 });
  expect(held()).toEqual([
    { ...OTHERS, ...values },
    { ...OTHERS, ...values },
  ]);
  expect(await readFile(at("blocks.yaml"), "utf8")).toMatch(/^# ours\n/);
  expect(readdirSync(folder)).toEqual(["blocks.yaml"]);
}, 120_000);

/** Lets a command wait for the file, which another process holds and edits meanwhile. */
async function whileItWaits(args: readonly string[], edited: string) {
  const owner = { host: hostname(), pid: process.pid, since: new Date().toISOString(), id: randomUUID() };
  await writeFile(at("blocks.yaml.lock"), JSON.stringify(owner));
  const ended = run(args, { folder });
  // What the nodes hold is asked for before the file is edited.
  while (nodes.some(({ journal }) => journal.every(({ cmd }) => cmd !== "list"))) await new Promise(setImmediate);
  const script = "require('node:fs').writeFileSync(process.argv[1], process.argv[2])";
  spawnSync(process.execPath, ["-e", script, at("blocks.yaml"), edited]);
  expect(nodes.flatMap(({ journal }) => journal.filter(({ cmd }) => cmd !== undefined && cmd !== "list"))).toEqual([]);
  await rm(at("blocks.yaml.lock"));
  return ended;
}

test("what another process wrote while the command waited for the file is what it sends, and stays", async () => {
  await write("203.0.113.7/32: 1\n");
  const ended = await whileItWaits(block("203.0.113.7"), "# night shift\n203.0.113.7/32: 9\n198.51.100.1/32: 4\n");
  expect(ended).toMatchObject({ code: 0, err: "" });
  expect(held()).toEqual([{ "203.0.113.7/32": 9 }, { "203.0.113.7/32": 9 }]);
  expect(entries()).toMatchObject({
    "203.0.113.7/32": { value: 9, reason: "SYN flood" },
    "198.51.100.1/32": { value: 4 },
  });
  expect(await readFile(at("blocks.yaml"), "utf8")).toMatch(/^# night shift\n/);
});

test("a value that another process wrote meanwhile is the file's own, so that unblock removes it", async () => {
  await write("203.0.113.7/32: 1\n198.51.100.1/32: 4\n");
  for (const node of nodes) node.change(BLOCKED, { insert: { "203.0.113.7/32": 9 } });
  const ended = await whileItWaits(unblock("203.0.113.7"), "203.0.113.7/32: 9\n198.51.100.1/32: 4\n");
  expect(ended).toMatchObject({ code: 0, err: "" });
  expect([held(), Object.keys(entries())]).toEqual([[{}, {}], ["198.51.100.1/32"]]);
});

test("an expired entry that another process blocks again meanwhile stays", async () => {
  const over = 'expires: "2020-01-31T18:00:00Z"';
  const places = nodes.map(({ endpoint }) => endpoint).join(" ");
  const sent = `203.0.113.7/32: { value: 1, ${over}, sent: "1 ${BLOCKED} ${places}" }\n`;
  await write(`${sent}198.51.100.1/32: { value: 1, ${over} }\n`);
  const expire = ["block", "expire", "--file", "blocks.yaml", "--now", "--timeout", "10m"];
  const again = `${sent}198.51.100.1/32: { value: 1, expires: "2099-01-31T18:00:00Z" }\n`;
  const ended = await whileItWaits([...expire, ...nodes.flatMap(({ endpoint }) => ["--endpoint", endpoint])], again);
  expect(ended).toMatchObject({ code: 0, err: "" });
  expect(ended.out).toContain("203.0.113.7/32, whose time is over, is taken out.");
  expect(ended.out).toContain("198.51.100.1/32, whose time was over, stays in it: another command gave it more.");
  expect(Object.keys(entries())).toEqual(["198.51.100.1/32"]);
});
