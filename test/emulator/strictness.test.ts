import { expect, test } from "vitest";
import {
  type DialectSettings,
  type Emulator,
  type EmulatorState,
  startEmulator,
  synFlood,
} from "../../provider/emulator";
import { BLOCKED, control, EDGE, fapi, signaling } from "./calls";

const state = {
  arenas: { edge: { sets: { blocked: {} }, profiles: { web: {}, mail: {} } } },
  signaling: {
    clients: [{ clientId: "c1", secretKey: "s1", prefixes: ["198.51.100.0/24", "2001:db8::/32"] }],
  },
};
const start = (dialect: DialectSettings = {}) => startEmulator({ state, dialect });
const CLIENT = { clientId: "c1", secretKey: "s1" };

const marks = (emulator: Emulator, type: string, profile = "web") =>
  fapi(emulator, { url: `mark://edge/${profile}`, cmd: "list", type }, EDGE);
const signal = (emulator: Emulator, op: "start" | "stop", ...prefixes: string[]) =>
  signaling(emulator.signalingUrl, CLIENT, op, prefixes);

test("a list of marks names some arena; of which, only a strict node asks", async () => {
  await using emulator = await start();
  const list = { url: "mark://edge/web", cmd: "list", type: "shost" };
  const statuses = async (userArena: DialectSettings["userArena"]) => {
    emulator.setDialect({ userArena });
    const headers = [{}, { "user-arena": "core" }, EDGE];
    return Promise.all(headers.map(async (header) => (await fapi(emulator, list, header)).status));
  };
  expect(await statuses(undefined)).toEqual([400, 200, 200]);
  expect(await statuses("ignored")).toEqual([200, 200, 200]);
  expect(await statuses("required")).toEqual([400, 400, 200]);
  const ownName = "Zürich";
  emulator.seed({ arenas: { [ownName]: { profiles: { web: {} } } } });
  // As the client sends it: the bytes of UTF-8.
  const bytes = Buffer.from(ownName).toString("latin1");
  const headers = { "user-arena": bytes, "packetfilter-run": bytes };
  expect((await fapi(emulator, { ...list, url: `mark://${ownName}/web` }, headers)).status).toBe(200);
  expect(emulator.requests({ run: ownName })[0]?.headers).toMatchObject({ "user-arena": ownName });
});

test("lists of marks that come too soon are noted, by table", async () => {
  await using emulator = await start();
  emulator.clock.freeze();
  const lists = [
    await marks(emulator, "shost"),
    await marks(emulator, "dhost"),
    await marks(emulator, "shost", "mail"),
    await marks(emulator, "shost"),
  ];
  emulator.clock.advance("2999ms");
  lists.push(await marks(emulator, "shost"));
  emulator.clock.advance("3s");
  lists.push(await marks(emulator, "shost"));
  expect(lists.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  const noted = emulator.journal.map(({ tooSoon }) => tooSoon);
  expect(noted).toEqual([undefined, undefined, undefined, true, true, undefined]);
  emulator.reset();
  await marks(emulator, "shost");
  expect(emulator.journal.map(({ tooSoon }) => tooSoon)).toEqual([undefined]);
});

test("two lists of one table at the same time are one too many", async () => {
  await using emulator = await startEmulator({ state, latency: "1ms" });
  await Promise.all([marks(emulator, "conn"), marks(emulator, "conn")]);
  expect(emulator.journal.map(({ tooSoon }) => tooSoon).filter(Boolean)).toEqual([true]);
});

test.each(["table", "node"] as const)("the pace by %s is refused with the time to wait", async (markPace) => {
  await using emulator = await start({ markPace });
  emulator.clock.freeze();
  await marks(emulator, "shost");
  emulator.clock.advance("1500ms");
  expect((await marks(emulator, "dhost")).status).toBe(markPace === "node" ? 429 : 200);
  const refused = await marks(emulator, "shost");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "2"]);
  expect(refused.json).toEqual({ error: "too soon: two lists of marks must be 3 s apart" });
  emulator.clock.advance("1500ms");
  expect((await marks(emulator, "shost")).status).toBe(200);
  expect(emulator.journal.filter(({ tooSoon }) => tooSoon).map(({ status }) => status)).toEqual(
    markPace === "node" ? [429, 429] : [429],
  );
});

test("start and stop take single addresses with their length, and without it where a node does", async () => {
  await using emulator = await start();
  expect((await signal(emulator, "start", "198.51.100.7")).text).toBe("ip_prefix invalid");
  expect((await signal(emulator, "start", "2001:db8::7")).text).toBe("ip_prefix invalid");
  expect((await signal(emulator, "start", "2001:db8::7/128")).text).toBe("ok");
  emulator.setDialect({ signalingAddress: "any" });
  expect((await signal(emulator, "start", "198.51.100.7")).text).toBe("ok");
  expect((await signal(emulator, "stop", "2001:db8::7")).text).toBe("ok");
  expect(emulator.signalings).toEqual({ c1: ["198.51.100.7/32"] });
});

