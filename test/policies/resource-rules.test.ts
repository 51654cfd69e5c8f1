import { describe, expect, test } from "vitest";
import {
  endpointTransport,
  organisationRails,
  productionDestroy,
  productionRemovals,
  readable,
  signalingCount,
  signalingLength,
  signalingWithinOwned,
} from "../../policies/index";
import { context } from "../../policies/judge";
import { settingsOf } from "../../policies/settings";
import { allowedOf, parseShareLimit } from "../../provider/model/limits";
import { judges, messagesOf, prefixSet, prefixSetGroup, resourceOf, runOf, signaling, UNKNOWN } from "./support";

/** Entries that a limit allows to remove at a node that holds so many. */
function allowedAt(held: number, { maxRemovals }: { maxRemovals: unknown }): number {
  const limit = parseShareLimit(maxRemovals as string);
  return limit ? allowedOf(limit, held) : 0;
}

describe("organisation-rails", () => {
  const rails = (...all: object[]) => ({ config: { rules: { "organisation-rails": { rails: all } } } });
  /** Limits that the level `remediate` puts into a resource. */
  const putIn = (resource: ReturnType<typeof prefixSet>, options: ReturnType<typeof rails>) => {
    const run = runOf(options);
    const settings = settingsOf(organisationRails, run.config);
    return organisationRails.remediate?.(resourceOf(resource) as never, context(settings, run) as never);
  };
  const kept = { forbiddenPrefixes: ["192.0.2.0/28"], maxEntries: 2, maxRemovals: "20%", maxChanges: 5 };
  test("a set that has the limits of the organisation, or its own, and keeps to them passes", () => {
    const given = { forbiddenPrefixes: ["192.0.2.0/27"], maxEntries: 2, maxRemovals: "9%", maxChanges: 4 };
    const set = prefixSet({ entries: { "203.0.113.0/24": 1 }, ...given });
    expect(messagesOf(organisationRails, [set], rails(kept))).toEqual([]);
    expect(messagesOf(organisationRails, [prefixSet()], rails({ ...kept, set: "prefixset://core/**" }))).toEqual([]);
  });
  test("what a set lacks and what it passes are told, and the level remediate puts in what it lacks", () => {
    const set = prefixSet({ entries: { "192.0.2.0/24": 1, "203.0.113.0/24": 1, "198.51.100.0/24": 1 } });
    expect(messagesOf(organisationRails, [set], rails(kept))).toEqual([
      expect.stringContaining("`forbiddenPrefixes`, `maxEntries`, `maxRemovals`, `maxChanges`"),
      expect.stringContaining("192.0.2.0/24 (overlaps 192.0.2.0/28)"),
      expect.stringContaining("it holds 3 entries, more than 2"),
    ]);
    expect(putIn(set, rails(kept))).toEqual(kept);
  });
  test("looser limits of a program, and rails that are looser than another or than the default, count for nothing", () => {
    const looser = prefixSet({
      maxEntries: 3,
      maxRemovals: "100%",
      maxChanges: 6,
      forbiddenPrefixes: ["192.0.2.0/29"],
    });
    const all = rails(kept, { maxRemovals: "90%", maxEntries: 20_000, maxChanges: 500 });
    expect(putIn(looser, all)).toEqual(kept);
    expect(messagesOf(organisationRails, [prefixSet()], rails({ maxRemovals: "80%" }))).toEqual([]);
    expect(messagesOf(organisationRails, [prefixSet()], rails({ maxRemovals: 60 }))).toHaveLength(1);
  });
  test.each<[string, object, Record<string, unknown>, object]>([
    ["absent limits", { maxRemovals: "20%", maxChanges: "10%" }, {}, { maxRemovals: "20%", maxChanges: "10%" }],
    ["shares of all beside a number", { maxRemovals: 5 }, { maxRemovals: "100%" }, { maxRemovals: 5 }],
    ["defaults beside a number", { maxRemovals: 500 }, {}, { maxRemovals: 500 }],
    ["texts that are no limit", { maxChanges: "20%" }, { maxChanges: "many" }, { maxChanges: "20%" }],
  ])("%s are looser, and are replaced by the rail", (_, rail, own, remediated) => {
    expect(messagesOf(organisationRails, [prefixSet(own)], rails(rail))).toHaveLength(1);
    expect(putIn(prefixSet(own), rails(rail))).toEqual(remediated);
  });
  const many = (size: number) =>
    Object.fromEntries(Array.from({ length: size }, (_, at) => [`10.0.${at >> 8}.${at & 255}/32`, 1]));
  test.each<[string, { maxRemovals: unknown }, { maxRemovals: unknown }]>([
    ["number beside a share", { maxRemovals: "20%" }, { maxRemovals: 1_000 }],
    ["smaller number, which is less at a large node", { maxRemovals: "20%" }, { maxRemovals: 50 }],
    ["share beside a number, which is less at a small node", { maxRemovals: 500 }, { maxRemovals: "30%" }],
  ])("a %s is replaced by what every limit allows, however many entries are declared", (_, rail, own) => {
    for (const size of [1, 5_000]) {
      const set = prefixSet({ entries: many(size), ...own });
      expect(messagesOf(organisationRails, [set], rails(rail))).toHaveLength(1);
      const put = putIn(set, rails(rail)) as typeof own;
      expect(put).toEqual({ maxRemovals: 20 });
      for (const held of [50, 1_000, 100_000])
        expect(allowedAt(held, put)).toBeLessThanOrEqual(Math.min(allowedAt(held, rail), allowedAt(held, own)));
    }
  });
  test("a number that is always allowed keeps to every share, and every number to a share of all", () => {
    const own = { maxRemovals: 20, maxChanges: "20" };
    expect(messagesOf(organisationRails, [prefixSet(own)], rails({ maxRemovals: "20%", maxChanges: "1%" }))).toEqual(
      [],
    );
    const set = prefixSet({ maxRemovals: 1_000, maxChanges: 50 });
    expect(messagesOf(organisationRails, [set], rails({ maxRemovals: "100%", maxChanges: "100%" }))).toEqual([]);
  });
  test("of rails in both forms a number is put in that keeps both", () => {
    expect(putIn(prefixSet(), rails({ maxRemovals: "20%" }, { maxRemovals: 300 }))).toEqual({ maxRemovals: 20 });
    expect(putIn(prefixSet(), rails({ maxRemovals: "20%" }, { maxRemovals: 7 }))).toEqual({ maxRemovals: 7 });
    expect(putIn(prefixSet(), rails({ maxEntries: 10_000_000_000 }))).toEqual({ maxEntries: 10_000_000_000 });
    expect(putIn(prefixSet(), rails({ maxRemovals: "100%" }, { maxRemovals: 300 }))).toEqual({ maxRemovals: 300 });
  });
  test("what was put in passes at every node of a group, also at one with fewer entries", () => {
    const entries = many(1_000);
    const ended = Object.keys(many(950)).map((prefix) => [prefix, '{"expires":"2026-06-01T00:00:00Z"}']);
    const nodes = { n1: {}, n2: { entries: {}, notes: Object.fromEntries(ended) } };
    const group = { entries, maxRemovals: 500, nodes };
    const put = putIn(prefixSetGroup(group), rails({ maxRemovals: "20%" }));
    expect(
      messagesOf(organisationRails, [prefixSetGroup({ ...group, ...put })], rails({ maxRemovals: "20%" })),
    ).toEqual([]);
  });
  test("a share of more than all is none", () => {
    const wrong = () => messagesOf(organisationRails, [], rails({ maxRemovals: "150%" }));
    expect(wrong).toThrow('write a number, or a share as "20%"');
  });
});

