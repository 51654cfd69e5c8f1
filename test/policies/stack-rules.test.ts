import { expect, test } from "vitest";
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
import { judges, prefixSet, prefixSetEntry, reportsOf, runOf, signaling, UNKNOWN } from "./support";

const config = {
  sets: [
    { pattern: "prefixset://*/blocked", role: "block", direction: "source" },
    { pattern: "prefixset://*/partners", role: "allow", direction: "source" },
    { pattern: "prefixset://*/victims", role: "block", direction: "destination" },
  ],
  ownedPrefixes: ["198.51.100.0/24", "2001:db8:51::/48"],
};
const withConfig = (more: object) => ({ config: { ...config, ...more } as never });
const withRule = (name: string, settings: unknown) => withConfig({ rules: { [name]: settings } });
const options = withConfig({});
const set = (name: string, entries: Record<string, unknown>, more: object = {}) =>
  prefixSet({ set: name, entries, ...more }, name);

const part = (prefix: string, more: object = {}) =>
  prefixSet({ entries: { [prefix]: 1 }, exclusive: false, ...more }, `part-${prefix}`);
const eighths = ["0.0.0.0/3", "32.0.0.0/3", "64.0.0.0/3"];
const stackConfig = { "packetfilter:nodes": JSON.stringify({ fra1: { endpoint: "http://192.0.2.10" } }) };
const byAddress = { node: { endpoint: "http://192.0.2.10/" } };

judges(setCoverage, options, [
  [
    "more than a quarter of a family in one set",
    eighths.map((prefix) => part(prefix)),
    "the IPv4 entries of 3 resources for prefixset://edge/blocked together cover more than a quarter",
  ],
  ["a quarter", eighths.slice(0, 2).map((prefix) => part(prefix))],
  ["another node each", eighths.map((prefix) => part(prefix, { node: prefix }))],
  [
    "a single entry that makes it more",
    [...eighths.slice(0, 2).map((one) => part(one)), prefixSetEntry({ prefix: "192.0.2.0/24" })],
    "3 resources",
  ],
  [
    "a family that may be wide",
    eighths.map((prefix) => part(prefix)),
    [],
    withRule("set-coverage", { wide: ["IPv4"] }),
  ],
  [
    "a set with an exception",
    eighths.map((prefix) => part(prefix)),
    [],
    withConfig({
      exceptions: [{ rule: "set-coverage", set: "prefixset://edge/*", until: "2099-01-01", reason: "migration" }],
    }),
  ],
  [
    "a node by name and by address",
    [part("0.0.0.0/3", { node: "fra1" }), part("32.0.0.0/3", byAddress), part("64.0.0.0/3", byAddress)],
    "3 resources",
    { ...options, stackConfig },
  ],
]);

const HALF = { "203.0.113.0/24": 1 };

const AT_N2 = { node: "n2" };
const BLOCKED_AND_ALLOWED = "203.0.113.0/24 (in prefixset://edge/blocked and prefixset://edge/partners)";
const EXCEPTED = withConfig({
  sets: [...config.sets, { pattern: "prefixset://*/test-blocked", role: "block", direction: "source" }],
  exceptions: [
    { rule: "block-allow-conflict", set: "prefixset://edge/test-blocked", until: "2026-12-31", reason: "CHG-1" },
  ],
});

judges(blockAllowConflict, options, [
  ["a carve-out", [set("blocked", HALF), set("partners", { "203.0.113.7/32": 1 })]],
  ["another direction", [set("victims", { "198.51.100.7/32": 1 }), set("partners", { "198.51.100.7/32": 1 })]],
  ["two nodes", [set("blocked", HALF, { node: "n1" }), set("partners", HALF, { node: "n2" })]],
  ["one node", [set("blocked", HALF, { node: "n1" }), set("partners", HALF, { node: "n1" })], "203.0.113.0/24 (in"],
  [
    "a single entry, and a set that is unknown as yet",
    [
      set("blocked", HALF),
      prefixSetEntry({ set: "partners", prefix: "203.0.113.0/24" }),
      prefixSet({ set: "partners", entries: UNKNOWN }, "later"),
    ],
    ['PrefixSet "later" (prefixset://edge/partners): cannot be judged yet', "203.0.113.0/24 (in"],
  ],
  [
    "an exception for one of two block sets",
    [set("blocked", HALF), set("test-blocked", HALF), set("partners", HALF)],
    BLOCKED_AND_ALLOWED,
    EXCEPTED,
  ],
  [
    "an exception for the block set of one of two nodes",
    [set("blocked", HALF), set("partners", HALF), set("test-blocked", HALF, AT_N2), set("partners", HALF, AT_N2)],
    BLOCKED_AND_ALLOWED,
    EXCEPTED,
  ],
]);