test("a receiver may know IPv4 only, registered prefixes only, or no overlaps", async () => {
  await using emulator = await start({ signalingIpv6: "error" });
  expect((await signal(emulator, "start", "2001:db8::/64")).text).toBe("ip_prefix invalid");
  emulator.setDialect({ signalingPrefixes: "registered" });
  expect((await signal(emulator, "start", "198.51.100.7/32")).text).toBe("ip_prefix invalid");
  expect((await signal(emulator, "start", "198.51.100.0/24")).text).toBe("ok");
  emulator.setDialect({ signalingOverlap: "invalid" });
  expect((await signal(emulator, "start", "198.51.100.7/32")).text).toBe("ip_prefix invalid");
  expect((await signal(emulator, "start", "2001:db8::/64")).text).toBe("ok");
  expect((await signal(emulator, "start", "2001:db8::/32")).text).toBe("ip_prefix invalid");
  expect((await signal(emulator, "start", "2001:db8::/64")).text).toBe("cloud signaling already active");
  expect((await signal(emulator, "start", "2001:db8:0:1::/64", "2001:db8:0:1::7/128")).text).toBe("ip_prefix invalid");
  expect(emulator.signalings).toEqual({ c1: ["198.51.100.0/24", "2001:db8::/64"] });
});

/** Calls as plain JavaScript makes them, where no compiler looks. */
const MISTAKES: [call: string, mistake: (emulator: ReturnType<typeof JSON.parse>) => unknown, words: string][] = [
  ["a filter", (it) => it.requests({ comand: "list" }), 'requests(): there is no "comand"; did you mean "cmd"?'],
  ["a command", (it) => it.requests({ cmd: "isnert" }), 'not "isnert"; did you mean "insert"?'],
  ["a type of marks", (it) => it.marks("profile://edge/web", "shots"), 'not "shots"; did you mean "shost"?'],
  ["a limit", (it) => it.markTable("profile://edge/web", "shost", 0), "markTable(): limit: must be at least 1, not 0."],
  ["a url", (it) => it.prefixSet(), "The url of a prefix-set: the argument is missing"],
  ["an address", (it) => it.boundProfile(7), "boundProfile(): must be a text, not 7."],
  ["a change", (it) => it.change(BLOCKED, { inserts: {} }), 'change(): there is no "inserts"; did you mean "insert"?'],
  ["a value", (it) => it.change(BLOCKED, { insert: { "192.0.2.0/24": "1" } }), "must be a number, not a text."],
  [
    "two values",
    (it) => it.change(BLOCKED, { insert: { "192.0.2.4": 1, "192.0.2.4/32": 2 } }),
    "192.0.2.4/32 is there twice",
  ],
  [
    "a value and a removal",
    (it) => it.change(BLOCKED, { insert: ["192.0.2.4"], delete: ["192.0.2.4/32"] }),
    "there twice",
  ],
  [
    "two pairs",
    (it) =>
      it.change(BLOCKED, {
        insert: [
          ["192.0.2.4", 1],
          ["192.0.2.4", 2],
        ],
      }),
    "192.0.2.4 is there twice",
  ],
  [
    "a set of a state",
    (it) => it.seed({ arenas: { edge: { sets: { blocked: ["192.0.2.4", "192.0.2.4"] } } } }),
    "arenas.edge.sets.blocked: 192.0.2.4 is there twice.",
  ],
  [
    "a set of a profile of a state",
    (it) => it.seed({ arenas: { edge: { profiles: { web: { sets: { own: ["192.0.2.4", "192.0.2.4"] } } } } } }),
    "arenas.edge.profiles.web.sets.own: 192.0.2.4 is there twice.",
  ],
  ["a start and a stop", (it) => it.signal("c1", { start: [IN_C1], stop: [IN_C1] }), "both started and stopped"],
  ["a signaling", (it) => it.signal("c1", { strat: [] }), 'signal(): there is no "strat"; did you mean "start"?'],
  [
    "a packet",
    (it) => it.receive([PACKET, { ...PACKET, dst: "a" }]),
    'packet 1: there is no "dst"; did you mean "to"?',
  ],
  ["a flag", (it) => it.receive([{ ...PACKET, flags: ["SYN"] }]), 'not "SYN"; did you mean "syn"?'],
  ["a protocol", (it) => it.receive([{ ...PACKET, proto: "tpc" }]), 'not "tpc"; did you mean "tcp"?'],
  ["no packets", (it) => it.receive({}), "receive(): must be an array of packets"],
  ["traffic", (it) => it.receiveTraffic([PACKET], 1), "receiveTraffic(): traffic: must be a source such as synFlood("],
  ["a recipient", () => synFlood({ too: [] } as never), 'synFlood(): there is no "too"; did you mean "to"?'],
  ["a time span", (it) => it.clock.advance("1 hour"), '"1 hour" is not a duration'],
  ["a time", (it) => it.clock.freeze(null), "null is not a time"],
  ["a time that no date has", (it) => it.clock.advance("99999999999d"), "a time after the year 9999"],
  ["a year of five digits", (it) => it.clock.freeze("+010000-01-01T00:00:00Z"), "a time after the year 9999"],
  ["a switch", (it) => it.setDialect({ listShow: "staged" }), 'did you mean "listShows"?'],
  ["a fault", (it) => it.fail({ cmd: "comit" }), 'cmd: must be one of "list", "insert", "delete", "commit"'],
  ["a state", (it) => it.seed({ arena: {} }), 'The state is not valid: there is no "arena"; did you mean "arenas"?'],
];
const IN_C1 = "198.51.100.7/32";
const PACKET = { from: "203.0.113.9", to: "198.51.100.7", proto: "tcp" };

