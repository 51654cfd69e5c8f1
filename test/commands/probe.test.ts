import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { useFolder } from "../support/folder";
import { serveRaw } from "../support/raw-server";
import { run } from "./support";

const BLOCKED = "prefixset://edge/blocked";

const SIGNALING = {
  signaling: {
    clients: [
      {
        clientId: "c1",
        secretKey: "receiver-secret",
        prefixes: ["198.51.100.0/24"],
        // An arena of its own: lists of marks would have to wait for their pace.
        arena: "core",
        idleProfile: "clean",
        activeProfile: "web",
      },
    ],
  },
};

const SIGNALING_STATE = {
  arenas: { edge: { sets: { blocked: {} } }, core: { profiles: { clean: {}, web: {} } } },
  ...SIGNALING,
};

let emulator: Emulator;
const folder = useFolder();
let env: Record<string, string>;
beforeAll(async () => {
  await mkdir(join(folder, "a-folder"));
  await symlink("elsewhere.json", join(folder, "a-link"));
  emulator = await startEmulator({
    state: { arenas: { edge: { sets: { blocked: { "192.0.2.0/24": 1 } } } } },
    auth: { bearer: "node-secret" },
  });
  env = {
    PACKETFILTER_ENDPOINT: emulator.endpoint,
    PACKETFILTER_HEADERS: '{"authorization":"Bearer node-secret"}',
  };
});
afterAll(async () => {
  await emulator.close();
});

test("without --write only lists are sent, and the table shows what was not asked", async () => {
  emulator.clearJournal();
  const { code, out, err } = await run(["probe", BLOCKED], { env });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(new Set(emulator.journal.map(({ cmd }) => cmd))).toEqual(new Set(["list", undefined]));
  expect(out).toMatch(/^list of a set {2,}observed {2,}1 entries of prefixset:\/\/edge\/blocked, under data;/m);
  expect(out).toMatch(/^list of marks {2,}skipped {2,}no profile is named, and none is listed$/m);
  expect(out).not.toContain("node-secret");
  expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
});

test("json is all that stands on standard output, and progress is for terminals", async () => {
  const { out, err } = await run(["probe", BLOCKED, "--output", "json"], { env, terminal: { columns: () => 80 } });
  expect(JSON.parse(out)).toMatchObject({
    node: {},
    dialect: { listEnvelope: "data", prefixKey: "p", unknownStatus: 404 },
    left: [],
  });
  expect(err).toMatch(/^This takes 15 min at most.*within 60 s\.\n1\/\d+ redirects\n/);
});

test("--out writes what an emulator takes as its dialect", async () => {
  await writeFile(join(folder, "node.json"), "an earlier result");
  expect(await run(["probe", BLOCKED, "--out", "node.json"], { env, folder })).toMatchObject({ code: 0, err: "" });
  const written = JSON.parse(await readFile(join(folder, "node.json"), "utf8"));
  await using copy = await startEmulator({ dialect: written.dialect });
  expect(copy.dialect).toEqual({ ...emulator.dialect, unknownForm: "json", credentialsForm: "json" });
});

test("--check writes no settings, so --out beside it is refused", async () => {
  const args = ["probe", BLOCKED, "--check", "node.json", "--out", "other.json"];
  const { code, err } = await run(args, { env, folder });
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining("leave --out out") });
});

test("--write and --signaling ask about the rest, and leave set and receiver as they were", async () => {
  await using node = await startEmulator({ state: SIGNALING_STATE, dialect: { hostBits: "mask" } });
  const args = ["probe", BLOCKED, "--write", "--signaling", "198.51.100.0/24", "--output", "json"];
  const { code, out, err } = await run(args, {
    env: {
      PACKETFILTER_ENDPOINT: node.endpoint,
      PACKETFILTER_SIGNALING_URL: node.signalingUrl,
      PACKETFILTER_CLIENT_ID: "c1",
      PACKETFILTER_SECRET_KEY: "receiver-secret",
    },
  });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(JSON.parse(out)).toMatchObject({ dialect: { hostBits: "mask", signalingErrors: "status" }, left: [] });
  expect(out).not.toContain("receiver-secret");
  expect(node.prefixSet(BLOCKED)).toEqual({ applied: {}, staged: {} });
  expect(node.signalings.c1 ?? []).toEqual([]);
});

