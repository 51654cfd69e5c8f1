import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { readPrefixFile } from "../../provider/prefixes";
import { run } from "./support";

const CLI = join(__dirname, "../../dist/provider/cli.js");
export const BLOCKED = "prefixset://edge/blocked";

export let folder: string;
export let nodes: Emulator[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "packetfilter-at-once-"));
  const state = { arenas: { edge: { sets: { blocked: {} } } } };
  nodes = await Promise.all([
    startEmulator({ state, dialect: "seed:4", commitLatency: "30ms" }),
    startEmulator({ state, dialect: "seed:34", commitLatency: "5ms..60ms" }),
  ]);
});
afterEach(async () => {
  await Promise.all(nodes.map((node) => node.close()));
  await rm(folder, { recursive: true });
});

export const at = (name: string) => join(folder, name);
export const write = (text: string) => writeFile(at("blocks.yaml"), text);
export const entries = () => readPrefixFile(at("blocks.yaml"), { allowEmpty: true });
export const held = () => nodes.map((node) => node.prefixSet(BLOCKED).applied);
const both = () => [
  "--file",
  "blocks.yaml",
  "--now",
  BLOCKED,
  "--timeout",
  "10m",
  ...nodes.flatMap((node) => ["--endpoint", node.endpoint]),
];
const REASON = ["--reason", "SYN flood", "--for", "2h"];
export const block = (host: string, ...more: string[]) => ["block", host, "--create", ...REASON, ...both(), ...more];
export const unblock = (host: string) => ["unblock", host, ...both()];

/**
 * Lets so many processes block and unblock four hosts at once, with values of their own; in the end file and nodes say the same, and another
 * writer's entry stays. The lock covers the file alone: a command whose value another one has changed on its way says so, and ends when
 * it is run again.
 */
export async function expectAgreement(count: number): Promise<void> {
  const OTHERS = { "192.0.2.0/24": 1 };
  for (const node of nodes) node.change(BLOCKED, { insert: OTHERS });
  await write("# ours\n203.0.113.9/32: 1\n");
  await run(block("203.0.113.9"), { folder });
  const calls = Array.from({ length: count }, (_, index) => {
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
  expect(overtaken.length).toBeLessThan(count / 2);
  for (const args of overtaken) expect(await run([...args], { folder })).toMatchObject({ code: 0 });
  const values = Object.fromEntries(Object.entries(entries()).map(([prefix, { value }]) => [prefix, value]));
  expect(values).toMatchObject({ "203.0.113.9/32": 1 });
  expect(held()).toEqual([
    { ...OTHERS, ...values },
    { ...OTHERS, ...values },
  ]);
  expect(await readFile(at("blocks.yaml"), "utf8")).toMatch(/^# ours\n/);
  expect(readdirSync(folder)).toEqual(["blocks.yaml"]);
}