const to = (endpoint: unknown, more: object = {}) => prefixSet({ node: { endpoint, ...more } });
const lacks = "the endpoint of its node is reached without TLS";
const NETWORKS = {
  managementPrefixes: ["192.0.2.0/24", "2001:db8::/64"],
  rules: { "endpoint-transport": { networks: ["198.51.100.0/24"], hosts: ["Node.Example.net"] } },
};
const ALLOWED = ["http://192.0.2.7", "http://[2001:db8::1]:81", "http://198.51.100.1", "http://node.example.net"];
const ENVIRONMENT = { environment: { PACKETFILTER_ENDPOINT: "http://203.0.113.9" } };
const ofStack = (stackConfig: Record<string, unknown>) => ({ stackConfig });
const attack = (receiver?: unknown) => signaling(["198.51.100.7/32"], "attack", { receiver });
const STACK = ofStack({
  "packetfilter:endpoint": "https://node.example.net",
  "packetfilter:nodes": JSON.stringify({ fra1: { endpoint: "http://203.0.113.9" } }),
  "packetfilter:signalingUrl": "http://203.0.113.9/path",
  "packetfilter:clientId": "c1",
  "packetfilter:secretKey": "s3cret",
  "packetfilter:receivers": { cloud: { url: "https://signal.example.net", clientId: "c1", secretKey: "s3cret" } },
});