test("a set with entries is not written to, and no earlier file is replaced", async () => {
  await writeFile(join(folder, "kept.json"), "earlier");
  const { code, err } = await run(["probe", BLOCKED, "--write", "--out", "kept.json"], { env, folder });
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining("--write needs a set that is empty") });
  expect(await readFile(join(folder, "kept.json"), "utf8")).toBe("earlier");
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1 });
});

test.each([
  [["probe"], 2, "Name a resource"],
  [["probe", "arena://edge", "--write"], 2, "--write needs a set that is empty: name one"],
  [["probe", "--signaling", "198.51.100.1/24"], 2, "--signaling: "],
  [
    ["probe", "--signaling", "198.51.100.0/24"],
    2,
    "Name the receiver: --signaling-url URL, packetfilter:signalingUrl of the stack, or PACKETFILTER_SIGNALING_URL.",
  ],
  [["probe", "--signaling", "198.51.100.0/24", "--node", "fra1"], 2, "--node goes with a resource."],
  [["probe", "--signaling", "198.51.100.0/24", "--timeout", "5s"], 2, "--timeout goes with a resource."],
  [["probe", "--signaling", "198.51.100.0/24", "--mark-pace", "off"], 2, "--mark-pace goes with a resource."],
  [["probe", BLOCKED, "--client-id", "c1"], 2, "--client-id goes with --signaling."],
  [["probe", "blocked"], 2, "is not a resource address"],
  [["probe", BLOCKED, "--check", "broken.json"], 2, "broken.json must be a JSON object with members of a node"],
  [["probe", BLOCKED, "--out", "a-folder"], 2, "a-folder is a folder, and a file is needed"],
  [["probe", BLOCKED, "--out", "a-link"], 2, "a-link is a symbolic link, which is not followed"],
  [["probe", BLOCKED, "--out", "no-folder/node.json"], 1, "no-folder/node.json: its folder does not exist"],
  [["probe", BLOCKED, "--endpoint", "http://127.0.0.1:1"], 1, "The probe ended early: "],
  [["probe", "prefixset://edge/nothing"], 1, "Still unknown: list of a set."],
] as const)("%s ends with %i", async (args, code, sentence) => {
  await writeFile(join(folder, "broken.json"), "{");
  // Credentials of the environment belong to the address that it names.
  const { PACKETFILTER_HEADERS: _, ...bare } = env;
  const ended = await run(args, { env: args.some((one) => one === "--endpoint") ? bare : env, folder });
  expect(ended.code).toBe(code);
  expect(ended.err).toContain(sentence);
});

test("what no setting and no switch expresses is said, and ends with 4, also where nothing is written", async () => {
  using node = await serveRaw((_, response) => response.end('{"data":[{"p":"10.1.0.0/16","v":1}]}'));
  const args = ["probe", BLOCKED, "--endpoint", node.url];
  const { code, out, err } = await run(args, { env: {}, folder });
  expect({ code, err }).toEqual({
    code: 4,
    err: expect.stringContaining("Seen, cannot be expressed: list of an unknown set."),
  });
  // A file that cannot be written adds its sentence, and hides none.
  const unwritten = await run([...args, "--out", "no-folder/node.json"], { env: {}, folder });
  expect([unwritten.code, unwritten.err.split("\n").slice(1)]).toEqual([4, err.split("\n")]);
  expect(out).toContain(
    "\nseen, cannot be expressed: list of an unknown set: no error: an unknown set looks like one that",
  );
});

