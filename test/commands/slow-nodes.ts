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
  ...nodes.flatMap((node) => ["--endpoint", node.endpoint]),
];
const REASON = ["--reason", "SYN flood", "--for", "2h"];
export const block = (host: string, ...more: string[]) => ["block", host, ...REASON, ...both(), ...more];
export const unblock = (host: string) => ["unblock", host, ...both()];

/** So many processes block and unblock four hosts at once; in the end file and nodes say the same, and another writer's entry stays. */
export async function expectAgreement(count: number): Promise<void> {
  const OTHERS = { "192.0.2.0/24": 1 };
  for (const node of nodes) node.change(BLOCKED, { insert: OTHERS });
  await write("# ours\n203.0.113.9/32: 1\n");
  await run(block("203.0.113.9"), { folder });
  const calls = Array.from({ length: count }, (_, index) => {
    const host = `203.0.113.${1 + (index % 4)}`;
    const args = index % 2 === 0 ? block(host, "--value", String(index)) : unblock(host);
    return promisify(execFile)(process.execPath, [CLI, ...args], { cwd: folder });
  });
  expect((await Promise.allSettled(calls)).filter(({ status }) => status === "rejected")).toEqual([]);
  const values = Object.fromEntries(Object.entries(entries()).map(([prefix, { value }]) => [prefix, value]));
  expect(values).toMatchObject({ "203.0.113.9/32": 1 });
  expect(held()).toEqual([
    { ...OTHERS, ...values },
    { ...OTHERS, ...values },
  ]);
  expect(await readFile(at("blocks.yaml"), "utf8")).toMatch(/^# ours\n/);
  expect(readdirSync(folder)).toEqual(["blocks.yaml"]);
}
