import { expect, test } from "vitest";
import {
  DIALECTS,
  type DialectSettings,
  deviations,
  dialect,
  singleSwitchDialects,
  startEmulator,
} from "../../provider/emulator";
import { BLOCKED, fapi, list, signaling } from "./calls";

const state = {
  arenas: {
    edge: { sets: { blocked: { "192.0.2.0/24": 1, "203.0.113.4/32": 7 }, empty: {} }, profiles: { web: {} } },
  },
};
const start = (settings: DialectSettings) => startEmulator({ state, dialect: settings });

test.each<[DialectSettings, unknown]>([
  [{ listEnvelope: "array", emptyList: "null" }, []],
  [{ listEnvelope: "keyed", emptyList: "array" }, []],
  [{ listEnvelope: "data.items", entryForm: "keyed", emptyList: "null" }, { data: { items: null } }],
])("%j lists an empty set", async (settings, expected) => {
  await using emulator = await start(settings);
  expect((await fapi(emulator, { url: "prefixset://edge/empty", cmd: "list" })).json).toEqual(expected);
});

test.each<[DialectSettings, object, RegExp, status?: number]>([
  [{ insertExisting: "error" }, { cmd: "insert", data: [{ p: "192.0.2.0/24", v: 2 }] }, /exists/],
  [
    { insertExisting: "error", existsStatus: 409 },
    { cmd: "insert", data: [{ p: "192.0.2.0/24", v: 2 }] },
    /^entry 0: exists: 192/,
    409,
  ],
  [
    { deleteAbsent: "error", absentStatus: 404 },
    { cmd: "delete", data: [{ a: "192.0.2.0/25" }] },
    /^entry 0: not found: 192/,
    404,
  ],
  [
    { deleteAbsent: "error", deleteCovers: "covered" },
    { cmd: "delete", data: [{ a: "198.51.100.0/24" }] },
    /not found/,
  ],
  [{ emptyCommit: "error" }, { cmd: "commit" }, /nothing to commit/],
  [{ emptyCommit: "error", nothingStagedStatus: 409 }, { cmd: "commit" }, /nothing to commit/, 409],
  [{ ipv6: "error" }, { cmd: "insert", data: [{ p: "2001:db8::/32", v: 1 }] }, /IPv6/],
  [
    { maxValue: 255, refusedEntryStatus: 422 },
    { cmd: "insert", data: [{ p: "198.51.100.0/24", v: 256 }] },
    /^entry 0: "v" must be an integer from 0 to 255, it is 256$/,
    422,
  ],
  [{ trailingSlash: "strict" }, { cmd: "commit" }, /"\/"/],
  [{ trailingSlash: "strict" }, { cmd: "list", url: `${BLOCKED}/` }, /"\/"/],
  [
    { maxEntriesPerRequest: 1, capStatus: 400 },
    { cmd: "delete", data: [{ a: "192.0.2.0/24" }, { a: "203.0.113.4" }] },
    /too many/,
  ],
  [{ userArena: "required" }, { cmd: "list", url: "mark://edge/web", type: "shost" }, /User-Arena: edge/],
  [
    { userArena: "required", userArenaStatus: 403 },
    { cmd: "list", url: "mark://edge/web", type: "conn" },
    /User-Arena: edge/,
    403,
  ],
])("%j refuses %j", async (settings, command, reason, status = 400) => {
  await using emulator = await start(settings);
  const otherArena = { "user-arena": "core" };
  const answer = await fapi(emulator, { url: BLOCKED, ...command }, otherArena);
  expect(answer).toMatchObject({ status, json: { error: expect.stringMatching(reason) } });
  await using lenient = await start({});
  expect((await fapi(lenient, { url: BLOCKED, ...command }, otherArena)).status).toBe(200);
});

test("too many entries are answered 413, too many for the set 507", async () => {
  await using emulator = await start({ maxEntriesPerRequest: 1 });
  const data = [
    { p: "198.51.100.0/25", v: 1 },
    { p: "198.51.100.128/25", v: 1 },
  ];
  expect((await fapi(emulator, { url: BLOCKED, cmd: "insert", data })).status).toBe(413);
  emulator.setDialect({ setCapacity: 3 });
  expect((await fapi(emulator, { url: BLOCKED, cmd: "insert", data })).status).toBe(507);
  expect((await fapi(emulator, { url: BLOCKED, cmd: "insert", data: data.slice(1) })).status).toBe(200);
});

test("a node that lists staged entries shows them before the commit", async () => {
  await using emulator = await start({ listShows: "staged" });
  await fapi(emulator, { url: BLOCKED, cmd: "delete", data: [{ a: "192.0.2.0/24" }] });
  expect((await fapi(emulator, list)).json).toEqual({ data: [{ p: "203.0.113.4/32", v: 7 }] });
  expect(emulator.prefixSet(BLOCKED).applied).toHaveProperty(["192.0.2.0/24"], 1);
});