test("each method says in plain JavaScript what TypeScript would have said, and what was meant", async () => {
  await using emulator = await start();
  const before = emulator.state();
  for (const [call, mistake, words] of MISTAKES) {
    const made = Promise.resolve().then(() => mistake(emulator));
    await expect(made, call).rejects.toThrow(words);
    await expect(made, call).rejects.toBeInstanceOf(TypeError);
  }
  expect(emulator.state()).toEqual(before);
});

test.each([
  [{ statee: {} }, 'startEmulator(): there is no "statee"; did you mean "state"?'],
  [{ port: "80" }, "startEmulator(): port: must be a number, not a text."],
  [{ controlPort: 70_000 }, "startEmulator(): controlPort: must be at most 65535, not 70000."],
  [{ latency: "1 hour" }, 'startEmulator(): latency: "1 hour" is not a duration'],
  [{ tls: "mutal" }, 'startEmulator(): tls: must be "mutual", not "mutal"; did you mean "mutual"?'],
  [{ auth: { bearr: "canary" } }, 'startEmulator(): auth: there is no "bearr"; did you mean "bearer"?'],
  [{ auth: "canary" }, "startEmulator(): auth: must be an object, not a text."],
  [{ journalLimits: { request: 5 } }, 'journalLimits: there is no "request"; did you mean "requests"?'],
  [null, "startEmulator(): must be an object, not null."],
])("the options %j are refused, and no secret is told", async (options, words) => {
  const started = startEmulator(options as object);
  await expect(started).rejects.toThrow(words);
  await expect(started).rejects.not.toThrow("canary");
});

test("the control API refuses in the words of the object", async () => {
  await using emulator = await start();
  const error = async (method: string, path: string, body?: unknown) => {
    const answer = await control(emulator, method, path, body);
    return [answer.status, (answer.json as { error: string }).error];
  };
  expect(await error("POST", "/prefix-set/change", { url: BLOCKED, inserts: {} })).toEqual([
    400,
    'the body is not valid: there is no "inserts"; did you mean "insert"?',
  ]);
  expect(await error("GET", "/journal?comand=list")).toEqual([
    400,
    'the query is not valid: there is no "comand"; did you mean "cmd"?',
  ]);
  expect(await error("POST", "/clock", { freeze: true, resume: true })).toEqual([
    400,
    "the body is not valid: freeze and resume exclude each other: freeze at a time, or leave one of them out.",
  ]);
  const [status, words] = await error("POST", "/packets", [{ ...PACKET, flags: ["SYN"] }]);
  expect([status, words]).toEqual([400, expect.stringContaining('0.flags.0: must be one of "fin", "syn"')]);
});

const profiles = (signaling: object) => ({
  arenas: { edge: { profiles: { clean: { prefixes: ["192.0.2.0/24"] }, protected: {} } } },
  signaling: { clients: [{ clientId: "c1", secretKey: "s1", prefixes: ["198.51.100.0/24"], ...signaling }] },
});
const MARK = { address: "203.0.113.9", id: 7 };
const staged = (changes: object) => ({ arenas: { edge: { sets: { blocked: {} } } }, staged: changes });
const clean = { arena: "edge", idleProfile: "clean", activeProfile: "protected" };

