import { describe, expect, test } from "vitest";
import {
  blastRadius,
  blockAllowConflict,
  exclusiveOwner,
  expiredExceptions,
  redundantPrefixes,
  setCoverage,
  signalingAndBlock,
  signalingsAtOnce,
} from "../../policies/index";
import { levelOf } from "../../policies/settings";
import { messagesOf, prefixSet, prefixSetEntry, reportsOf, runOf, signaling, UNKNOWN } from "./support";

const config = {
  sets: [
    { pattern: "prefixset://*/blocked", role: "block", direction: "source" },
    { pattern: "prefixset://*/partners", role: "allow", direction: "source" },
    { pattern: "prefixset://*/victims", role: "block", direction: "destination" },
  ],
  ownedPrefixes: ["198.51.100.0/24", "2001:db8:51::/48"],
};
const options = { config: config as never };
const set = (name: string, entries: Record<string, unknown>, more: object = {}) =>
  prefixSet({ set: name, entries, ...more }, name);

describe("set-coverage", () => {
  const part = (prefix: string, index: number, more: object = {}) =>
    prefixSet({ set: "blocked", entries: { [prefix]: 1 }, exclusive: false, ...more }, `part-${index}`);
  const eighths = ["0.0.0.0/3", "32.0.0.0/3", "64.0.0.0/3"];
  test("resources that together cover more than a quarter of a family in one set are named, in another set or at another node not", () => {
    expect(
      messagesOf(
        setCoverage,
        eighths.map((prefix, index) => part(prefix, index)),
        options,
      ),
    ).toEqual([
      expect.stringContaining(
        "the IPv4 entries of 3 resources for prefixset://edge/blocked together cover more than a quarter",
      ),
    ]);
    const quarter = eighths.slice(0, 2);
    expect(
      messagesOf(
        setCoverage,
        quarter.map((prefix, index) => part(prefix, index)),
        options,
      ),
    ).toEqual([]);
    const apart = eighths.map((prefix, index) => part(prefix, index, { node: `n${index}` }));
    expect(messagesOf(setCoverage, apart, options)).toEqual([]);
    const entries = [
      ...quarter.map((prefix, index) => part(prefix, index)),
      prefixSetEntry({ prefix: "192.0.2.0/24" }),
    ];
    expect(messagesOf(setCoverage, entries, options)).toHaveLength(1);
  });
  test("a node by name and the same one by address are one node", () => {
    const stackConfig = { "packetfilter:nodes": JSON.stringify({ fra1: { endpoint: "http://192.0.2.10" } }) };
    const sets = [
      part("0.0.0.0/3", 1, { node: "fra1" }),
      prefixSet(
        {
          set: "blocked",
          entries: { "32.0.0.0/3": 1, "64.0.0.0/3": 1 },
          exclusive: false,
          node: { endpoint: "http://192.0.2.10/" },
        },
        "rest",
      ),
    ];
    expect(messagesOf(setCoverage, sets, { ...options, stackConfig })).toHaveLength(1);
    const owners = [prefixSet({ node: "fra1" }, "a"), prefixSet({ node: { endpoint: "http://192.0.2.10" } }, "b")];
    expect(messagesOf(exclusiveOwner, owners, { stackConfig })).toHaveLength(1);
    const moved = [prefixSet({ node: "fra1", endpoint: "http://192.0.2.1" }, "a"), owners[1] as (typeof owners)[0]];
    expect(messagesOf(exclusiveOwner, moved, { stackConfig })).toHaveLength(1);
  });
  test("a family that may be wide passes", () => {
    const allowed = { config: { ...config, rules: { "set-coverage": { wide: ["IPv4"] } } } as never };
    expect(
      messagesOf(
        setCoverage,
        eighths.map((prefix, index) => part(prefix, index)),
        allowed,
      ),
    ).toEqual([]);
  });
});

