import { expect, test } from "vitest";
import {
  destinationWithinOwned,
  prefixLength,
  protectedPrefixes,
  readable,
  specialPurposeRanges,
} from "../../policies/index";
import { judges, messagesOf, prefixSet, prefixSetEntry, signaling } from "./support";

const config = {
  sets: [
    { pattern: "prefixset://edge/blocked", role: "block", direction: "source" },
    { pattern: "prefixset://edge/partners", role: "allow", direction: "source" },
    { pattern: "prefixset://edge/victims", role: "block", direction: "destination" },
  ],
  ownedPrefixes: ["198.51.100.0/24", "2001:db8:51::/48"],
  managementPrefixes: ["192.0.2.0/28", "10.20.0.0/16"],
};
const withConfig = (more: object) => ({ config: { ...structuredClone(config), ...more } as never });
const withRule = (name: string, settings: object) => withConfig({ rules: { [name]: settings } });
const options = withConfig({});
const entries = (...prefixes: string[]) => ({ entries: Object.fromEntries(prefixes.map((prefix) => [prefix, 1])) });
const set = (name: string, ...prefixes: string[]) => prefixSet({ set: name, ...entries(...prefixes) }, name);
const half = Array.from({ length: 128 }, (_, n) => `${n}.0.0.0/8`);

judges(prefixLength, options, [
  ["lengths within the limits", set("blocked", "203.0.113.0/24", "2001:db8::/32")],
  [
    "an IPv6 default route, even in a block set, where bogons may be short",
    set("blocked", "::/0"),
    "the default route",
  ],
  ["short bogons in a block set", set("blocked", "240.0.0.0/4", "fc00::/7")],
  ["and in an allow set", set("partners", "240.0.0.0/4"), "240.0.0.0/4 (shorter than /8)"],
  [
    "a default route in pieces beside a bogon",
    set("blocked", ...half, "240.0.0.0/4"),
    "its IPv4 entries together cover",
  ],
  ["a default route in pieces", set("blocked", ...half), "its IPv4 entries together cover more than a quarter"],
  ["a quarter", set("blocked", ...half.slice(0, 64))],
  ["pieces that are allowed", set("blocked", ...half), [], withRule("prefix-length", { ipv4: { shortest: 1 } })],
  [
    "a long prefix",
    set("blocked", "203.0.113.4/32"),
    "longer than /28",
    withRule("prefix-length", { ipv4: { longest: 28 } }),
  ],
  [
    "a role with limits of its own",
    [set("blocked", "2001:db8::/32"), set("partners", "2001:db8::/32")],
    'PrefixSet "partners" (prefixset://edge/partners): entries with a prefix length that is not allowed (1 of 1): 2001:db8::/32 (shorter than /48)',
    withRule("prefix-length", { allow: { ipv6: { shortest: 48 } } }),
  ],
  ["a single entry", prefixSetEntry({ prefix: "0.0.0.0/0" }), 'PrefixSetEntry "entry" (prefixset://edge/blocked)'],
  ["a list of prefixes", prefixSet({ entries: ["0.0.0.0/0"] }), "0.0.0.0/0 (the default route)"],
]);

const FINE = withRule("special-purpose", { allow: ["Private-Use", "203.0.113.0/24"] });

judges(specialPurposeRanges, options, [
  ["what is globally reachable", set("partners", "192.88.100.0/24", "192.0.0.9/32", "2620:4f:8000::/48")],
  [
    "a range within a wider one",
    set("partners", "192.0.0.8/32"),
    "(IPv4 dummy address, RFC 7600, IANA IPv4 Special-Purpose Address Registry)",
  ],
  ["multicast", set("partners", "224.0.0.5/32"), "(Multicast, RFC 5771, IANA IPv4 Multicast Address Space Registry)"],
  ["IPv6", set("partners", "3fff::/20"), "(Documentation, RFC 9637, IANA IPv6 Special-Purpose Address Registry)"],
  ["a prefix that holds a special range", set("partners", "198.0.0.0/8"), "198.0.0.0/8 ("],
  ["all of them in a block set", set("blocked", "10.0.0.0/8", "fe80::/10")],
  ["owned and management prefixes", set("partners", "198.51.100.9/32", "10.20.1.0/24")],
  ["what is fine by name or prefix", set("partners", "172.16.4.0/24", "203.0.113.64/26"), [], FINE],
  [
    "a prefix that holds only special ranges that are fine, or our own",
    set("partners", "203.0.0.0/8", "10.0.0.0/7"),
    [],
    withConfig({ managementPrefixes: ["10.0.0.0/8"], rules: { "special-purpose": { allow: ["203.0.113.0/24"] } } }),
  ],
  ["and what is not", set("partners", "192.0.2.0/24"), "192.0.2.0/24 (", FINE],
]);