test("host bits are masked, or kept as they were sent and deleted in that spelling only", async () => {
  await using emulator = await start({ hostBits: "mask" });
  const insert = { url: BLOCKED, cmd: "insert", data: [{ p: "198.51.100.7/24", v: 3 }] };
  await fapi(emulator, insert);
  expect(emulator.prefixSet(BLOCKED).staged).toHaveProperty(["198.51.100.0/24"], 3);

  emulator.reset();
  emulator.setDialect({ hostBits: "keep" });
  const commit = { url: BLOCKED, cmd: "commit" };
  await fapi(emulator, insert);
  await fapi(emulator, commit);
  expect((await fapi(emulator, list)).json).toMatchObject({
    data: [{ p: "192.0.2.0/24" }, { p: "198.51.100.7/24" }, {}],
  });
  await fapi(emulator, { url: BLOCKED, cmd: "delete", data: [{ a: "198.51.100.0/24" }] });
  expect(emulator.prefixSet(BLOCKED).staged).toHaveProperty(["198.51.100.0/24"], 3);
  // A spelling is staged, committed and lost with its entry.
  const listed = async () => (await fapi(emulator, list)).json;
  const before = await listed();
  await fapi(emulator, { ...insert, data: [{ p: "198.51.100.9/24", v: 3 }] });
  expect(await listed()).toEqual(before);
  emulator.fail({ kind: "restart", delay: 1 });
  await expect(fapi(emulator, list)).rejects.toThrow();
  while ((await fapi(emulator, list).catch(() => undefined)) === undefined);
  expect(await listed()).toEqual(before);
  await fapi(emulator, { ...insert, data: [{ p: "198.51.100.9/24", v: 3 }] });
  await fapi(emulator, commit);
  expect(await listed()).toMatchObject({ data: [{}, { p: "198.51.100.9/24", v: 3 }, {}] });
  emulator.fail({ cmd: "list", kind: "stale-list" });
  expect(await listed()).toEqual(before);
  await fapi(emulator, { url: BLOCKED, cmd: "delete", data: [{ a: "198.51.100.9/24" }] });
  expect(emulator.prefixSet(BLOCKED).staged).not.toHaveProperty(["198.51.100.0/24"]);
});

test("the rest of a request with a refused entry is staged, and the error is answered", async () => {
  await using emulator = await start({ refusedEntry: "rest" });
  const data = [
    { p: "198.51.100.0/25", v: 1 },
    { p: "none", v: 1 },
    { p: "198.51.100.128/25", v: 1 },
  ];
  expect((await fapi(emulator, { url: BLOCKED, cmd: "insert", data })).status).toBe(400);
  expect(Object.keys(emulator.prefixSet(BLOCKED).staged)).toHaveLength(4);
});

test("a commit is applied after its delay on the virtual clock", async () => {
  await using emulator = await start({ commitDelay: 200 });
  emulator.clock.freeze();
  await fapi(emulator, { url: BLOCKED, cmd: "delete", data: [{ a: "192.0.2.0/24" }] });
  await fapi(emulator, { url: BLOCKED, cmd: "commit" });
  expect(Object.keys(emulator.prefixSet(BLOCKED).applied)).toHaveLength(2);
  emulator.clock.advance("200ms");
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "203.0.113.4/32": 7 });
});

test("a delete of a covering prefix removes what it covers", async () => {
  await using emulator = await start({ deleteCovers: "covered" });
  await fapi(emulator, { url: BLOCKED, cmd: "delete", data: [{ a: "192.0.0.0/16" }] });
  expect(emulator.prefixSet(BLOCKED).staged).toEqual({ "203.0.113.4/32": 7 });
});

test("a node can delete what is staged or applied in the text of its list only", async () => {
  await using emulator = await start({ deleteSpelling: "listed", singleAddress: "bare", deleteAbsent: "error" });
  await fapi(emulator, { url: BLOCKED, cmd: "insert", data: [{ p: "203.0.113.9/32", v: 1 }] });
  for (const a of ["203.0.113.4/32", "203.0.113.9/32"])
    expect(await fapi(emulator, { url: BLOCKED, cmd: "delete", data: [{ a }] })).toMatchObject({ status: 400 });
  await fapi(emulator, { url: BLOCKED, cmd: "delete", data: [{ a: "203.0.113.4" }, { a: "203.0.113.9" }] });
  expect(emulator.prefixSet(BLOCKED).staged).toEqual({ "192.0.2.0/24": 1 });
});

test("a node that merges lists covered and adjacent entries of one value as one", async () => {
  const entries = {
    "192.0.2.0/26": 1,
    "192.0.2.64/26": 1,
    "192.0.2.128/25": 1,
    "192.0.2.9": 1,
    "192.0.2.10": 2,
    "203.0.113.0/25": 1,
  };
  await using emulator = await startEmulator({
    state: { arenas: { edge: { sets: { blocked: entries } } } },
    dialect: { nested: "merged" },
  });
  expect((await fapi(emulator, list)).json).toEqual({
    data: [
      { p: "192.0.2.0/24", v: 1 },
      { p: "192.0.2.10/32", v: 2 },
      { p: "203.0.113.0/25", v: 1 },
    ],
  });
});

