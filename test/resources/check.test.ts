import { describe, expect, it } from "vitest";
import { Runtime } from "../../provider/deployment/runtime";
import { dynamicProvider } from "../../provider/engine/dynamic-provider";
import type { Handler } from "../../provider/engine/handler";
import { type JsonObject, UNKNOWN } from "../../provider/model/json";
import { CloudSignalingHandler } from "../../provider/resources/cloud-signaling/handler";
import { PrefixSetHandler } from "../../provider/resources/prefix-set/handler";
import { PrefixSetEntryHandler } from "../../provider/resources/prefix-set-entry/handler";
import { PrefixSetGroupHandler } from "../../provider/resources/prefix-set-group/handler";
import { startOnOwnPort } from "../support/ports";

const NOW = Date.parse("2030-01-01T12:00:00Z");
const CONFIG: Record<string, unknown> = {
  endpoint: "http://192.0.2.10",
  nodes: { fra1: { endpoint: "http://192.0.2.11" } },
  signalingUrl: "http://192.0.2.10/path",
  clientId: "client-a",
  secretKey: "canary",
  // Nothing is there.
  detectDrift: "off",
};

/** A provider of its own for each check, and what it printed. */
function provider(Resource: new (runtime: Runtime) => Handler, config = CONFIG) {
  const printed: string[] = [];
  const runtime = new Runtime({ env: {}, print: (line) => void printed.push(line), world: { wall: () => NOW } });
  runtime.configure((key) => config[key]);
  return { printed, it: dynamicProvider(new Resource(runtime), runtime) };
}

async function problems(Resource: new (runtime: Runtime) => Handler, news: JsonObject, olds: JsonObject = {}) {
  const { failures } = await provider(Resource).it.check(olds, news);
  expect(failures.map(({ property }) => property)).toEqual(failures.map(() => ""));
  return failures.map(({ reason }) => reason);
}

const set = (more: JsonObject) => ({ arena: "edge", set: "blocked", ...more });
const thirty = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`192.0.2.${i}/32`, 1]));