judges(endpointTransport, {}, [
  ["https", to("https://node.example.net")],
  ["this machine", ["http://127.0.0.1:8080", "http://localhost:8080/fapi", "http://[::1]:80"].map((one) => to(one))],
  ["networks and hosts", ALLOWED.map((one) => to(one)), [], { config: NETWORKS }],
  [
    "a receiver",
    attack({ url: "http://203.0.113.9/path", clientId: "c1", secretKey: "s3cret" }),
    "the address of its receiver is reached without TLS",
  ],
  ["a node of the environment", prefixSet(), lacks, ENVIRONMENT],
  ["another node than that of the environment", prefixSet({ node: "fra1" }), [], ENVIRONMENT],
  ["the unnamed node of the stack", prefixSet(), [], STACK],
  ["a node of the stack", prefixSet({ node: "fra1" }), 'its node "fra1" is reached without TLS', STACK],
  ["the unnamed receiver of the stack", attack(), "the address of its receiver is reached without TLS", STACK],
  ["a receiver of the stack", attack("cloud"), [], STACK],
  ["an address that is not known yet", to(UNKNOWN), "`node.endpoint` is known only in the update"],
]);

const FRA1 = { endpoint: "https://node.example.net" };
const deep = `${'{"a":'.repeat(300)}1${"}".repeat(300)}`;
const cloud = { url: "https://signal.example.net", clientId: "c1", secretKey: "s3cret", path: "s3cret" };

describe.each([endpointTransport, readable])("$name says without a value that it cannot read", (rule) => {
  test.each<[string, ReturnType<typeof prefixSet>, Record<string, unknown>, string]>([
    [
      "nodes of which one is nested beyond what is read",
      prefixSet({ node: "fra1" }),
      { "packetfilter:nodes": `{"fra1":${JSON.stringify(FRA1)},"other":${deep}}` },
      'node "fra1" cannot be read, so that no rule judges its address: packetfilter:nodes is nested deeper than 200 levels',
    ],
    [
      "a member that the provider does not know",
      prefixSetGroup({ nodes: ["fra1"] }),
      { "packetfilter:nodes": { fra1: { ...FRA1, s3cretly: 1 } } },
      "packetfilter:nodes.fra1: has no member `s3cretly`",
    ],
    ["a receiver", attack("cloud"), { "packetfilter:receivers": { cloud } }, "`path`"],
  ])("%s", (_, resource, stackConfig, problem) => {
    const messages = messagesOf(rule, [resource], { stackConfig });
    expect(messages).toEqual([expect.stringContaining(problem)]);
    expect(messages[0]).not.toMatch(/s3cret(?!ly)/);
  });
});

const OWNED = { config: { ownedPrefixes: ["198.51.100.0/24", "2001:db8:51::/48"] } };
const good = signaling(["198.51.100.7/32", "2001:db8:51::/48"]);
const many17 = signaling(Array.from({ length: 17 }, (_, n) => `198.51.100.${n}/32`));

judges(signalingWithinOwned, OWNED, [["owned addresses", good]]);
judges(signalingLength, OWNED, [
  ["owned addresses", good],
  ["a short IPv6 prefix", signaling(["2001:db8::/32"]), "2001:db8::/32 (shorter than /48)"],
]);
judges(signalingCount, OWNED, [
  ["owned addresses", good],
  ["too many prefixes", many17, "it has 17 prefixes, more than 16"],
]);

const prod = { stack: "prod" };
const lifting = { ...prod, environment: { PACKETFILTER_ALLOW: "prefixset://edge/blocked" } };
const removing = (maxRemovals: unknown) => prefixSet({ maxRemovals });

judges(productionDestroy, prod, [
  ["a protected set, and one that is kept", [prefixSet({ protect: true }), prefixSet({ onDestroy: "keep" })]],
  ["a set that is cleared in part", prefixSet({ onDestroy: "created" }), "a destroy removes its entries"],
  ["other stacks", prefixSet(), [], { stack: "dev" }],
]);
judges(productionRemovals, prod, [
  ["limits within the default", [undefined, "20%", "50%", 20, "15"].map(removing)],
  ...["51%", 21, "100000"].map((limit) => [`${limit}`, removing(limit), `\`maxRemovals\` is ${limit}`] as const),
  ["other stacks", removing("100%"), [], { stack: "dev" }],
  [
    "the default of a set, which is a limit, too",
    prefixSet(),
    "`maxRemovals` is 50%",
    { ...prod, config: { rules: { "production-removals": { percent: 20 } } } },
  ],
  ["a limit that the environment lifts for the set", prefixSet(), "PACKETFILTER_ALLOW lifts", lifting],
  ["and for another set", prefixSet({ set: "partners" }), [], lifting],
]);
