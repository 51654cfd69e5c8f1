import { describe, expect, test } from "vitest";
import {
  destinationWithinOwned,
  prefixLength,
  protectedPrefixes,
  readable,
  specialPurposeRanges,
} from "../../policies/index";
import { messagesOf, prefixSet, prefixSetEntry, signaling } from "./support";

const entries = (...prefixes: string[]) => ({ entries: Object.fromEntries(prefixes.map((prefix) => [prefix, 1])) });
const config = {
  sets: [
    { pattern: "prefixset://edge/blocked", role: "block", direction: "source" },
    { pattern: "prefixset://edge/partners", role: "allow", direction: "source" },
    { pattern: "prefixset://edge/victims", role: "block", direction: "destination" },
  ],
  ownedPrefixes: ["198.51.100.0/24", "2001:db8:51::/48"],
  managementPrefixes: ["192.0.2.0/28", "10.20.0.0/16"],
} as const;
const options = { config: structuredClone(config) as never };
const withRule = (name: string, settings: object) => ({
  config: { ...structuredClone(config), rules: { [name]: settings } } as never,
});

describe("prefix-length", () => {
  const good = entries("203.0.113.0/24", "2001:db8::/32");
  test("a set within the limits passes", () =>
    expect(messagesOf(prefixLength, [prefixSet(good)], options)).toEqual([]));
  test("an IPv4 default route is named", () => {
    expect(messagesOf(prefixLength, [prefixSet(entries("0.0.0.0/0"))], options)[0]).toContain(
      "entries with a prefix length that is not allowed (1 of 1): 0.0.0.0/0 (the default route)",
    );
  });
  test("an IPv6 default route is named even in a block set, where bogons may be short", () => {
    expect(messagesOf(prefixLength, [prefixSet(entries("::/0"))], options)[0]).toContain("::/0 (the default route)");
  });
  test("a default route in pieces is one, in whatever set", () => {
    const half = Array.from({ length: 128 }, (_, n) => `${n}.0.0.0/8`);
    const told = "its IPv4 entries together cover more than a quarter of all addresses";
    expect(messagesOf(prefixLength, [prefixSet(entries(...half))], options)[0]).toContain(told);
    expect(messagesOf(prefixLength, [prefixSet(entries(...half.slice(0, 64)))], options)).toEqual([]);
    const allowed = withRule("prefix-length", { ipv4: { shortest: 1 } });
    expect(messagesOf(prefixLength, [prefixSet(entries(...half))], allowed)).toEqual([]);
  });
  test("short bogons may stand in a block set", () => {
    expect(messagesOf(prefixLength, [prefixSet(entries("240.0.0.0/4", "fc00::/7"))], options)).toEqual([]);
  });
  test("and not in an allow set", () => {
    const partners = prefixSet({ set: "partners", ...entries("240.0.0.0/4") });
    expect(messagesOf(prefixLength, [partners], options)[0]).toContain("240.0.0.0/4 (shorter than /8)");
  });
  test("a longer prefix than allowed", () => {
    const limited = withRule("prefix-length", { ipv4: { longest: 28 } });
    expect(messagesOf(prefixLength, [prefixSet(entries("203.0.113.4/32"))], limited)[0]).toContain("longer than /28");
  });
  test("a role has limits of its own", () => {
    const limited = withRule("prefix-length", { allow: { ipv6: { shortest: 48 } } });
    expect(messagesOf(prefixLength, [prefixSet(good)], limited)).toEqual([]);
    expect(messagesOf(prefixLength, [prefixSet({ set: "partners", ...good })], limited)[0]).toContain(
      "2001:db8::/32 (shorter than /48)",
    );
  });
  test("a single entry is judged as well", () => {
    expect(messagesOf(prefixLength, [prefixSetEntry({ prefix: "0.0.0.0/0" })])[0]).toContain(
      'PrefixSetEntry "entry" (prefixset://edge/blocked)',
    );
  });
});