test("a point that fails leaves a hole in what --out writes", async () => {
  const args = ["probe", "prefixset://edge/nothing"];
  const { code } = await run([...args, "--out", "holes.json"], { env, folder });
  expect(code).toBe(1);
  const written = JSON.parse(await readFile(join(folder, "holes.json"), "utf8"));
  expect(written).toMatchObject({ node: {}, unknown: { "set-list": "prefixset://edge/nothing is refused" } });
  await using copy = await startEmulator({ dialect: written.dialect });
  expect(copy.dialect.trailingSlash).toBe("any");
});

test("--write --keep tries a set that is in use, and leaves what it holds", async () => {
  const held = { "10.7.0.0/16": 1, "10.8.0.0/16": 9 };
  await using node = await startEmulator({
    state: { arenas: { edge: { sets: { blocked: held } } } },
    dialect: { hostBits: "mask" },
  });
  const args = ["probe", BLOCKED, "--endpoint", node.endpoint, "--write", "--keep", "--out", "kept-set.json"];
  const { code, err } = await run(args, { env: {}, folder });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(node.prefixSet(BLOCKED)).toEqual({ applied: held, staged: held });
  const written = JSON.parse(await readFile(join(folder, "kept-set.json"), "utf8"));
  expect(written.dialect.hostBits).toBe("mask");
  const alone = await run(["probe", BLOCKED, "--endpoint", node.endpoint, "--keep"], { env: {}, folder });
  expect(alone).toMatchObject({ code: 2, err: expect.stringContaining("--keep goes with --write.") });
});

test("what no known answer shows is unknown in the file, with the setting that the reader names", async () => {
  const rules = '{"data":[{"id":30,"url":"syn-flood"},{"id":31,"url":"count-all"}]}';
  let status = 200;
  using node = await serveRaw((_, response) => response.writeHead(status).end(rules));
  const args = ["probe", "profile://edge/web", "--endpoint", node.url];
  await run([...args, "--out", "unknown.json"], { env: {}, folder });
  const written = JSON.parse(await readFile(join(folder, "unknown.json"), "utf8"));
  expect(written.node).toEqual({});
  expect(written.unknown.profiles).toContain("answers.names");
  const checked = async (file: string) => {
    const arena = ["probe", "arena://edge", "--endpoint", node.url, "--check", file];
    const { code, out } = await run(arena, { env: {}, folder });
    return { code, out };
  };
  const row = (seen: string) => expect.stringMatching(new RegExp(`^list of arena://edge +${seen}`));
  // Not compared, and yet asked for: it does not hold at a node that refuses it or is off.
  expect(await checked("unknown.json")).toEqual({ code: 0, out: row("held +answered, not compared: ") });
  status = 403;
  expect(await checked("unknown.json")).toEqual({ code: 3, out: row("not held ") });
  node[Symbol.dispose]();
  await writeFile(join(folder, "off.json"), JSON.stringify({ ...written, node: { deadlineMs: 300 } }));
  expect(await checked("off.json")).toEqual({ code: 3, out: row("not held ") });
  await using copy = await startEmulator({ dialect: written.dialect });
  expect(copy.endpoint).toMatch(/^http/);
});

test("--settings says how a receiver answers", async () => {
  await using receiver = await startEmulator({ state: SIGNALING_STATE, dialect: { statusName: "active" } });
  const settings = { receiver: { url: `${receiver.signalingUrl}/`, answers: { name: "active" } } };
  await writeFile(join(folder, "settings.json"), JSON.stringify(settings));
  const args = ["probe", "--signaling", "198.51.100.0/24", "--settings", "settings.json", "--output", "json"];
  const env = {
    PACKETFILTER_SIGNALING_URL: receiver.signalingUrl,
    PACKETFILTER_CLIENT_ID: "c1",
    PACKETFILTER_SECRET_KEY: "receiver-secret",
  };
  const { code, out } = await run(args, { folder, env });
  expect({ code, receiver: JSON.parse(out).receiver }).toEqual({ code: 0, receiver: { answers: { name: "active" } } });
  await writeFile(join(folder, "settings.json"), '{"receiver":{"url":"http://192.0.2.1"}}');
  expect(await run(args, { folder, env })).toMatchObject({ code: 2, err: expect.stringContaining('Remove "url"') });
});