describe("block-allow-conflict", () => {
  test("a carve-out passes", () => {
    const sets = [set("blocked", { "203.0.113.0/24": 1 }), set("partners", { "203.0.113.7/32": 1 })];
    expect(messagesOf(blockAllowConflict, sets, options)).toEqual([]);
  });
  test("the same prefix in both is named with both sets", () => {
    const sets = [set("blocked", { "203.0.113.0/24": 1 }), set("partners", { "203.0.113.0/24": 1 })];
    expect(messagesOf(blockAllowConflict, sets, options)[0]).toContain(
      "prefixes that are blocked and allowed as source (1): 203.0.113.0/24 (in prefixset://edge/blocked and prefixset://edge/partners)",
    );
  });
  test("in another direction it is no conflict", () => {
    const sets = [set("victims", { "198.51.100.7/32": 1 }), set("partners", { "198.51.100.7/32": 1 })];
    expect(messagesOf(blockAllowConflict, sets, options)).toEqual([]);
  });
  test("on two nodes it is no conflict, on one node it is", () => {
    const nodes = (block: string, allow: string) =>
      messagesOf(
        blockAllowConflict,
        [
          set("blocked", { "203.0.113.0/24": 1 }, { node: block }),
          set("partners", { "203.0.113.0/24": 1 }, { node: allow }),
        ],
        options,
      );
    expect(nodes("n1", "n2")).toEqual([]);
    expect(nodes("n1", "n1")).toHaveLength(1);
  });
  test("a single entry conflicts like a set; a set unknown as yet is named as skipped", () => {
    const sets = [
      set("blocked", { "203.0.113.0/24": 1 }),
      prefixSetEntry({ set: "partners", prefix: "203.0.113.0/24" }),
      prefixSet({ set: "partners", entries: UNKNOWN }, "later"),
    ];
    const found = messagesOf(blockAllowConflict, sets, options);
    expect(found[0]).toContain('PrefixSet "later" (prefixset://edge/partners): cannot be judged yet');
    expect(found[1]).toContain("203.0.113.0/24 (in");
  });
});

describe("redundant-prefixes", () => {
  const found = (entries: Record<string, unknown>, more: object = {}) =>
    messagesOf(redundantPrefixes, [set("blocked", entries, more)]);
  test("prefixes that stand for themselves pass", () => {
    expect(found({ "203.0.113.0/25": 1, "192.0.2.0/24": 1, "2001:db8::/32": 1 })).toEqual([]);
  });
  test("a covered entry is named with what covers it", () => {
    expect(found({ "203.0.113.0/24": 1, "203.0.113.7/32": 1 })).toEqual([
      expect.stringContaining("(1 of 2): 203.0.113.7/32 (covered by 203.0.113.0/24)"),
    ]);
  });
  test("halves, and halves of halves, are named as their aggregate", () => {
    expect(found({ "203.0.113.0/26": 1, "203.0.113.64/26": 1, "203.0.113.128/25": 1 })).toEqual([
      expect.stringContaining(
        "can replace 3 of the 3 entries of prefixset://edge/blocked (1): 203.0.113.0/24 (for 3 entries)",
      ),
    ]);
    expect(found({ "2001:db8::/33": 1, "2001:db8:8000::/33": 1 })[0]).toContain("2001:db8::/32 (for 2 entries)");
  });
  test("another value, reason or expiry keeps entries apart", () => {
    expect(found({ "203.0.113.0/24": 1, "203.0.113.7/32": 2, "192.0.2.0/25": 1, "192.0.2.128/25": 2 })).toEqual([]);
    const halves = { "192.0.2.0/25": 1, "192.0.2.128/25": 1 };
    expect(found(halves, { notes: { "192.0.2.0/25": '{"reason":"SYN flood"}' } })).toEqual([]);
    expect(found(halves, { notes: { "192.0.2.0/25": '{"expires":"2026-07-01T00:00:00Z"}' } })).toEqual([]);
  });
  test("no aggregate is shorter than prefixes may be", () => {
    const all = ["2.0.0.0/8", "3.0.0.0/8", "2000::/16", "2001::/16", "10.0.0.0/9", "10.128.0.0/9"];
    expect(found(Object.fromEntries(all.map((prefix) => [prefix, 1])))).toEqual([
      expect.stringContaining("10.0.0.0/8 (for 2 entries)"),
    ]);
  });
  test("an entry below another value is not redundant, though a wider one has its value", () => {
    expect(found({ "203.0.113.0/24": 1, "203.0.113.0/28": 2, "203.0.113.7/32": 1 })).toEqual([]);
  });
  test("halves of an entry with another value are not joined", () => {
    expect(found({ "203.0.113.0/24": 2, "203.0.113.0/25": 1, "203.0.113.128/25": 1 })).toEqual([]);
  });
  test("entries of one set are judged together, of two nodes apart", () => {
    const half = (node: string, prefix: string) => prefixSetEntry({ node, prefix }, `${node} ${prefix}`);
    expect(
      messagesOf(redundantPrefixes, [half("fra1", "203.0.113.0/25"), half("fra1", "203.0.113.128/25")]),
    ).toHaveLength(1);
    expect(messagesOf(redundantPrefixes, [half("fra1", "203.0.113.0/25"), half("ams1", "203.0.113.128/25")])).toEqual(
      [],
    );
  });
});

