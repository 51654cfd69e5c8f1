import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
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

const FILE = ["--file", "blocks.yaml"];
const command = (name: string, prefixes: string[], more: string[] = [], env: Record<string, string> = {}) =>
  run([name, ...prefixes, ...(more.includes("--file") ? [] : FILE), "--now", BLOCKED, ...more], {
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
  expect(first.out).toContain(
    `${BLOCKED} on ${emulator.endpoint}: 1 entry changed and committed, 1 entry needed no change.`,
  );
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

const held = () => readPrefixFile(join(folder, "blocks.yaml"), { allowEmpty: true });
const place = () => `${emulator.endpoint} ${BLOCKED}`;

test("the file remembers what --now itself put there, never what was there before, until it is gone", async () => {
  await block(["203.0.113.7", "192.0.2.0/24"], ["--value", "1"]);
  expect(held()["203.0.113.7/32"]?.sent).toEqual({ [place()]: 1 });
  expect(held()["192.0.2.0/24"]).not.toHaveProperty("sent");

  // Its own entry gets another value; another writer's entry stays one that was there before.
  await block(["203.0.113.7", "192.0.2.0/24"], ["--value", "5"]);
  expect(held()["203.0.113.7/32"]?.sent).toEqual({ [place()]: 5 });
  expect(held()["192.0.2.0/24"]).not.toHaveProperty("sent");

  const back = await run(["unblock", "203.0.113.7", "192.0.2.0/24", ...FILE], { folder, env: {} });
  expect(back).toMatchObject({ code: 0, err: "" });
  expect(back.out).toContain(
    `blocks.yaml keeps 203.0.113.7/32 as one that has expired, since "block --now" put it there: ${place()}. The next "pulumi up" removes it.`,
  );
  expect(Object.keys(held())).toEqual(["203.0.113.7/32"]);
  expect(Date.parse(held()["203.0.113.7/32"]?.expires ?? "")).toBeLessThanOrEqual(Date.now());

  expect(await command("unblock", ["203.0.113.7"])).toMatchObject({ code: 0, err: "" });
  expect(held()).toEqual({});
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 5 });
});

test("what --now puts on a node is in the file before it is sent", async () => {
  emulator.fail({ cmd: "commit", status: 401, times: 9 });
  expect((await block(["203.0.113.7"])).code).toBe(1);
  expect(held()["203.0.113.7/32"]).toMatchObject({ reason: "SYN flood", sent: { [place()]: 1 } });
});

test("a file that was edited is as the published schema says, and a misspelt value is not", async () => {
  await block(["203.0.113.7"]);
  const schema = z.fromJSONSchema(
    JSON.parse(await readFile(join(__dirname, "../../schemas/prefix-file.schema.json"), "utf8")),
  );
  const written: unknown = parse(await readFile(join(folder, "blocks.yaml"), "utf8"));
  expect(schema.safeParse(written).error).toBeUndefined();
  expect(schema.safeParse({ "203.0.113.7/32": { sent: { [place()]: "1" } } }).success).toBe(false);
});

test("an array keeps it, too; anything else in its place is a problem", async () => {
  const file = join(folder, "blocks.json");
  await writeFile(file, '[\n  "198.51.100.0/24"\n]\n');
  await command("block", ["203.0.113.7"], [...REASON, "--file", "blocks.json"]);
  expect(readPrefixFile(file)["203.0.113.7/32"]?.sent).toEqual({ [place()]: 1 });
  await writeFile(file, '{ "203.0.113.7": { "sent": { "http://192.0.2.10 prefixset://edge/blocked": -1 } } }');
  expect(() => readPrefixFile(file)).toThrow(/blocks\.json:1:20: what was sent is no object from/);
});

describe("what another writer put there stays", () => {
  const unblock = (prefixes: string[], more: string[] = []) => command("unblock", prefixes, more);
  const applied = () => emulator.prefixSet(BLOCKED).applied;
  const other = () => `${BLOCKED} on ${emulator.endpoint}`;

  test("an entry that the file never had is refused by name, and --force removes it", async () => {
    await block(["203.0.113.7"]);
    const refused = await unblock(["192.0.2.0/24", "203.0.113.7"]);
    expect(refused).toMatchObject({
      code: 1,
      err: `${other()}: 192.0.2.0/24 (value 1, never in the file) was left as it is, since another writer put it there. --force removes it.\n`,
    });
    expect(refused.out).toContain(`${other()}: 1 entry changed and committed.`);
    expect(applied()).toEqual({ "192.0.2.0/24": 1 });
    expect((await unblock(["192.0.2.0/24"], ["--force"])).code).toBe(0);
    expect(applied()).toEqual({});
  });

  test("another value is refused by name, and --force changes and removes it", async () => {
    emulator.change(BLOCKED, { insert: { "198.51.100.0/24": 7 } });
    const refused = await block(["198.51.100.0/24", "203.0.113.7"]);
    expect(refused).toMatchObject({
      code: 1,
      err: `${other()}: 198.51.100.0/24 (value 7, not 1) was left as it is, since another writer put it there. --force changes it.\n`,
    });
    expect(applied()).toEqual({ "192.0.2.0/24": 1, "198.51.100.0/24": 7, "203.0.113.7/32": 1 });
    expect(held()["198.51.100.0/24"]).not.toHaveProperty("sent");
    const gone = await unblock(["198.51.100.0/24"]);
    expect([gone.code, gone.err]).toEqual([
      1,
      expect.stringContaining("198.51.100.0/24 (value 7, in the file 1) was left"),
    ]);
    expect(applied()).toHaveProperty(["198.51.100.0/24"], 7);
    expect((await block(["198.51.100.0/24"], ["--force"])).code).toBe(0);
    expect(applied()).toHaveProperty(["198.51.100.0/24"], 1);
  });

  test("unblock names what still covers the address at the node, and ends with 1", async () => {
    await block(["192.0.2.7"]);
    expect(await unblock(["192.0.2.7"])).toMatchObject({
      code: 1,
      err: `${other()}: 192.0.2.7/32 is still covered by 192.0.2.0/24 (value 1).\n`,
    });
    expect(applied()).toEqual({ "192.0.2.0/24": 1 });
  });

  test("what unblock could not remove is removed by the same command again", async () => {
    await block(["203.0.113.7"]);
    await writeFile(join(folder, "blocks.yaml"), "203.0.113.7/32: 1\n");
    emulator.fail({ cmd: "delete", status: 401, times: 1 });
    expect((await unblock(["203.0.113.7"])).code).toBe(1);
    expect(held()["203.0.113.7/32"]).toMatchObject({ value: 1, sent: { [place()]: 1 } });
    expect(await unblock(["203.0.113.7"])).toMatchObject({ code: 0, err: "" });
    expect([applied(), held()]).toEqual([{ "192.0.2.0/24": 1 }, {}]);
  });
});
