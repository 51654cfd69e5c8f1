import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { NodeClient, Prefix } from "../../provider/client";
import { sharedFolder } from "../../provider/deployment/other-processes";
import { SentBefore } from "../../provider/deployment/sent-before";
import { SentFiles } from "../../provider/deployment/sent-files";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { SENT, sentIn, sentPlace } from "../../provider/model/entry";
import { readPrefixFile } from "../../provider/prefixes";
import { useEmptyFolder } from "../support/folder";
import { run } from "./support";

const BLOCKED = "prefixset://edge/blocked";

const folder = useEmptyFolder();
let emulator: Emulator;
/** Called at each commit. */
let atCommit: () => void;
beforeEach(async () => {
  atCommit = () => {};
  emulator = await startEmulator({
    state: { arenas: { edge: { sets: { blocked: { "192.0.2.0/24": 1 } } } } },
    auth: { bearer: "node-secret" },
    onRequest: ({ cmd }) => {
      if (cmd === "commit") atCommit();
    },
  });
});
afterEach(async () => {
  await emulator.close();
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
  command("block", prefixes, [...REASON, "--create", ...more], env);
const sent = () => emulator.journal.map(({ cmd, entries }) => (entries ? `${cmd} ${entries}` : cmd));
const SET = { kind: "prefixset", arena: "edge", set: "blocked" } as const;

/** Requests of another writer, without a commit. */
async function staged(work: (client: NodeClient) => Promise<unknown>) {
  const client = new NodeClient({ endpoint: emulator.endpoint, headers: { authorization: "Bearer node-secret" } });
  await work(client);
  await client.close();
}

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
  await staged((client) => client.insert(SET, [["203.0.113.7", 1]]));
  emulator.clearJournal();
  expect(await block(["203.0.113.7"])).toMatchObject({
    code: 0,
    out: expect.stringContaining(
      "the list shows no change, and what was staged is committed, 1 entry needed no change.",
    ),
  });
  expect(sent()).toEqual(["list", "commit", "list"]);
  expect(emulator.prefixSet(BLOCKED).applied).toHaveProperty(["203.0.113.7/32"], 1);
});

describe("a removal that was left staged", () => {
  const OTHER = "192.0.2.0/24";
  const home = () => join(folder, "home");

  /** An `up` that has ended, and has noted the removal that it staged. */
  async function killedUp(folder: string) {
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    const notes = new SentBefore(new SentFiles(pid, folder), sentPlace(emulator.endpoint, BLOCKED));
    notes.noteChanged([Prefix.canonical(OTHER)]);
    await staged((client) => client.delete(SET, [OTHER]));
  }

  test.each([["block"], ["unblock"]])("by a killed up is not published by the commit of %s", async (name) => {
    expect((await block(["203.0.113.7"], [], { PULUMI_HOME: home() })).code).toBe(0);
    await killedUp(sharedFolder(home()));
    const more = name === "block" ? [...REASON, "--value", "5"] : [];
    expect((await command(name, ["203.0.113.7"], more, { PULUMI_HOME: home() })).code).toBe(0);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual(
      name === "block" ? { [OTHER]: 1, "203.0.113.7/32": 5 } : { [OTHER]: 1 },
    );
    expect(readdirSync(sharedFolder(home()))).toEqual([]);
  });

  test("by a killed up is not published without HOME either: both find the user's home", async () => {
    vi.stubEnv("HOME", folder);
    vi.stubEnv("PULUMI_HOME", undefined);
    await killedUp(sharedFolder());
    const blocked = await block(["203.0.113.7"], [], { HOME: "" });
    vi.unstubAllEnvs();
    expect(blocked.code).toBe(0);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ [OTHER]: 1, "203.0.113.7/32": 1 });
  });

  test("by unblock itself, whose commit failed, is not published by the commit of the next block", async () => {
    await block(["203.0.113.7"], [], { PULUMI_HOME: home() });
    emulator.fail({ cmd: "commit", status: 401, times: 9 });
    // The node does not take the removal back.
    emulator.fail({ cmd: "insert", status: 401, times: 9 });
    expect((await command("unblock", ["203.0.113.7"], [], { PULUMI_HOME: home() })).code).toBe(1);
    emulator.clearFaults();
    expect(emulator.prefixSet(BLOCKED).staged).toEqual({ [OTHER]: 1 });
    expect((await block(["203.0.113.9"], [], { PULUMI_HOME: home() })).code).toBe(0);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ [OTHER]: 1, "203.0.113.7/32": 1, "203.0.113.9/32": 1 });
  });
});