describe("special-purpose", () => {
  const partners = (...prefixes: string[]) => prefixSet({ set: "partners", ...entries(...prefixes) }, "partners");
  test("public addresses of an allow set pass, and globally reachable special ones", () => {
    const found = messagesOf(
      specialPurposeRanges,
      [partners("192.88.100.0/24", "192.0.0.9/32", "2620:4f:8000::/48")],
      options,
    );
    expect(found).toEqual([]);
  });
  test.each([
    ["10.1.0.0/16", "Private-Use, RFC 1918, IANA IPv4 Special-Purpose Address Registry"],
    ["100.64.7.0/24", "Shared Address Space, RFC 6598, IANA IPv4 Special-Purpose Address Registry"],
    ["192.0.0.8/32", "IPv4 dummy address, RFC 7600, IANA IPv4 Special-Purpose Address Registry"],
    ["224.0.0.5/32", "Multicast, RFC 5771, IANA IPv4 Multicast Address Space Registry"],
    ["fd00::/8", "Unique-Local, RFC 4193, IANA IPv6 Special-Purpose Address Registry"],
    ["3fff::/20", "Documentation, RFC 9637, IANA IPv6 Special-Purpose Address Registry"],
  ])("%s is named with its registry entry", (prefix, citation) => {
    expect(messagesOf(specialPurposeRanges, [partners(prefix)], options)[0]).toContain(`${prefix} (${citation})`);
  });
  test("a prefix that holds a special range is named", () => {
    expect(messagesOf(specialPurposeRanges, [partners("198.0.0.0/8")], options)[0]).toContain("198.0.0.0/8 (");
  });
  test("a block set may hold all of them", () => {
    expect(messagesOf(specialPurposeRanges, [prefixSet(entries("10.0.0.0/8", "fe80::/10"))], options)).toEqual([]);
  });
  test("what is declared as owned or for management is no bogon", () => {
    expect(messagesOf(specialPurposeRanges, [partners("198.51.100.9/32", "10.20.1.0/24")], options)).toEqual([]);
  });
  test("what is fine for a role is configured by name or by prefix", () => {
    const fine = withRule("special-purpose", { allow: ["Private-Use", "203.0.113.0/24"] });
    expect(messagesOf(specialPurposeRanges, [partners("172.16.4.0/24", "203.0.113.64/26")], fine)).toEqual([]);
    expect(messagesOf(specialPurposeRanges, [partners("192.0.2.0/24")], fine)).toHaveLength(1);
  });
});

describe("protected-prefixes", () => {
  test("blocked sources elsewhere pass", () => {
    expect(messagesOf(protectedPrefixes, [prefixSet(entries("203.0.113.0/24", "192.0.2.16/28"))], options)).toEqual([]);
  });
  test.each([
    ["192.0.2.0/28", "a management prefix"],
    ["192.0.2.0/24", "contains the management prefix 192.0.2.0/28"],
    ["192.0.2.3/32", "lies in the management prefix 192.0.2.0/28"],
    ["198.51.0.0/16", "contains the owned prefix 198.51.100.0/24"],
    ["2001:db8:51:7::/64", "lies in the owned prefix 2001:db8:51::/48"],
  ])("%s is refused in either direction of containment", (prefix, relation) => {
    expect(messagesOf(protectedPrefixes, [prefixSet(entries(prefix))], options)[0]).toContain(
      `${prefix} (${relation})`,
    );
  });
  test.each([
    ["64:ff9b::c000:200/124", "stands for 192.0.2.0/28, a management prefix"],
    ["64:ff9b:1::c633:6407/128", "stands for 198.51.100.7/32, which lies in the owned prefix 198.51.100.0/24"],
    ["2002:c000:200::/40", "stands for 192.0.2.0/24, which contains the management prefix 192.0.2.0/28"],
    ["::c633:6400/120", "stands for 198.51.100.0/24, an owned prefix"],
    ["64:ff9b::/32", "stands for 0.0.0.0/0, which contains the management prefix 192.0.2.0/28"],
  ])("%s is refused for the IPv4 prefix that it stands for", (prefix, relation) => {
    expect(messagesOf(protectedPrefixes, [prefixSet(entries(prefix))], options)[0]).toContain(
      `${prefix} (${relation})`,
    );
  });
  test("an IPv6 prefix that stands for other IPv4 prefixes passes", () => {
    expect(
      messagesOf(protectedPrefixes, [prefixSet(entries("64:ff9b::cb00:7100/120", "2002:cb00:7100::/40"))], options),
    ).toEqual([]);
  });
  test.each([
    [{ profile: "web" }, "prefixset://edge/web/blocked"],
    [{ set: "Blocked" }, "prefixset://edge/Blocked"],
    [{ arena: "EDGE", profile: "web", set: "BLOCKED" }, "prefixset://EDGE/web/BLOCKED"],
  ])("a set that is named with %j is judged as the set of that pattern", (named, url) => {
    const found = messagesOf(protectedPrefixes, [prefixSet({ ...entries("192.0.2.0/28"), ...named })], options);
    expect(found).toEqual([expect.stringContaining(`PrefixSet "blocked" (${url}): blocked sources that are your own`)]);
  });
  test("a pattern for the local set itself goes before one for sets of its name, wherever it stands", () => {
    const sets = [...config.sets, { pattern: "prefixset://edge/web/blocked", role: "allow", direction: "source" }];
    const local = prefixSet({ profile: "web", ...entries("192.0.2.0/28") });
    expect(messagesOf(protectedPrefixes, [local], { config: { ...config, sets } as never })).toEqual([]);
  });
  test("an allow set and a set of destinations may hold them", () => {
    const sets = [
      prefixSet({ set: "partners", ...entries("192.0.2.0/28") }),
      prefixSet({ set: "victims", ...entries("198.51.100.7/32") }),
    ];
    expect(messagesOf(protectedPrefixes, sets, options)).toEqual([]);
  });
});

