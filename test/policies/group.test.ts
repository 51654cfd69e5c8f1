import {
  blastRadius,
  endpointTransport,
  exclusiveOwner,
  naming,
  protectedPrefixes,
  redundantPrefixes,
} from "../../policies/index";
import { judges, prefixSet, prefixSetEntry, prefixSetGroup, UNKNOWN } from "./support";

const withConfig = (rules: object) => {
  const sets = [{ pattern: "prefixset://*/blocked", role: "block", direction: "source" }];
  return { config: { sets, ownedPrefixes: ["198.51.100.0/24"], rules } as never };
};
const options = withConfig({});

judges(protectedPrefixes, options, [
  [
    "once for what all nodes have in common, and with its nodes where one has something of its own",
    prefixSetGroup({
      entries: { "198.51.100.7/32": 1 },
      nodes: { fra1: {}, fra2: {}, ams1: { entries: { "198.51.100.9/32": 1 } } },
    }),
    [
      'PrefixSetGroup "blocked" at fra1, fra2 (prefixset://edge/blocked): blocked sources that are your own (1 of 1): 198.51.100.7/32',
      'PrefixSetGroup "blocked" at ams1 (prefixset://edge/blocked): blocked sources that are your own (1 of 2): 198.51.100.9/32',
    ],
  ],
]);

const nested = (own: object) =>
  prefixSetGroup({ entries: { "203.0.113.0/24": 1, "203.0.113.7/32": 1 }, nodes: { fra1: own } });

judges(redundantPrefixes, {}, [
  ["an entry of all nodes", nested({}), "203.0.113.7/32 (covered by 203.0.113.0/24)"],
  ["a node's own entry in place of the group's", nested({ entries: { "203.0.113.7/32": 2 } })],
  [
    "one whose time has come",
    nested({ entries: {}, notes: { "203.0.113.7/32": '{"expires":"2026-06-01T00:00:00Z"}' } }),
  ],
]);

const OWN = { fra1: {}, ams1: { entries: { "192.0.2.9/32": 1 } }, ams2: { entries: { "192.0.2.10/32": 1 } } };

judges(naming, options, [
  ["the group once, however many contents its nodes hold", prefixSetGroup({ set: "Blocked", nodes: OWN }), '"Blocked"'],
]);

const addresses = {
  fra1: "http://fra1.example.net",
  fra2: "https://fra2.example.net",
  ams1: "http://ams1.example.net",
};
const nodes = Object.fromEntries(Object.entries(addresses).map(([name, endpoint]) => [name, { endpoint }]));

judges(endpointTransport, { ...options, stackConfig: { "packetfilter:nodes": JSON.stringify(nodes) } }, [
  [
    "the address of every node",
    prefixSetGroup({ nodes: { fra1: {}, fra2: {}, ams1: {} } }),
    'the endpoints of its nodes "fra1", "ams1" are reached without TLS',
  ],
]);

const group = prefixSetGroup({ nodes: { fra1: {}, fra2: {} } });

judges(exclusiveOwner, options, [
  [
    "nodes that a preview does not know",
    prefixSetGroup({ nodes: UNKNOWN }),
    "since `nodes` is known only in the update",
  ],
  [
    "a set and a foreign entry of its nodes, once",
    [group, prefixSet({ node: "fra2" }, "feed"), prefixSetEntry({ node: "fra1", prefix: "192.0.2.7/32" }, "scanner")],
    ['removes the entries of PrefixSetEntry "scanner"', 'removes the entries of PrefixSet "feed"'],
  ],
  ["a set of another node", [group, prefixSet({ node: "ams1" }, "feed")]],
  [
    "another group that shares nodes",
    [group, prefixSetGroup({ nodes: { fra2: {}, ams1: {} } }, "other")],
    'removes the entries of PrefixSetGroup "other" at fra2, ams1',
  ],
]);

const hundred = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`n${index}`, {}]));
const limited = (ipv4Addresses: number) => withConfig({ "blast-radius": { ipv4Addresses } });

judges(blastRadius, options, [
  [
    "addresses count at each node",
    prefixSetGroup({ entries: { "203.0.113.0/24": 1, "198.51.100.0/28": 1 }, nodes: hundred }),
    "it blocks 27200 IPv4 addresses, more than 27199 and 1600 owned IPv4 addresses, more than 1024. In all it blocks 27200 IPv4 addresses; owned prefixes among them: 198.51.100.0/24 (1600 IPv4 addresses)",
    limited(27_199),
  ],
  [
    "what another resource covers at one of the nodes counts there once",
    [
      prefixSetGroup({ nodes: hundred }),
      prefixSet({ node: "n7", entries: { "203.0.113.0/25": 1, "192.0.2.0/24": 1 } }, "feed"),
    ],
    "it blocks 25856 IPv4 addresses, more than 25855.",
    limited(25_855),
  ],
]);