describe("what was committed is in the result, though another writer breaks the file meanwhile", () => {
  const breakFile = () => writeFileSync(join(folder, "blocks.yaml"), "203.0.113.7/32: [\n");

  test.each([
    ["block", ["203.0.113.9"], ["--value", "5", ...REASON]],
    ["unblock", ["203.0.113.7"], []],
  ])("%s", async (name, prefixes, more) => {
    await block(["203.0.113.7"]);
    atCommit = breakFile;
    const ended = await command(name, prefixes, [...more, "--output", "json"]);
    expect([ended.code, ended.err]).toEqual([1, expect.not.stringContaining("would fail again")]);
    expect(JSON.parse(ended.out).nodes).toMatchObject([
      { outcome: "not all", changed: 1, problems: [expect.stringContaining("blocks.yaml")] },
    ]);
  });

  test("expire, in sentences", async () => {
    await block(["203.0.113.7"]);
    const text = await readFile(join(folder, "blocks.yaml"), "utf8");
    await writeFile(join(folder, "blocks.yaml"), text.replace(/expires: .*/, "expires: 2026-01-01T00:00:00Z"));
    atCommit = breakFile;
    const ended = await command("block", ["expire"]);
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining("blocks.yaml")]);
    expect(ended.out).toContain(`${BLOCKED} on ${emulator.endpoint}: 1 entry changed and committed.`);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1 });
  });
});

test("a failing node leaves the file written; the error names the node, and says whether the same command can end it", async () => {
  emulator.fail({ cmd: "commit", status: 401, times: 9 });
  const ended = await block(["203.0.113.7"]);
  expect(ended.code).toBe(1);
  expect(ended.err).toContain(
    `Set ${BLOCKED} on ${emulator.endpoint.replace("http://", "")}: commit failed (HTTP 401)`,
  );
  expect(ended.err).toContain(
    "The file is written. 1 of 1 failed. 1 would fail again: correct the errors above first.",
  );
  expect(ended.out + ended.err).not.toContain("node-secret");
  expect(readPrefixFile(join(folder, "blocks.yaml"))).toHaveProperty(["203.0.113.7/32", "reason"], "SYN flood");
});

const NO_SET = "--now names a set: write prefixset://ARENA/SET or prefixset://ARENA/PROFILE/SET, ";

test.each([
  ["no node", [], { PACKETFILTER_ENDPOINT: "" }, 2, "Name the node"],
  ["no set", ["--now", "arena://edge"], {}, 2, `${NO_SET}not "arena://edge".`],
  ["no url", ["--now", "edge/blocked"], {}, 2, `${NO_SET}not "edge/blocked".`],
  ["a read-only place", [], { PACKETFILTER_READ_ONLY: "true" }, 1, "PACKETFILTER_READ_ONLY"],
] as const)("%s is told before anything is written", async (_, more, env, code, sentence) => {
  const ended = await block(["203.0.113.7"], [...more], env);
  expect(ended).toMatchObject({ code, out: "" });
  expect(ended.err).toContain(sentence);
  await expect(readFile(join(folder, "blocks.yaml"))).rejects.toThrow("ENOENT");
  expect(sent()).toEqual([]);
});

const held = () => readPrefixFile(join(folder, "blocks.yaml"), { allowEmpty: true });
const sentHere = (value: number) => `${value} ${BLOCKED} ${emulator.endpoint}`;