describe("destination-within-owned", () => {
  test("owned destinations pass", () => {
    expect(
      messagesOf(destinationWithinOwned, [prefixSet({ set: "victims", ...entries("198.51.100.7/32") })], options),
    ).toEqual([]);
  });
  test("a destination that is only in part one's own is named", () => {
    const found = messagesOf(
      destinationWithinOwned,
      [prefixSet({ set: "victims", ...entries("198.51.100.0/23") })],
      options,
    );
    expect(found[0]).toContain("destinations that are not within owned prefixes (1 of 1): 198.51.100.0/23");
  });
  test("two halves that are owned own the whole, and three quarters do not", () => {
    const found = (...ownedPrefixes: string[]) =>
      messagesOf(destinationWithinOwned, [prefixSet({ set: "victims", ...entries("198.51.100.0/24") })], {
        config: { ...config, ownedPrefixes } as never,
      });
    expect(found("198.51.100.0/25", "198.51.100.64/26", "198.51.100.128/25")).toEqual([]);
    expect(found("198.51.100.0/25", "198.51.100.64/26", "198.51.100.128/26")).toHaveLength(1);
  });
  test("a set of sources is not judged", () => {
    expect(messagesOf(destinationWithinOwned, [prefixSet()], options)).toEqual([]);
  });
});

describe("readable", () => {
  test("what can be read passes, as a set, an entry and a signaling", () => {
    const resources = [prefixSet({ profile: "web" }), prefixSetEntry(), signaling(["198.51.100.7/32"])];
    expect(messagesOf(readable, resources)).toEqual([]);
  });
  test.each([
    [{ set: "block%65d" }, 'the set "block%65d" contains "%", after which a node may decode another character'],
    [{ arena: "%65dge" }, 'the arena "%65dge" contains "%", after which a node may decode another character'],
    [{ profile: ".." }, 'the profile ".." is a step in a path, not a name'],
    [{ set: "a/blocked" }, 'the set "a/blocked" contains "/", which separates or ends parts of a resource address'],
  ])("%j is refused", (names, problem) => {
    expect(messagesOf(readable, [prefixSet(names), prefixSetEntry(names)])).toEqual([
      expect.stringContaining(problem),
      expect.stringContaining(problem),
    ]);
  });
  test("prefixes that another provider lets through are named, and none of them is skipped", () => {
    const entriesOf = { "192.0.2.0/24": 1, "::ffff:192.0.2.0/120": 1, "198.51.100.7/24": 1, "\u001b[2J": 1 };
    expect(messagesOf(readable, [prefixSet({ entries: entriesOf })])).toEqual([
      expect.stringContaining(
        'prefixes that no rule can read and judge (3): "::ffff:192.0.2.0/120", "198.51.100.7/24", "\\u001b[2J".',
      ),
    ]);
    const others = [
      prefixSet({ entries: ["192.0.2.1-192.0.2.9"] }),
      prefixSet({ entries: undefined }),
      prefixSetEntry({ prefix: "everything" }),
      signaling(["198.51.100.7/24"]),
    ];
    expect(messagesOf(readable, others)).toEqual([
      expect.stringContaining('"192.0.2.1-192.0.2.9"'),
      expect.stringContaining("`entries`"),
      expect.stringContaining('"everything"'),
      expect.stringContaining('"198.51.100.7/24"'),
    ]);
  });
  test("a list of prefixes is judged as entries are", () => {
    expect(messagesOf(prefixLength, [prefixSet({ entries: ["0.0.0.0/0"] })])).toEqual([
      expect.stringContaining("0.0.0.0/0 (the default route)"),
    ]);
  });
});