describe("exclusive-owner", () => {
  test("one owner, or several that share, pass", () => {
    const shared = [set("blocked", {}, { exclusive: false }), prefixSetEntry()];
    expect(messagesOf(exclusiveOwner, [set("blocked", {}), set("partners", {})])).toEqual([]);
    expect(messagesOf(exclusiveOwner, shared)).toEqual([]);
  });
  test("an entry beside an exclusive set is named", () => {
    expect(messagesOf(exclusiveOwner, [set("blocked", {}), prefixSetEntry()])[0]).toContain(
      'it owns prefixset://edge/blocked exclusively and removes the entries of PrefixSetEntry "entry"',
    );
  });
  test("an entry that the owner declares too passes", () => {
    expect(messagesOf(exclusiveOwner, [set("blocked", { "203.0.113.4/32": 1 }), prefixSetEntry()])).toEqual([]);
  });
  test("two owners on one node are reported once, on two nodes not at all", () => {
    const owner = (name: string, node: string) => prefixSet({ node }, name);
    expect(messagesOf(exclusiveOwner, [owner("a", "fra1"), owner("b", "fra1")])).toHaveLength(1);
    expect(messagesOf(exclusiveOwner, [owner("a", "fra1"), owner("b", "ams1")])).toEqual([]);
    // Two names of one address, and one name of two providers at two addresses.
    const at = (name: string, node: string, endpoint: string) => prefixSet({ set: "blocked", node, endpoint }, name);
    const one = "http://192.0.2.1";
    expect(messagesOf(exclusiveOwner, [at("a", "fra1", one), at("b", "fra2", one)])).toHaveLength(1);
    expect(messagesOf(exclusiveOwner, [at("a", "fra1", one), owner("b", "fra1")])).toHaveLength(1);
    expect(messagesOf(exclusiveOwner, [at("a", "fra1", one), at("b", "fra1", "http://192.0.2.2")])).toEqual([]);
  });
});