const halves = { "192.0.2.0/25": 1, "192.0.2.128/25": 1 };
const entryAt = (node: string, prefix: string) => prefixSetEntry({ node, prefix }, `${node} ${prefix}`);

judges(redundantPrefixes, {}, [
  [
    "prefixes that stand for themselves",
    set("blocked", { "203.0.113.0/25": 1, "192.0.2.0/24": 1, "2001:db8::/32": 1 }),
  ],
  [
    "halves, and halves of halves",
    set("blocked", { "203.0.113.0/26": 1, "203.0.113.64/26": 1, "203.0.113.128/25": 1 }),
    "can replace 3 of the 3 entries of prefixset://edge/blocked (1): 203.0.113.0/24 (for 3 entries)",
  ],
  ["IPv6", set("blocked", { "2001:db8::/33": 1, "2001:db8:8000::/33": 1 }), "2001:db8::/32 (for 2 entries)"],
  [
    "another value",
    set("blocked", { "203.0.113.0/24": 1, "203.0.113.7/32": 2, "192.0.2.0/25": 1, "192.0.2.128/25": 2 }),
  ],
  ["another reason", set("blocked", halves, { notes: { "192.0.2.0/25": '{"reason":"SYN flood"}' } })],
  ["another end", set("blocked", halves, { notes: { "192.0.2.0/25": '{"expires":"2026-07-01T00:00:00Z"}' } })],
  [
    "no aggregate that is shorter than prefixes may be",
    set("blocked", {
      "2.0.0.0/8": 1,
      "3.0.0.0/8": 1,
      "2000::/16": 1,
      "2001::/16": 1,
      "10.0.0.0/9": 1,
      "10.128.0.0/9": 1,
    }),
    "10.0.0.0/8 (for 2 entries)",
  ],
  ["an entry below another value", set("blocked", { "203.0.113.0/24": 1, "203.0.113.0/28": 2, "203.0.113.7/32": 1 })],
  ["halves of an entry with another value", set("blocked", { "192.0.2.0/24": 2, ...halves })],
  ["entries of one set", [entryAt("fra1", "192.0.2.0/25"), entryAt("fra1", "192.0.2.128/25")], "192.0.2.0/24"],
  ["entries of two nodes", [entryAt("fra1", "192.0.2.0/25"), entryAt("ams1", "192.0.2.128/25")]],
]);

const owner = (name: string, node: unknown, endpoint?: string) => prefixSet({ node, endpoint }, name);
const [ONE, OTHER] = ["http://192.0.2.1", "http://192.0.2.2"];

judges(exclusiveOwner, {}, [
  ["an owner of each set", [set("blocked", {}), set("partners", {})]],
  ["several that share", [set("blocked", {}, { exclusive: false }), prefixSetEntry()]],
  [
    "an entry beside an owner",
    [set("blocked", {}), prefixSetEntry()],
    'it owns prefixset://edge/blocked exclusively and removes the entries of PrefixSetEntry "entry"',
  ],
  ["an entry that the owner declares too", [set("blocked", { "203.0.113.4/32": 1 }), prefixSetEntry()]],
  ["two owners on one node, once", [owner("a", "fra1"), owner("b", "fra1")], "exclusively"],
  ["owners on two nodes", [owner("a", "fra1"), owner("b", "ams1")]],
  ["two names of one address", [owner("a", "fra1", ONE), owner("b", "fra2", ONE)], "exclusively"],
  ["a name whose address one of them has", [owner("a", "fra1", ONE), owner("b", "fra1")], "exclusively"],
  ["one name of two providers, at two addresses", [owner("a", "fra1", ONE), owner("b", "fra1", OTHER)]],
  ["a node by name and by address", [owner("a", "fra1"), owner("b", byAddress.node)], "exclusively", { stackConfig }],
  ["a node that has moved", [owner("a", "fra1", ONE), owner("b", byAddress.node)], "exclusively", { stackConfig }],
]);

