import { describe, expect, test } from "vitest";
import {
  blastRadius,
  endpointTransport,
  exclusiveOwner,
  naming,
  protectedPrefixes,
  redundantPrefixes,
} from "../../policies/index";
import { messagesOf, prefixSet, prefixSetEntry, prefixSetGroup, UNKNOWN } from "./support";

const config = {
  sets: [{ pattern: "prefixset://*/blocked", role: "block", direction: "source" }],
  ownedPrefixes: ["198.51.100.0/24"],
};
const options = { config: config as never };
const limited = (settings: object) => ({ config: { ...config, rules: { "blast-radius": settings } } as never });

describe("what the nodes of a group hold is judged as a set", () => {
  test("once for what all have in common, and with its nodes where one has something of its own", () => {
    const group = prefixSetGroup({
      entries: { "198.51.100.7/32": 1 },
      nodes: { fra1: {}, fra2: {}, ams1: { entries: { "198.51.100.9/32": 1 } } },
    });
    expect(messagesOf(protectedPrefixes, [group], options)).toEqual([
      expect.stringMatching(
        /^PrefixSetGroup "blocked" at fra1, fra2 \(prefixset:\/\/edge\/blocked\): .* \(1 of 1\): 198\.51\.100\.7\/32/,
      ),
      expect.stringMatching(
        /^PrefixSetGroup "blocked" at ams1 \(prefixset:\/\/edge\/blocked\): .* \(1 of 2\): 198\.51\.100\.9\/32/,
      ),
    ]);
  });

  test("a node's own entry counts in place of the group's; one whose time has come is not there", () => {
    const entries = { "203.0.113.0/24": 1, "203.0.113.7/32": 1 };
    const found = (own: object) => messagesOf(redundantPrefixes, [prefixSetGroup({ entries, nodes: { fra1: own } })]);
    expect(found({})).toEqual([expect.stringContaining("203.0.113.7/32 (covered by 203.0.113.0/24)")]);
    expect(found({ entries: { "203.0.113.7/32": 2 } })).toEqual([]);
    expect(found({ entries: {}, notes: { "203.0.113.7/32": '{"expires":"2026-06-01T00:00:00Z"}' } })).toEqual([]);
  });

  test("what is wrong with the group is told once, however many contents its nodes hold", () => {
    const nodes = { fra1: {}, ams1: { entries: { "192.0.2.9/32": 1 } }, ams2: { entries: { "192.0.2.10/32": 1 } } };
    expect(messagesOf(naming, [prefixSetGroup({ set: "Blocked", nodes })], options)).toHaveLength(1);
  });

  test("every node's address is judged", () => {
    const stackConfig = {
      "packetfilter:nodes": JSON.stringify({
        fra1: { endpoint: "http://fra1.example.net" },
        fra2: { endpoint: "https://fra2.example.net" },
        ams1: { endpoint: "http://ams1.example.net" },
      }),
    };
    const group = prefixSetGroup({ nodes: { fra1: {}, fra2: {}, ams1: {} } });
    expect(messagesOf(endpointTransport, [group], { ...options, stackConfig })).toEqual([
      expect.stringContaining('the endpoints of its nodes "fra1", "ams1" are reached without TLS'),
    ]);
  });

  test("nodes that a preview does not know are said to be unknown", () => {
    const unknown = prefixSetGroup({ nodes: UNKNOWN });
    expect(messagesOf(exclusiveOwner, [unknown], options)).toEqual([
      expect.stringContaining("cannot be judged yet, since `nodes` is known only in the update"),
    ]);
  });
});

describe("exclusive-owner", () => {
  const group = prefixSetGroup({ nodes: { fra1: {}, fra2: {} } });
  test("a set or a foreign entry of one of the group's nodes is named, once", () => {
    const set = prefixSet({ node: "fra2" }, "feed");
    const entry = prefixSetEntry({ node: "fra1", prefix: "192.0.2.7/32" }, "scanner");
    expect(messagesOf(exclusiveOwner, [group, set, entry], options)).toEqual([
      expect.stringContaining('removes the entries of PrefixSetEntry "scanner"'),
      expect.stringContaining('removes the entries of PrefixSet "feed"'),
    ]);
  });
  test("a set of another node passes", () => {
    expect(messagesOf(exclusiveOwner, [group, prefixSet({ node: "ams1" }, "feed")], options)).toEqual([]);
  });
  test("two groups that share nodes are two owners", () => {
    const other = prefixSetGroup({ nodes: { fra2: {}, ams1: {} } }, "other");
    expect(messagesOf(exclusiveOwner, [group, other], options)).toEqual([
      expect.stringContaining('removes the entries of PrefixSetGroup "other" at fra2, ams1'),
    ]);
  });
});

describe("blast-radius", () => {
  const nodes = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`n${index}`, {}]));
  test("addresses count at each node", () => {
    const entries = { "203.0.113.0/24": 1, "198.51.100.0/28": 1 };
    expect(messagesOf(blastRadius, [prefixSetGroup({ entries, nodes })], limited({ ipv4Addresses: 27_199 }))).toEqual([
      expect.stringContaining(
        "it blocks 27200 IPv4 addresses, more than 27199 and 1600 owned IPv4 addresses, more than 1024. In all it blocks 27200 IPv4 addresses; owned prefixes among them: 198.51.100.0/24 (1600 IPv4 addresses)",
      ),
    ]);
  });
  test("what another resource covers at one of the nodes counts there once", () => {
    const set = prefixSet({ node: "n7", entries: { "203.0.113.0/25": 1, "192.0.2.0/24": 1 } }, "feed");
    expect(messagesOf(blastRadius, [prefixSetGroup({ nodes }), set], limited({ ipv4Addresses: 25_855 }))).toEqual([
      expect.stringContaining("it blocks 25856 IPv4 addresses, more than 25855."),
    ]);
  });
});
