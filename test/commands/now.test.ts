import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NodeClient } from "../../provider/client";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { readPrefixFile } from "../../provider/prefixes";
import { run } from "./support";

const BLOCKED = "prefixset://edge/blocked";

let folder: string;
let emulator: Emulator;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "packetfilter-now-"));
  emulator = await startEmulator({
    state: { arenas: { edge: { sets: { blocked: { "192.0.2.0/24": 1 } } } } },
    auth: { bearer: "node-secret" },
  });
});
afterEach(async () => {
  await emulator.close();
  await rm(folder, { recursive: true });
});

const command = (name: string, prefixes: string[], more: string[] = [], env: Record<string, string> = {}) =>
  run([name, ...prefixes, "--file", "blocks.yaml", "--now", BLOCKED, ...more], {
    folder,
    env: {
      PACKETFILTER_ENDPOINT: emulator.endpoint,
      PACKETFILTER_HEADERS: '{"authorization":"Bearer node-secret"}',
      ...env,
    },
  });
const REASON = ["--reason", "SYN flood", "--for", "2h"];
const block = (prefixes: string[], more: string[] = [], env = {}) =>
  command("block", prefixes, [...REASON, ...more], env);
const sent = () => emulator.journal.map(({ cmd, entries }) => (entries ? `${cmd} ${entries}` : cmd));

test("--now sends only what is missing, commits once and confirms; unblock removes it", async () => {
  const first = await block(["203.0.113.7", "192.0.2.0/24"]);
  expect(first).toMatchObject({ code: 0, err: "" });
  expect(first.out).toContain(`${BLOCKED} on ${emulator.endpoint}: 1 entry changed and committed, 1 was so before.`);
  expect(sent()).toEqual(["list", "insert 1", "commit", "list"]);
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1, "203.0.113.7/32": 1 });

  emulator.clearJournal();
  expect((await block(["203.0.113.7"])).code).toBe(0);
  expect(sent()).toEqual(["list", "commit", "list"]);

  emulator.clearJournal();
  expect((await block(["203.0.113.7"], ["--value", "5"])).code).toBe(0);
  expect(sent()).toEqual(["list", "insert 1", "commit", "list"]);

  emulator.clearJournal();
  expect(await command("unblock", ["203.0.113.7"])).toMatchObject({ code: 0, err: "" });
  expect(sent()).toEqual(["list", "delete 1", "commit", "list"]);
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1 });
});

test("what a killed command staged is committed, on a node that lists what is staged", async () => {
  emulator.setDialect({ listShows: "staged" });
  const client = new NodeClient({ endpoint: emulator.endpoint, headers: { authorization: "Bearer node-secret" } });
  await client.insert({ kind: "prefixset", arena: "edge", set: "blocked" }, [["203.0.113.7", 1]]);
  await client.close();
  emulator.clearJournal();
  expect((await block(["203.0.113.7"])).code).toBe(0);
  expect(sent()).toEqual(["list", "commit", "list"]);
  expect(emulator.prefixSet(BLOCKED).applied).toHaveProperty(["203.0.113.7/32"], 1);
});

test("a failing node leaves the file written; the error names the node and the remedy", async () => {
  emulator.fail({ cmd: "commit", status: 401, times: 9 });
  const ended = await block(["203.0.113.7"]);
  expect(ended.code).toBe(1);
  expect(ended.err).toContain(`The file is written; the node ${emulator.endpoint} may not have ${BLOCKED} so yet`);
  expect(ended.err).toContain('run the same command again, or "pulumi up"');
  expect(ended.out + ended.err).not.toContain("node-secret");
  expect(readPrefixFile(join(folder, "blocks.yaml"))).toHaveProperty(["203.0.113.7/32", "reason"], "SYN flood");
});

test.each([
  ["no node", [], { PACKETFILTER_ENDPOINT: "" }, 2, "Say which node"],
  ["no set", ["--now", "arena://edge"], {}, 2, "--now names a set"],
  ["no url", ["--now", "blocked"], {}, 2, "--now: "],
  ["a read-only place", [], { PACKETFILTER_READ_ONLY: "true" }, 1, "PACKETFILTER_READ_ONLY"],
] as const)("%s is told before anything is written", async (_, more, env, code, sentence) => {
  const ended = await block(["203.0.113.7"], [...more], env);
  expect(ended).toMatchObject({ code, out: "" });
  expect(ended.err).toContain(sentence);
  await expect(readFile(join(folder, "blocks.yaml"))).rejects.toThrow("ENOENT");
  expect(sent()).toEqual([]);
});