const sets = [
  set("blocked", { "203.0.113.0/24": 1, "203.0.113.7/32": 1, "2001:db8:51:1::/64": 1 }),
  set("victims", { "198.51.100.0/28": 1 }),
  set("partners", { "192.0.2.0/24": 1 }),
];

judges(blastRadius, options, [
  ["a stack below the limits", sets],
  [
    "what is nested, once; allow sets not at all",
    sets,
    "it blocks 272 IPv4 addresses, more than 271. In all it blocks 272 IPv4 addresses and 1 IPv6 /64 networks; owned prefixes among them: 198.51.100.0/24 (16 IPv4 addresses), 2001:db8:51::/48 (1 IPv6 /64 networks)",
    withRule("blast-radius", { ipv4Addresses: 271 }),
  ],
  [
    "owned addresses",
    sets,
    "16 owned IPv4 addresses, more than 15",
    withRule("blast-radius", { ownedIpv4Addresses: 15 }),
  ],
  [
    "owned addresses that an IPv6 prefix stands for, once",
    set("blocked", { "64:ff9b::c633:6400/120": 1, "2002:c633:6400::/40": 1 }),
    "it blocks 256 owned IPv4 addresses, more than 255.",
    withRule("blast-radius", { ownedIpv4Addresses: 255 }),
  ],
  [
    "nested owned prefixes, once",
    sets,
    [],
    withConfig({
      ownedPrefixes: ["198.51.100.0/24", "198.51.100.0/25", "198.51.100.0/26"],
      rules: { "blast-radius": { ownedIpv4Addresses: 16 } },
    }),
  ],
  [
    "each /64 that an address is in, once",
    set("blocked", { "2001:db8::1/128": 1, "2001:db8::2/128": 1, "2001:db8:0:1::1/128": 1, "2001:db8:0:2::1/128": 1 }),
    "it blocks 3 IPv6 /64 networks, more than 2.",
    withRule("blast-radius", { ipv6Networks: 2 }),
  ],
  ["excepted sets", sets, [], withRule("blast-radius", { ipv4Addresses: 16, except: ["prefixset://*/blocked"] })],
]);

test("254 prefixes of length 8 in one set exceed the default, at the file's level", () => {
  const all = Array.from({ length: 254 }, (_, first) => [`${first}.0.0.0/8`, 1]);
  const mandatory = withRule("blast-radius", "mandatory");
  expect(levelOf(blastRadius, runOf(mandatory).config)).toBe("mandatory");
  expect(reportsOf(blastRadius, [set("blocked", Object.fromEntries(all))], mandatory)).toEqual([
    { message: expect.stringContaining("it blocks 4261412864 IPv4 addresses, more than 16777216.") },
  ]);
});

const attack = signaling(["198.51.100.7/32"]);

judges(signalingAndBlock, options, [
  [
    "other destinations, and sources",
    [attack, set("victims", { "198.51.100.8/32": 1 }), set("blocked", { "198.51.100.7/32": 1 })],
  ],
  [
    "the same destination",
    [attack, set("victims", { "198.51.100.7/32": 1 })],
    '198.51.100.7/32 in CloudSignaling "attack")',
  ],
]);

const two = [signaling(["198.51.100.7/32"], "a"), signaling(["198.51.100.7/32", "198.51.100.9/32"], "b")];

judges(signalingsAtOnce, {}, [
  ["each prefix once", two, [], withRule("signalings-at-once", { limit: 2 })],
  [
    "more than the limit",
    two,
    "limit of 1 (2): 198.51.100.7/32, 198.51.100.9/32",
    withRule("signalings-at-once", { limit: 1 }),
  ],
]);

const until = (day: string) => ({ rule: "naming", set: `prefixset://${day}/*`, until: day, reason: "migration" });

judges(expiredExceptions, withConfig({ exceptions: [until("2026-06-14"), until("2026-06-15")] }), [
  ["though nothing falls under them", [], "prefixset://2026-06-14/* ended 2026-06-14 (migration)"],
]);