test.each([
  ["307", "same"],
  ["308", "same"],
  ["301", "same"],
  ["302", "same"],
  ["307-elsewhere", "other"],
] as const)("redirect %s leads to the %s origin", async (redirect, where) => {
  await using emulator = await start({ redirect });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(list) };
  const answer = await fetch(`${emulator.endpoint}/fapi`, { ...init, redirect: "manual" });
  const location = answer.headers.get("location") ?? "";
  expect(answer.status).toBe(Number.parseInt(redirect, 10));
  expect(new URL(location).origin === emulator.endpoint).toBe(where === "same");
  const followed = await fetch(location.replace("localhost", "127.0.0.1"), init);
  expect(followed.status).toBe(200);
  emulator.setDialect({});
  expect((await fetch(location.replace("localhost", "127.0.0.1"), init)).status).toBe(404);
});

test("signaling status: wrong secret, bare addresses, a delay, and a lease that ends", async () => {
  await using emulator = await start({});
  emulator.clock.freeze();
  const [client] = emulator.clients;
  const wrong = { clientId: "client-a", secretKey: "wrong" };
  const status = async (
    settings: DialectSettings,
    who: { clientId: string; secretKey: string } | undefined = client,
  ) => {
    emulator.setDialect(settings);
    return await signaling(emulator.signalingUrl, who, "status");
  };
  expect((await status({ statusWrongSecret: "not-found" }, wrong)).status).toBe(404);
  expect((await status({ statusWrongSecret: "empty" }, wrong)).json).toEqual({ IP_prefix: [] });

  emulator.setDialect({ lease: 1_000 });
  await signaling(emulator.signalingUrl, client, "start", ["198.51.100.7/32"]);
  expect((await status({ statusForm: "bare" })).json).toEqual({ IP_prefix: ["198.51.100.7"] });
  expect((await status({ statusDelay: 300 })).json).toEqual({ IP_prefix: [] });
  emulator.clock.advance("300ms");
  expect((await status({ statusDelay: 300 })).json).toEqual({ IP_prefix: ["198.51.100.7/32"] });
  const { now } = emulator.clock;
  emulator.clock.freeze("2026-01-01T00:00:00Z");
  expect((await status({ statusDelay: 300 })).json).toEqual({ IP_prefix: ["198.51.100.7/32"] });
  emulator.snapshot("started");
  emulator.clock.freeze(now);
  emulator.clock.advance("700ms");
  expect((await status({ lease: 1_000 })).json).toEqual({ IP_prefix: [] });
  emulator.restore("started");
  expect((await status({})).json).toEqual({ IP_prefix: ["198.51.100.7/32"] });
  emulator.clock.advance("1s");
  expect((await status({})).json).toEqual({ IP_prefix: [] });
  expect(emulator.boundProfile("198.51.100.7")).toBeUndefined();
});

test.each(["198.51.100.7/32", "192.0.2.1/32", "no prefix"])(
  "a start of %s and others carries out what is possible",
  async (bad) => {
    await using emulator = await start({});
    const [client] = emulator.clients;
    const [early, late] = ["198.51.100.5/32", "198.51.100.8/32"];
    for (const [signalingPartial, started] of [
      ["all-or-nothing", []],
      ["before", [early]],
      ["valid-ones", [early, late]],
    ] as const) {
      emulator.signal("client-a", { start: ["198.51.100.7"], stop: [early, late] });
      emulator.setDialect({ signalingPartial });
      const answer = await signaling(emulator.signalingUrl, client, "start", [early, bad, late]);
      const isActive = bad === "198.51.100.7/32";
      expect([answer.status, answer.text]).toEqual(
        isActive ? [409, "cloud signaling already active"] : [400, "ip_prefix invalid"],
      );
      expect(emulator.signalings["client-a"]).toEqual([...started, "198.51.100.7/32"].sort());
      if (isActive) continue;
      expect((await signaling(emulator.signalingUrl, client, "stop", ["198.51.100.7/32", bad])).text).toBe(
        "ip_prefix invalid",
      );
      expect(emulator.signalings["client-a"]?.includes("198.51.100.7/32")).toBe(signalingPartial === "all-or-nothing");
    }
  },
);

test("every named dialect and every single switch is a valid dialect", () => {
  for (const name of Object.keys(DIALECTS)) expect(deviations(dialect(name))).toEqual(DIALECTS[name as "default"]);
  const switches = singleSwitchDialects();
  expect(switches.length).toBeGreaterThan(50);
  for (const { name, setting } of switches)
    expect(deviations(dialect({ [name]: setting }))).toEqual({ [name]: setting });
});

test("a seed gives the same dialect each time, never one that clients must refuse", () => {
  expect(dialect("seed:42")).toEqual(dialect("seed:42"));
  const refused = singleSwitchDialects().filter((it) => it.refused);
  const drawn = Array.from({ length: 50 }, (_, seed) => dialect(`seed:${seed}`));
  for (const { name, setting } of refused) expect(drawn.map((it) => it[name])).not.toContain(setting);
  expect(new Set(drawn.map((it) => JSON.stringify(it))).size).toBe(50);
  expect(() => dialect("klingon")).toThrow(/seed:N/);
});