const LOCAL = { pattern: "prefixset://edge/web/blocked", role: "allow", direction: "source" };
const own = (url: string) => `PrefixSet "blocked" (${url}): blocked sources that are your own`;

judges(protectedPrefixes, options, [
  ["other blocked sources", set("blocked", "203.0.113.0/24", "192.0.2.16/28")],
  ["a prefix itself", set("blocked", "192.0.2.0/28"), "192.0.2.0/28 (a management prefix)"],
  ["a wider prefix", set("blocked", "198.51.0.0/16"), "(contains the owned prefix 198.51.100.0/24)"],
  ["a narrower prefix", set("blocked", "2001:db8:51:7::/64"), "(lies in the owned prefix 2001:db8:51::/48)"],
  ["what stands for it", set("blocked", "64:ff9b::c000:200/124"), "(stands for 192.0.2.0/28, a management prefix)"],
  [
    "what stands for a narrower one",
    set("blocked", "64:ff9b:1::c633:6407/128"),
    "(stands for 198.51.100.7/32, which lies in the owned prefix 198.51.100.0/24)",
  ],
  [
    "what stands for a wider one",
    set("blocked", "2002:c000:200::/40"),
    "(stands for 192.0.2.0/24, which contains the management prefix 192.0.2.0/28)",
  ],
  ["IPv6 for other IPv4 prefixes", set("blocked", "64:ff9b::cb00:7100/120", "2002:cb00:7100::/40")],
  ["a local set", prefixSet({ profile: "web", ...entries("192.0.2.0/28") }), own("prefixset://edge/web/blocked")],
  [
    "another case",
    prefixSet({ ...entries("192.0.2.0/28"), arena: "EDGE", profile: "web", set: "BLOCKED" }),
    own("prefixset://EDGE/web/BLOCKED"),
  ],
  [
    "an earlier pattern for the local set itself",
    prefixSet({ profile: "web", ...entries("192.0.2.0/28") }),
    [],
    withConfig({ sets: [LOCAL, ...config.sets] }),
  ],
  [
    "a later pattern, of all sets",
    prefixSet({ profile: "web", ...entries("192.0.2.0/28") }),
    own("prefixset://edge/web/blocked"),
    withConfig({ sets: [...config.sets, { ...LOCAL, pattern: "prefixset://**" }] }),
  ],
  ["an allow set, and destinations", [set("partners", "192.0.2.0/28"), set("victims", "198.51.100.7/32")]],
]);

const QUARTERS = ["198.51.100.0/25", "198.51.100.64/26"];

judges(destinationWithinOwned, options, [
  ["owned destinations", set("victims", "198.51.100.7/32")],
  ["one that is owned in part", set("victims", "198.51.100.0/23"), "(1 of 1): 198.51.100.0/23"],
  [
    "two owned halves",
    set("victims", "198.51.100.0/24"),
    [],
    withConfig({ ownedPrefixes: [...QUARTERS, "198.51.100.128/25"] }),
  ],
  [
    "three quarters",
    set("victims", "198.51.100.0/24"),
    "198.51.100.0/24",
    withConfig({ ownedPrefixes: [...QUARTERS, "198.51.100.128/26"] }),
  ],
  ["sources", set("blocked", "203.0.113.0/24")],
]);

test.each([
  [{ arena: "%65dge" }, 'the arena "%65dge" contains "%", after which a node may decode another character'],
  [{ profile: ".." }, 'the profile ".." is a step in a path, not a name'],
  [{ set: "a/blocked" }, 'the set "a/blocked" contains "/", which separates or ends parts of a resource address'],
])("readable: %j is refused", (names, problem) => {
  const part = expect.stringContaining(problem);
  expect(messagesOf(readable, [prefixSet(names), prefixSetEntry(names)])).toEqual([part, part]);
});

judges(readable, {}, [
  [
    "a set, an entry and a signaling",
    [prefixSet({ profile: "web" }), prefixSetEntry(), signaling(["198.51.100.7/32"])],
  ],
  [
    "prefixes that another provider lets through, of which none is skipped",
    prefixSet({ entries: { "192.0.2.0/24": 1, "::ffff:192.0.2.0/120": 1, "198.51.100.7/24": 1, "\u001b[2J": 1 } }),
    'prefixes that no rule can read and judge (3): "::ffff:192.0.2.0/120", "198.51.100.7/24", "\\u001b[2J".',
  ],
  ["an unreadable list", prefixSet({ entries: ["192.0.2.1-192.0.2.9"] }), '"192.0.2.1-192.0.2.9"'],
  ["no entries at all", prefixSet({ entries: undefined }), "`entries`"],
  ["an unreadable entry", prefixSetEntry({ prefix: "everything" }), '"everything"'],
  ["an unreadable signaling", signaling(["198.51.100.7/24"]), '"198.51.100.7/24"'],
]);