test.each<[string, unknown, string]>([
  [
    "a misspelt active profile",
    profiles({ ...clean, activeProfile: "protectd" }),
    'signaling.clients.0.activeProfile: there is no profile "protectd" in the arena "edge"; did you mean "protected"?',
  ],
  [
    "a misspelt arena",
    profiles({ ...clean, arena: "egde" }),
    'signaling.clients.0.arena: there is no arena "egde"; did you mean "edge"?',
  ],
  [
    "two profiles bound to one prefix",
    { arenas: { edge: { profiles: { a: { prefixes: ["192.0.2.0/24"] }, b: { prefixes: ["192.0.2.0/24"] } } } } },
    "arenas.edge.profiles.b.prefixes.0: 192.0.2.0/24 is bound to profile://edge/a already.",
  ],
  [
    "a client's prefix bound to another profile than its idle one",
    profiles({ ...clean, prefixes: ["192.0.2.0/24"], idleProfile: "protected", activeProfile: "clean" }),
    "signaling.clients.0.prefixes.0: 192.0.2.0/24 is bound to profile://edge/clean, and not to profile://edge/protected.",
  ],
  [
    "a set named constructor",
    { arenas: { edge: { sets: { constructor: {} } } } },
    "arenas.edge.sets.constructor: the name",
  ],
  [
    "a mark of two values",
    { arenas: { edge: { profiles: { web: { marks: { shost: [MARK, { ...MARK, value: 5 }] } } } } } },
    'two marks of shost are {"address":"203.0.113.9","id":7}',
  ],
  [
    "staged changes in two spellings",
    staged({ [BLOCKED]: { "192.0.2.4": null, "192.0.2.4/32": 7 } }),
    "in two spellings",
  ],
  [
    "staged changes of a set under two urls",
    staged({ [BLOCKED]: { "192.0.2.4": 1 }, [`${BLOCKED}/`]: { "192.0.2.5": 1 } }),
    "under another spelling of its url",
  ],
  ["a client named toString", profiles({ clientId: "toString" }), "signaling.clients.0.clientId: the name"],
])("%s is refused with its place, in code and over the control API", async (_, wrong, words) => {
  const broken = wrong as EmulatorState;
  await expect(startEmulator({ state: broken })).rejects.toThrow(words);
  await using emulator = await start();
  const before = emulator.state();
  expect(() => emulator.seed(broken)).toThrow(words);
  const answer = await control(emulator, "PUT", "/state", broken);
  expect(answer).toMatchObject({ status: 400, json: { error: expect.stringContaining(words) } });
  expect(emulator.state()).toEqual(before);
});

test.each([
  ["sets", '{"arenas":{"edge":{"sets":{"__proto__":{"192.0.2.0/24":1}}}}}'],
  ["profiles", '{"arenas":{"edge":{"profiles":{"__proto__":{}}}}}'],
  ["arenas", '{"arenas":{"__proto__":{}}}'],
])("__proto__ among %s is refused in code, in files and over the control API", async (_, source) => {
  const place = `${/"(\w+)":\{"__proto__/.exec(source)?.[1]}.__proto__: the name "__proto__"`;
  await expect(startEmulator({ state: JSON.parse(source) })).rejects.toThrow(place);
  // As it stands in a program: it becomes the prototype, and no member at all.
  const literal = { arenas: { edge: { sets: { __proto__: { "192.0.2.0/24": 1 } } } } };
  await expect(startEmulator({ state: literal as EmulatorState })).rejects.toThrow("arenas.edge.sets.__proto__");
  await using emulator = await start();
  for (const type of ["application/json", "application/yaml"]) {
    const put = await fetch(`${emulator.control}/state`, {
      method: "PUT",
      headers: { "content-type": type },
      body: source,
    });
    expect([put.status, await put.text()]).toEqual([400, expect.stringContaining(place.replaceAll('"', '\\"'))]);
  }
});

test("a state with more marks than the tables hold is refused", async () => {
  const marks = { shost: [MARK, { ...MARK, id: 8 }] };
  const full = startEmulator({ state: { arenas: { edge: { profiles: { web: { marks } } } } }, marks: { capacity: 1 } });
  await expect(full).rejects.toThrow("more marks of shost and IPv4 than the capacity of 1");
});

test("what an emulator with the default clients holds can be given to another, whatever profiles there are", async () => {
  await using emulator = await startEmulator({ state: { arenas: { core: { sets: { bad: {} } } } } });
  emulator.signal("client-a", { start: ["198.51.100.7"] });
  expect(emulator.boundProfile("198.51.100.7")).toBeUndefined();
  await using copy = await startEmulator({ state: emulator.state() });
  expect(copy.signalings).toEqual(emulator.signalings);
});