describe("blast-radius", () => {
  const limited = (settings: object) => ({ config: { ...config, rules: { "blast-radius": settings } } as never });
  const sets = [
    set("blocked", { "203.0.113.0/24": 1, "203.0.113.7/32": 1, "2001:db8:51:1::/64": 1 }),
    set("victims", { "198.51.100.0/28": 1 }),
    set("partners", { "192.0.2.0/24": 1 }),
  ];
  test("a stack below the limits passes", () => expect(messagesOf(blastRadius, sets, options)).toEqual([]));
  test("what is nested counts once, allow sets not at all, and owned prefixes are named", () => {
    expect(messagesOf(blastRadius, sets, limited({ ipv4Addresses: 271 }))[0]).toContain(
      "it blocks 272 IPv4 addresses, more than 271. In all it blocks 272 IPv4 addresses and 1 IPv6 /64 networks; owned prefixes among them: 198.51.100.0/24 (16 IPv4 addresses), 2001:db8:51::/48 (1 IPv6 /64 networks)",
    );
  });
  test("owned addresses have a limit of their own", () => {
    expect(messagesOf(blastRadius, sets, limited({ ownedIpv4Addresses: 15 }))[0]).toContain(
      "16 owned IPv4 addresses, more than 15",
    );
  });
  test("254 prefixes of length 8 in one set exceed the default, at the file's level", () => {
    const all = Array.from({ length: 254 }, (_, first) => [`${first}.0.0.0/8`, 1]);
    const whole = set("blocked", Object.fromEntries(all));
    const mandatory = { config: { ...config, rules: { "blast-radius": "mandatory" } } as never };
    expect(levelOf(blastRadius, runOf(mandatory).config)).toBe("mandatory");
    expect(reportsOf(blastRadius, [whole], mandatory)).toEqual([
      { message: expect.stringContaining("it blocks 4261412864 IPv4 addresses, more than 16777216.") },
    ]);
  });
  test("owned addresses count that an IPv6 prefix stands for, once", () => {
    const through = set("blocked", { "64:ff9b::c633:6400/120": 1, "2002:c633:6400::/40": 1 });
    expect(messagesOf(blastRadius, [through], limited({ ownedIpv4Addresses: 255 }))[0]).toContain(
      "it blocks 256 owned IPv4 addresses, more than 255.",
    );
  });
  test("excepted sets do not count", () => {
    const except = limited({ ipv4Addresses: 16, except: ["prefixset://*/blocked"] });
    expect(messagesOf(blastRadius, sets, except)).toEqual([]);
  });
});

describe("signalings of a stack", () => {
  test("a signaling beside a block of other destinations passes", () => {
    const resources = [
      signaling(["198.51.100.7/32"]),
      set("victims", { "198.51.100.8/32": 1 }),
      set("blocked", { "198.51.100.7/32": 1 }),
    ];
    expect(messagesOf(signalingAndBlock, resources, options)).toEqual([]);
  });
  test.each(["198.51.100.7/32", "198.51.100.0/24"])("a block of the destination %s is reported", (prefix) => {
    const resources = [signaling(["198.51.100.7/32"]), set("victims", { [prefix]: 1 })];
    expect(messagesOf(signalingAndBlock, resources, options)[0]).toContain(
      `${prefix} (in prefixset://edge/victims, and 198.51.100.7/32 in CloudSignaling "attack")`,
    );
  });
  test("all signalings together have a limit", () => {
    const two = [signaling(["198.51.100.7/32"], "a"), signaling(["198.51.100.7/32", "198.51.100.9/32"], "b")];
    const limit = (count: number) => ({ config: { rules: { "signalings-at-once": { limit: count } } } });
    expect(messagesOf(signalingsAtOnce, two, limit(2))).toEqual([]);
    expect(messagesOf(signalingsAtOnce, two, limit(1))[0]).toContain(
      "more than the limit of 1 (2): 198.51.100.7/32, 198.51.100.9/32",
    );
  });
});

test("exceptions that have ended are listed though nothing falls under them", () => {
  const exceptions = [
    { rule: "naming", set: "prefixset://edge/*", until: "2026-06-14", reason: "migration" },
    { rule: "naming", set: "prefixset://core/*", until: "2026-06-15", reason: "migration" },
  ];
  expect(messagesOf(expiredExceptions, [], { config: { exceptions } })).toEqual([
    expect.stringContaining("the exception from naming for prefixset://edge/* ended 2026-06-14 (migration)"),
  ]);
});