test("the file remembers what --now itself put there, never what was there before, until it is gone", async () => {
  await block(["203.0.113.7", "192.0.2.0/24"], ["--value", "1"]);
  expect(sentIn(held()["203.0.113.7/32"])).toBe(sentHere(1));
  expect(sentIn(held()["192.0.2.0/24"])).toBeUndefined();

  // Its own entry gets another value; another writer's entry stays one that was there before.
  await block(["203.0.113.7", "192.0.2.0/24"], ["--value", "5"]);
  expect(sentIn(held()["203.0.113.7/32"])).toBe(sentHere(5));
  expect(sentIn(held()["192.0.2.0/24"])).toBeUndefined();

  const back = await run(["unblock", "203.0.113.7", "192.0.2.0/24", ...FILE], { folder, env: {} });
  expect(back).toMatchObject({ code: 0, err: "" });
  expect(back.out).toContain(
    'blocks.yaml: 203.0.113.7/32 is no longer wanted, and stays in it as one that has expired until it is gone from 1 set into which "block --now" put it. The same command with --now removes it there.',
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
  expect(held()["203.0.113.7/32"]).toMatchObject({ reason: "SYN flood", [SENT]: sentHere(1) });
});

test("what was sent where is no output: a program that hands the entries on hands it to none", async () => {
  await block(["203.0.113.7"]);
  expect(sentIn(held()["203.0.113.7/32"])).toBe(sentHere(1));
  expect(JSON.parse(JSON.stringify(held()))).toEqual({
    "203.0.113.7/32": { value: 1, reason: "SYN flood", expires: expect.any(String) },
  });
});

test("a file that was edited is as the published schema says, and a misspelt value is not", async () => {
  await block(["203.0.113.7"]);
  const schema = z.fromJSONSchema(
    JSON.parse(await readFile(join(__dirname, "../../schemas/prefix-file.schema.json"), "utf8")),
  );
  const written: unknown = parse(await readFile(join(folder, "blocks.yaml"), "utf8"));
  expect(schema.safeParse(written).error).toBeUndefined();
  expect(schema.safeParse({ "203.0.113.7/32": { sent: `${BLOCKED} ${emulator.endpoint}` } }).success).toBe(false);
});

test("what was sent is one line of the entry, however many nodes have it", async () => {
  const state = { arenas: { edge: { sets: { blocked: {} } } } };
  await using one = await startEmulator({ state });
  await using other = await startEmulator({ state });
  const both = [one.endpoint, other.endpoint];
  const where = both.flatMap((endpoint) => ["--endpoint", endpoint]);
  const args = ["block", "203.0.113.7", "203.0.113.8", ...FILE, ...REASON, "--create", "--now", BLOCKED, ...where];
  expect(await run(args, { folder })).toMatchObject({ code: 0 });
  const lines = (await readFile(join(folder, "blocks.yaml"), "utf8")).trim().split("\n");
  // Which of the two was asked first is not said.
  const sent = expect.stringMatching(
    new RegExp(`^  sent: 1 ${BLOCKED} (${both.join(" ")}|${both.toReversed().join(" ")})$`),
  );
  const entry = ["  value: 1", "  reason: SYN flood", expect.stringMatching(/^ {2}expires: /), sent];
  expect(lines).toEqual(["203.0.113.7/32:", ...entry, "203.0.113.8/32:", ...entry]);
});

test("an array keeps it, too; anything else in its place is a problem", async () => {
  const file = join(folder, "blocks.json");
  await writeFile(file, '[\n  "198.51.100.0/24"\n]\n');
  await command("block", ["203.0.113.7"], [...REASON, "--file", "blocks.json"]);
  expect(sentIn(readPrefixFile(file)["203.0.113.7/32"])).toBe(sentHere(1));
  await writeFile(file, '{ "203.0.113.7": { "sent": "-1 prefixset://edge/blocked http://192.0.2.10" } }');
  expect(() => readPrefixFile(file)).toThrow(/blocks\.json:1:20: what was sent is not where block --now put it/);
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
    expect((await unblock(["192.0.2.0/24"])).out).toContain(`${other()}: nothing changed.`);
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
    expect(sentIn(held()["198.51.100.0/24"])).toBeUndefined();
    const gone = await unblock(["198.51.100.0/24"]);
    expect([gone.code, gone.err]).toEqual([
      1,
      expect.stringContaining("198.51.100.0/24 (value 7, in the file 1) was left"),
    ]);
    expect(applied()).toHaveProperty(["198.51.100.0/24"], 7);
    expect((await block(["198.51.100.0/24"], ["--force"])).code).toBe(0);
    expect(applied()).toHaveProperty(["198.51.100.0/24"], 1);
    expect(sentIn(held()["198.51.100.0/24"])).toBe(sentHere(1));
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
    expect(held()["203.0.113.7/32"]).toMatchObject({ value: 1, [SENT]: sentHere(1) });
    expect(await unblock(["203.0.113.7"])).toMatchObject({ code: 0, err: "" });
    expect([applied(), held()]).toEqual([{ "192.0.2.0/24": 1 }, {}]);
  });
});