describe("check of a PrefixSet", () => {
  it("gives the arguments back as the program wrote them; their canonical form is flat maps without defaults", async () => {
    const news = set({
      entries: {
        "192.0.2.0/24": 4,
        "2001:DB8::/32": { reason: "SYN flood", ticket: "INC-1" },
        "203.0.113.7": { value: 0 },
      },
      __provider: "text",
    });
    const { it, printed } = provider(PrefixSetHandler);
    expect(await it.check({}, news)).toEqual({ failures: [], inputs: { ...news, endpoint: "http://192.0.2.10" } });
    expect(it.normal(news)).toEqual(
      set({
        entries: { "192.0.2.0/24": 4, "2001:db8::/32": 1, "203.0.113.7/32": 0 },
        notes: { "2001:db8::/32": '{"reason":"SYN flood","ticket":"INC-1"}' },
        __provider: "text",
      }),
    );
    expect(printed).toEqual(["http://192.0.2.10 prefixset://edge/blocked: 3 entries declared"]);
  });

  it("says which resource a line is about, where others may keep a part of the same set", async () => {
    const { it, printed } = provider(PrefixSetHandler);
    for (const [name, prefix] of [
      ["floods", "192.0.2.0/24"],
      ["scanners", "203.0.113.0/24"],
    ] as const) {
      const { inputs } = await it.check({}, set({ entries: [prefix], exclusive: false, __said: { name } }));
      expect(inputs).toEqual(set({ entries: [prefix], exclusive: false }));
    }
    expect(printed).toEqual([
      "http://192.0.2.10 prefixset://edge/blocked (floods): 1 entry declared",
      "http://192.0.2.10 prefixset://edge/blocked (scanners): 1 entry declared",
    ]);
  });

  it("says so as well of what has expired, and of what block --now put there", async () => {
    const { it, printed } = provider(PrefixSetHandler);
    const expires = "2020-01-01T00:00:00Z";
    const sent = "1 prefixset://edge/blocked http://192.0.2.10";
    const entries = { "192.0.2.1": { expires }, "192.0.2.2": { value: 1, expires, sent } };
    await it.check({}, set({ entries, exclusive: false, __said: { name: "floods" } }));
    const where = "http://192.0.2.10 prefixset://edge/blocked (floods)";
    expect(printed).toEqual([
      `${where}: removed if the node still has it with this value, since "block --now" put it there and no program declares it any more: 192.0.2.2/32 (1).`,
      expect.stringContaining(`warning: ${where}: expired, not wanted: 192.0.2.1/32 (2020-01-01T00:00:00Z).`),
    ]);
  });

  it("says so of a group, too", async () => {
    const { it, printed } = provider(PrefixSetGroupHandler);
    const entries = { "192.0.2.1": 1, "192.0.2.2": { value: 1, expires: "2020-01-01T00:00:00Z" } };
    const inputs = { arena: "edge", set: "blocked", nodes: ["fra1"], entries, exclusive: false };
    await it.check({}, { ...inputs, __said: { name: "floods" } });
    const where = "fra1 prefixset://edge/blocked (floods)";
    expect(printed).toEqual([
      `${where}: 1 entry declared`,
      expect.stringContaining(`warning: ${where}: expired, not wanted: 192.0.2.2/32`),
    ]);
  });

  it("takes an array as entries of the value 1, and merges equal spellings with a warning", async () => {
    const { it, printed } = provider(PrefixSetHandler);
    const { inputs } = await it.check({}, set({ entries: ["192.0.2.1", "192.0.2.1/32"] }));
    expect(it.normal(inputs).entries).toEqual({ "192.0.2.1/32": 1 });
    const noted = { reason: "flood", ticket: "INC-4711" };
    const both = ["192.0.2.1", "192.0.2.1/32"].map((prefix) => ({ prefix, ...noted }));
    expect((await it.check({}, set({ entries: both }))).failures).toEqual([]);
    const unknown = { ...noted, reason: UNKNOWN };
    const preview = [
      { prefix: "192.0.2.1", ...unknown },
      { prefix: "192.0.2.1/32", ...noted },
    ];
    expect((await it.check({}, set({ entries: preview }))).failures).toEqual([]);
    expect(printed[0]).toMatch(/warning: .*entries\[1\]: "192\.0\.2\.1\/32" says the same as "192\.0\.2\.1"/);
  });

  it("wants for the whole run what expires while the look waits", async () => {
    const held = { "192.0.2.0/24": 1, "203.0.113.7/32": 1 };
    await using emulator = await startOnOwnPort({ state: { arenas: { edge: { sets: { blocked: held } } } } });
    // The time is over once the node was asked.
    const world = { wall: () => (emulator.journal.length === 0 ? NOW : NOW + 1_000) };
    const runtime = new Runtime({ env: {}, print: () => undefined, world });
    runtime.configure((key) => (key === "endpoint" ? emulator.endpoint : undefined));
    const expires = new Date(NOW + 500).toISOString();
    const args = set({ entries: { "192.0.2.0/24": 1, "203.0.113.7/32": { expires } } });
    const it = dynamicProvider(new PrefixSetHandler(runtime), runtime);
    const { inputs } = await it.check(args, args);
    expect(runtime.today).toBe(NOW + 1_000);
    expect(it.normal(inputs).entries).toEqual(held);
  });

  it("leaves out what has expired, and says what goes", async () => {
    const entries = {
      "192.0.2.0/24": { expires: "2030-01-01T11:59:59Z" },
      "203.0.113.0/24": { expires: "2030-01-01T12:00:01Z" },
    };
    const { it, printed } = provider(PrefixSetHandler);
    const olds = set({ entries: { "192.0.2.0/24": 1, "203.0.113.0/24": 1 } });
    const { inputs } = await it.check(olds, set({ entries }));
    expect(inputs).toEqual(set({ entries, expired: 1 }));
    expect(it.normal(inputs).entries).toEqual({ "203.0.113.0/24": 1 });
    expect(printed).toEqual(["http://192.0.2.10 prefixset://edge/blocked: +0 -1 (expired: 192.0.2.0/24) ~0, 1 after"]);
  });

  it.each<[string, JsonObject, RegExp]>([
    [
      "host bits",
      { entries: ["192.0.2.1/24"] },
      /entries\[0\]: '192\.0\.2\.1\/24' has host bits set: write '192\.0\.2\.0\/24'/,
    ],
    [
      "one prefix with two values",
      { entries: { "::ffff/128": 1, "::FFFF": 2 } },
      /'::FFFF' and '::ffff\/128' are the same prefix ::ffff\/128 with different values/,
    ],
    [
      "one prefix twice, once with a time",
      { entries: [{ prefix: "203.0.113.7", expires: "2099-01-01T00:00:00Z" }, "203.0.113.7/32"] },
      /entries\[1\]: '203\.0\.113\.7\/32' and '203\.0\.113\.7' are the same prefix 203\.0\.113\.7\/32 with different notes/,
    ],
    [
      "one prefix twice, with different reasons",
      {
        entries: [
          { prefix: "203.0.113.7", reason: "x" },
          { prefix: "203.0.113.7", reason: "y" },
        ],
      },
      /'203\.0\.113\.7' and '203\.0\.113\.7' are the same prefix .* with different notes \(reason, ticket or expires\)/,
    ],
    [
      "a value above 2^32-1",
      { entries: { "192.0.2.0/24": 2 ** 32 } },
      /entries\['192\.0\.2\.0\/24'\]: the value is too large/,
    ],
    ["a fraction", { entries: { "192.0.2.0/24": 1.5 } }, /is not an integer/],
    [
      "a time without zone",
      { entries: { "192.0.2.0/24": { expires: "2030-01-01T00:00:00" } } },
      /\.expires is not an ISO time with zone/,
    ],
    ["an unknown member", { entries: { "192.0.2.0/24": { vlaue: 1 } } }, /has no member `vlaue`/],
    ["the default route", { entries: ["::/0"] }, /entry ::\/0 is shorter than \/1/],
    ["half of all addresses", { entries: ["128.0.0.0/1"] }, /IPv4 entries together cover more than a quarter/],
    [
      "the default route in two halves",
      { entries: ["0.0.0.0/1", "128.0.0.0/1"], shortestPrefix: { ipv6: 1 } },
      /IPv4 entries together cover more than a quarter of all addresses: .* allow it with shortestPrefix \(\{ ipv4: 1 \}\)/,
    ],
    [
      "more than a quarter in small pieces, whatever longer length is the shortest",
      { entries: Array.from({ length: 65 }, (_, n) => `${n}.0.0.0/8`), shortestPrefix: { ipv4: 8 } },
      /^[^/]*:\/\/edge\/blocked: the IPv4 entries together cover more than a quarter/,
    ],
    [
      "a short prefix",
      { entries: ["10.0.0.0/8"], shortestPrefix: { ipv4: 16 } },
      /entry 10\.0\.0\.0\/8 is shorter than \/16/,
    ],
    [
      "a forbidden prefix inside",
      { entries: ["198.51.100.0/24"], forbiddenPrefixes: ["198.51.100.7"] },
      /overlaps the forbidden prefix 198\.51\.100\.7\/32/,
    ],
    [
      "a forbidden prefix around",
      { entries: ["198.51.100.7"], forbiddenPrefixes: ["198.51.100.0/24"] },
      /overlaps the forbidden prefix 198\.51\.100\.0\/24/,
    ],
    [
      "an IPv6 prefix that stands for a forbidden one",
      { entries: ["64:ff9b::c633:6400/120"], forbiddenPrefixes: ["198.51.100.7"] },
      /entry 64:ff9b::c633:6400\/120 overlaps the forbidden prefix 198\.51\.100\.7\/32/,
    ],
    [
      "a bad forbidden prefix",
      { entries: [], forbiddenPrefixes: ["192.0.2.1/24"] },
      /forbiddenPrefixes\[0\]: .*host bits/,
    ],
    [
      "a missing required prefix",
      { entries: ["192.0.2.0/25"], requiredPrefixes: ["192.0.2.0/24"] },
      /no entry covers 192\.0\.2\.0\/24/,
    ],
    [
      "too many entries",
      { entries: ["192.0.2.0/25", "192.0.2.128/25"], maxEntries: 1 },
      /2 entries are more than maxEntries \(1\)/,
    ],
    ["no entries at all", {}, /entries: is missing/],
    ["a number for entries", { entries: 7 }, /entries: is neither an array of prefixes nor an object/],
    [
      "a misspelt argument",
      { entries: [], exclusiv: true },
      /there is no argument 'exclusiv': 'exclusive' is likely meant/,
    ],
    ["an argument of another kind", { entries: [], colour: 1 }, /there is no argument 'colour': check the spelling/],
    ["a wrong choice", { entries: [], onDestroy: "clear" }, /onDestroy: is not one of 'remove', 'keep', 'created'/],
    [
      "a bad percentage",
      { entries: [], maxRemovals: "120%" },
      /maxRemovals: is neither a number of entries nor a percentage/,
    ],
    ["a number as a text", { entries: [], maxRemovals: "20" }, /maxRemovals: is a text: write the number 20, or '20%'/],
    ["a length alone", { entries: [], shortestPrefix: 99 }, /shortestPrefix: is not an object such as \{ ipv4: 16/],
    ["a length of none", { entries: [], shortestPrefix: { ipv4: 99 } }, /ipv4: is not an integer from 0 to 32\./],
    ["two prefixes in one text", { entries: ["192.0.2.1, 192.0.2.2"] }, /entries\[0\]: one text holds 2 prefixes/],
    [
      "a misspelt member",
      { entries: { "192.0.2.0/24": { reson: "flood" } } },
      /has no member `reson`: `reason` is likely meant/,
    ],
    ["a bad name", { entries: [], set: "a/b" }, /set: 'a\/b' contains '\/'/],
    ["an unknown node", { entries: [], node: "ams1" }, /node 'ams1' is not in 'packetfilter:nodes' \(it knows fra1\)/],
  ])("refuses %s, with position and remedy", async (_name, more, message) => {
    expect((await problems(PrefixSetHandler, set(more))).join("\n")).toMatch(message);
  });

  it("takes a quarter of all addresses, each counted once, and more of them by a word", async () => {
    const quarter = { entries: ["64.0.0.0/2", "64.0.0.0/3", "96.0.0.0/3", "2000::/3"] };
    expect(await problems(PrefixSetHandler, set(quarter))).toEqual([]);
    const half = { entries: ["64.0.0.0/2", "128.0.0.0/2"] };
    const refused = "cover more than a quarter";
    expect(await problems(PrefixSetHandler, set(half))).toEqual([expect.stringContaining(refused)]);
    expect(await problems(PrefixSetHandler, set({ ...half, shortestPrefix: { ipv4: 1 } }))).toEqual([]);
    const told = async (ipv4: number, more = {}) =>
      (
        await provider(PrefixSetHandler, { ...CONFIG, shortestPrefix: { ipv4 } }).it.check(
          {},
          set({ ...half, ...more }),
        )
      ).failures;
    expect(await told(1)).toEqual([]);
    const byBoth = { shortestPrefix: { ipv4: 1 } };
    expect(await told(2, byBoth)).toEqual([{ property: "", reason: expect.stringContaining(refused) }]);
  });

  it("counts all resources that write to a set together, and more than a quarter by the word of each", async () => {
    const { it } = provider(PrefixSetHandler);
    const told = async (first: string, more: JsonObject = {}) => {
      const part = set({ entries: [first], exclusive: false, ...more });
      return (await it.check({}, part)).failures.map(({ reason }) => reason);
    };
    const refused = "entries of all 2 resources that write to this set together cover more than a quarter";
    expect(await told("0.0.0.0/3")).toEqual([]);
    expect(await told("0.0.0.0/3")).toEqual([]);
    expect(await told("32.0.0.0/3", { set: "other" })).toEqual([]);
    expect(await told("64.0.0.0/2")).toEqual([expect.stringContaining(refused)]);
    expect(await told("64.0.0.0/2", { shortestPrefix: { ipv4: 1 } })).toEqual([expect.stringContaining(refused)]);
    expect(await told("2001:db8::/32")).toEqual([]);
    const word = { set: "third", shortestPrefix: { ipv4: 1 } };
    for (const quarter of ["0.0.0.0/2", "64.0.0.0/2", "128.0.0.0/2"]) expect(await told(quarter, word)).toEqual([]);
    expect(await told("192.0.2.0/24", { set: "third" })).toEqual([expect.stringContaining("of all 4 resources")]);
  });

  it("counts a group at each of its nodes, together with what others write there", async () => {
    const runtime = new Runtime({ env: {}, print: () => undefined, world: { wall: () => NOW } });
    const nodes = Object.fromEntries(["fra1", "ams1", "ber1"].map((n, i) => [n, { endpoint: `http://192.0.2.2${i}` }]));
    runtime.configure((key) => (key === "nodes" ? nodes : CONFIG[key]));
    const [group, single] = [new PrefixSetGroupHandler(runtime), new PrefixSetHandler(runtime)].map((handler) =>
      dynamicProvider(handler, runtime),
    );
    const part = (first: string, more: JsonObject) => set({ entries: [first], exclusive: false, ...more });
    const told = async (it: typeof group, news: JsonObject) =>
      (await it?.check({}, news))?.failures.map(({ reason }) => reason);
    const refused = "entries of all 2 resources that write to this set together cover more than a quarter";
    expect(await told(group, part("0.0.0.0/3", { nodes: ["fra1", "ams1"] }))).toEqual([]);
    expect(await told(single, part("64.0.0.0/2", { node: "ber1" }))).toEqual([]);
    expect(await told(single, part("64.0.0.0/2", { node: "ams1" }))).toEqual([expect.stringContaining(refused)]);
    expect(await told(group, part("128.0.0.0/3", { nodes: ["ber1"] }))).toEqual([expect.stringContaining(refused)]);
  });

  it("counts single entries of a set together with each other", async () => {
    const { it } = provider(PrefixSetEntryHandler);
    const told = async (prefix: string, more: JsonObject = {}) =>
      (await it.check({}, set({ prefix, ...more }))).failures.map(({ reason }) => reason);
    expect(await told("64.0.0.0/3")).toEqual([]);
    expect(await told("64.0.0.0/3")).toEqual([]);
    expect(await told("96.0.0.0/3")).toEqual([]);
    expect(await told("192.0.2.0/24")).toEqual([expect.stringContaining("cover more than a quarter")]);
    expect(await told("192.0.2.0/24", { set: "other" })).toEqual([]);
    expect(await told("2001:db8::/32")).toEqual([]);
  });

  it("counts nothing as removed beside an entry that cannot be read", async () => {
    const olds = set({ entries: thirty });
    expect(await problems(PrefixSetHandler, set({ entries: { "192.0.2.0/32": "1" } }), olds)).toEqual([
      expect.stringMatching(/entries\['192\.0\.2\.0\/32'\]: the value is not a number/),
    ]);
    const misspelt = { "192.0.2.0/32": { expire: "2030-02-01T00:00:00Z" } };
    const [problem = "", ...more] = await problems(PrefixSetHandler, set({ entries: misspelt }), olds);
    expect(problem).toContain("expire");
    expect(more).toEqual([]);
    expect(problem).not.toMatch(/allowEmpty|maxRemovals|PACKETFILTER_ALLOW/);
  });

  it("holds the stricter of argument and stack", async () => {
    const config = { ...CONFIG, shortestPrefix: '{"ipv4":24,"ipv6":"32"}', maxEntries: "2" };
    const told = async (Resource: new (runtime: Runtime) => Handler, news: JsonObject) =>
      (await provider(Resource, config).it.check({}, set(news))).failures.map(({ reason }) => reason);
    const three = ["192.0.2.1", "192.0.2.2", "192.0.2.3"];
    const tooMany = (limit: number) => `prefixset://edge/blocked: 3 entries are more than maxEntries (${limit}).`;
    expect(await told(PrefixSetHandler, { entries: three })).toEqual([tooMany(2)]);
    expect(await told(PrefixSetHandler, { entries: three, maxEntries: 9 })).toEqual([tooMany(2)]);
    expect(await told(PrefixSetHandler, { entries: three, maxEntries: 1 })).toEqual([tooMany(1)]);
    const short = (prefix: string, length: number) => expect.stringContaining(`${prefix} is shorter than /${length}`);
    const wide = ["192.0.2.0/23", "2001:db8::/31"];
    expect(await told(PrefixSetHandler, { entries: wide, shortestPrefix: { ipv4: 8, ipv6: 48 } })).toEqual([
      short("192.0.2.0/23", 24),
      short("2001:db8::/31", 48),
    ]);
    expect(await told(PrefixSetEntryHandler, { prefix: "192.0.2.0/23" })).toEqual([short("192.0.2.0/23", 24)]);
    const loose = { ...CONFIG, shortestPrefix: { ipv4: 0 } };
    const route = await provider(PrefixSetEntryHandler, loose).it.check({}, set({ prefix: "0.0.0.0/0" }));
    expect(route.failures.map(({ reason }) => reason)).toEqual([short("0.0.0.0/0", 1)]);
  });

  it("counts removals against what the state holds: 20 are always allowed, expired ones are not counted", async () => {
    const olds = set({ entries: thirty });
    const keep = (n: number) => ({ entries: Object.fromEntries(Object.entries(thirty).slice(0, n)) });
    expect(await problems(PrefixSetHandler, set(keep(10)), olds)).toEqual([]);
    expect(await problems(PrefixSetHandler, set(keep(9)), olds)).toEqual([
      expect.stringMatching(/21 of 30 entries would be removed, more than maxRemovals \(50%, here 20\)/),
    ]);
    expect(await problems(PrefixSetHandler, set({ ...keep(9), maxRemovals: 21 }), olds)).toEqual([]);
    expect(await problems(PrefixSetHandler, set({ entries: [] }), set({ entries: { "192.0.2.0/24": 1 } }))).toEqual([
      expect.stringMatching(/the only entry would be removed: .* allowEmpty: true/),
    ]);
    const notes = Object.fromEntries(
      Object.keys(thirty).map((prefix) => [prefix, '{"expires":"2029-01-01T00:00:00Z"}']),
    );
    expect(await problems(PrefixSetHandler, set({ entries: [] }), { ...olds, notes })).toEqual([]);
  });

  it("counts removals of a node with another name by its address; at another address nothing is known of them", async () => {
    const [here, elsewhere] = ["http://192.0.2.10", "http://192.0.2.11"].map((endpoint) => ({ endpoint }));
    const checked = async (nodes: object, from: object = {}) => {
      const { it, printed } = provider(PrefixSetHandler, { nodes, detectDrift: "off" });
      const olds = set({ entries: thirty, node: "n1", ...from });
      const { failures } = await it.check(olds, set({ entries: ["192.0.2.0/24"], node: "m1" }));
      return [...failures.map(({ reason }) => reason), ...printed];
    };
    const tooMany = [expect.stringContaining("30 of 30 entries would be removed, more than maxRemovals")];
    expect(await checked({ n1: here, m1: here })).toEqual(tooMany);
    expect(await checked({ n1: elsewhere, m1: here }, here)).toEqual(tooMany);
    const other = ["m1 prefixset://edge/blocked: 1 entry declared"];
    expect(await checked({ n1: elsewhere, m1: here })).toEqual(other);
    expect(await checked({ n1: here, m1: here }, elsewhere)).toEqual(other);
  });

  it("counts entries that would get another value, where that is asked for: 20 are always allowed", async () => {
    const olds = set({ entries: thirty });
    const entries = (n: number) =>
      Object.fromEntries(Object.entries(thirty).map(([prefix, value], index) => [prefix, index < n ? 0 : value]));
    expect(await problems(PrefixSetHandler, set({ entries: entries(30) }), olds)).toEqual([]);
    const limited = (n: number, more: JsonObject = {}) => set({ entries: entries(n), maxChanges: "50%", ...more });
    expect(await problems(PrefixSetHandler, limited(20), olds)).toEqual([]);
    expect(await problems(PrefixSetHandler, limited(21), olds)).toEqual([
      "prefixset://edge/blocked: 21 of 30 entries would get another value, more than maxChanges (50%, here 20). If that is intended, raise maxChanges or run once with PACKETFILTER_ALLOW=prefixset://edge/blocked.",
    ]);
    expect(await problems(PrefixSetHandler, limited(21, { maxChanges: 21 }), olds)).toEqual([]);
    const unknown = Object.fromEntries(Object.keys(thirty).map((prefix) => [prefix, UNKNOWN]));
    expect(await problems(PrefixSetHandler, set({ entries: unknown, maxChanges: 0 }), olds)).toEqual([]);
    expect(await problems(PrefixSetHandler, set({ entries: thirty, maxChanges: "20" }))).toEqual([
      expect.stringContaining("maxChanges: is a text: write the number 20, or '20%'"),
    ]);
  });

  it("counts them by the setting of the stack, too, and a variable lifts both for one set", async () => {
    const olds = set({ entries: thirty });
    const news = set({
      entries: Object.fromEntries(Object.keys(thirty).map((prefix) => [prefix, 0])),
      maxChanges: "100%",
    });
    const told = async (env: Record<string, string>) => {
      const runtime = new Runtime({ env, print: () => {}, world: { wall: () => NOW } });
      const config: Record<string, unknown> = { ...CONFIG, maxChanges: "20%" };
      runtime.configure((key) => config[key]);
      const { failures } = await dynamicProvider(new PrefixSetHandler(runtime), runtime).check(olds, news);
      return failures.map(({ reason }) => reason);
    };
    expect(await told({})).toEqual([expect.stringContaining("more than packetfilter:maxChanges (20%, here 20)")]);
    expect(await told({ PACKETFILTER_ALLOW: "prefixset://edge/other" })).toHaveLength(1);
    expect(await told({ PACKETFILTER_ALLOW: "prefixset://edge/blocked" })).toEqual([]);
  });

  it("gives unknown values back unchanged, wherever they stand", async () => {
    for (const more of [
      { entries: UNKNOWN },
      { entries: [UNKNOWN, "192.0.2.0/24"] },
      { entries: { "192.0.2.0/24": UNKNOWN } },
      { entries: ["192.0.2.0/24"], arena: UNKNOWN },
      { entries: ["192.0.2.0/24"], node: { endpoint: UNKNOWN } },
      { entries: ["192.0.2.0/24"], forbiddenPrefixes: [UNKNOWN] },
      { entries: ["192.0.2.0/24"], maxEntries: UNKNOWN },
    ]) {
      const { inputs, failures } = await provider(PrefixSetHandler).it.check({}, set(more));
      expect(failures).toEqual([]);
      expect(inputs).toEqual(set(more));
    }
  });
});

describe("the largest value that a node takes", () => {
  const SMALL = { ...CONFIG, node: { maxValue: "255" } };
  const told = async (Resource: new (runtime: Runtime) => Handler, news: JsonObject, olds: JsonObject = {}) => {
    const { failures } = await provider(Resource, SMALL).it.check(olds, news);
    return failures.map(({ reason }) => reason);
  };

  it("fails what is above it and is not held already", async () => {
    const entries = { "192.0.2.0/24": 255, "192.0.2.9/32": 256, "203.0.113.0/24": 300 };
    expect(await told(PrefixSetHandler, set({ entries }))).toEqual([
      "prefixset://edge/blocked: the node takes no value above 255 (maxValue): give 192.0.2.9/32, 203.0.113.0/24 a smaller one.",
    ]);
    expect(await told(PrefixSetHandler, set({ entries }), set({ entries }))).toEqual([]);
    const entry = set({ prefix: "192.0.2.9", value: 256 });
    expect(await told(PrefixSetEntryHandler, entry)).toEqual([
      "the node takes no value above 255 (maxValue): give 192.0.2.9/32 a smaller one.",
    ]);
    expect(await told(PrefixSetEntryHandler, entry, { ...entry, prefix: "192.0.2.9/32" })).toEqual([]);
    expect(await told(PrefixSetEntryHandler, { ...entry, expires: "2020-01-01T00:00:00Z" })).toEqual([]);
  });
});

describe("check of a PrefixSetEntry", () => {
  it("makes the prefix canonical, and marks an entry whose time has come", async () => {
    const { it } = provider(PrefixSetEntryHandler);
    const written = set({ prefix: "2001:DB8::" });
    expect((await it.check({}, written)).inputs).toEqual(written);
    expect(it.normal(written)).toEqual(set({ prefix: "2001:db8::/128" }));
    const expires = "2029-01-01T00:00:00Z";
    expect((await it.check({}, set({ prefix: "192.0.2.1", expires }))).inputs).toMatchObject({ expired: true });
    expect(it.normal(set({ prefix: "192.0.2.1/24", hostBits: "mask" })).prefix).toBe("192.0.2.0/24");
    expect((await it.check({}, set({ prefix: UNKNOWN }))).inputs.prefix).toBe(UNKNOWN);
  });

  it("says what goes since block --now put it there", async () => {
    const { it, printed } = provider(PrefixSetEntryHandler);
    const sent = "1 prefixset://edge/blocked http://192.0.2.10";
    await it.check({}, set({ prefix: "192.0.2.1", expires: "2020-01-01T00:00:00Z", sent }));
    expect(printed.join("\n")).toContain("192.0.2.1/32 (1) is removed if the node still has it with this value");
  });

  it("tells all its problems at once", async () => {
    const more = { prefix: "192.0.2.1/24", value: -1, arena: "a/b", onDestroy: "clear", node: "ams1" };
    expect(await problems(PrefixSetEntryHandler, set(more))).toEqual([
      expect.stringMatching(/^arena: /),
      expect.stringMatching(/^value: is negative/),
      expect.stringMatching(/^onDestroy: is not one of 'remove', 'keep', 'created'/),
      expect.stringMatching(/^prefix: .*host bits/),
      expect.stringMatching(/^node 'ams1' is not in 'packetfilter:nodes'/),
    ]);
    expect(await problems(PrefixSetEntryHandler, set({ prefix: "0.0.0.0/0", value: "many" }))).toEqual([
      expect.stringMatching(/^value: is not a number/),
      expect.stringMatching(/^entry 0\.0\.0\.0\/0 is shorter than \/1/),
    ]);
  });

  it.each<[string, JsonObject, RegExp]>([
    ["host bits", { prefix: "192.0.2.1/24" }, /prefix: '192\.0\.2\.1\/24' has host bits set/],
    ["no prefix", {}, /prefix: is missing/],
    [
      "a forbidden prefix",
      { prefix: "192.0.2.1", forbiddenPrefixes: ["192.0.2.0/24"] },
      /overlaps the forbidden prefix/,
    ],
    ["a negative value", { prefix: "192.0.2.1", value: -1 }, /value: is negative/],
  ])("refuses %s", async (_name, more, message) => {
    expect((await problems(PrefixSetEntryHandler, set(more))).join("\n")).toMatch(message);
  });
});

describe("check of a CloudSignaling", () => {
  it("gives the prefixes back as written; their canonical form has each once and in order", async () => {
    const { it } = provider(CloudSignalingHandler);
    const prefixes = ["2001:DB8::1", "198.51.100.7/32", "198.51.100.7", "10.0.0.0/24"];
    expect((await it.check({}, { prefixes })).inputs).toEqual({ prefixes });
    expect(it.normal({ prefixes }).prefixes).toEqual(["10.0.0.0/24", "198.51.100.7/32", "2001:db8::1/128"]);
    expect(it.normal({ prefixes: [UNKNOWN] }).prefixes).toBe(UNKNOWN);
  });

  it.each<[string, JsonObject, RegExp]>([
    ["an empty list", { prefixes: [] }, /prefixes: is empty/],
    ["host bits", { prefixes: ["198.51.100.7", "198.51.100.7/24"] }, /prefixes\[1\]: .*host bits/],
    ["a wrong choice", { prefixes: ["198.51.100.7"], stops: "some" }, /stops: is not one of 'started', 'all', 'none'/],
    [
      "an unknown receiver",
      { prefixes: ["198.51.100.7"], receiver: "fra1" },
      /receiver 'fra1' is not in 'packetfilter:receivers'/,
    ],
  ])("refuses %s", async (_name, more, message) => {
    expect((await problems(CloudSignalingHandler, more)).join("\n")).toMatch(message);
  });
});
