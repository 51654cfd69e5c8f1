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
import { messagesOf, prefixSet, prefixSetGroup, resourceOf, runOf, signaling, UNKNOWN } from "./support";

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

describe("endpoint-transport", () => {
  const to = (endpoint: string, more: object = {}) => prefixSet({ node: { endpoint, ...more } });
  test.each(["https://node.example.net", "http://127.0.0.1:8080", "http://localhost:8080/fapi", "http://[::1]:80"])(
    "%s passes",
    (endpoint) => expect(messagesOf(endpointTransport, [to(endpoint)])).toEqual([]),
  );
  test("http on a management network passes, and on a network or host of the rule", () => {
    const config = {
      managementPrefixes: ["192.0.2.0/24", "2001:db8::/64"],
      rules: { "endpoint-transport": { networks: ["198.51.100.0/24"], hosts: ["Node.Example.net"] } },
    };
    const nodes = ["http://192.0.2.7", "http://[2001:db8::1]:81", "http://198.51.100.1", "http://node.example.net"];
    expect(
      messagesOf(
        endpointTransport,
        nodes.map((node) => to(node)),
        { config },
      ),
    ).toEqual([]);
  });
  test("http elsewhere is reported, without the address and what else the node holds", () => {
    const node = to("http://user:s3cret@203.0.113.9/fapi", { headers: { Authorization: "s3cret" } });
    const [message, ...rest] = messagesOf(endpointTransport, [node]);
    expect(rest).toEqual([]);
    expect(message).toContain("the endpoint of its node is reached without TLS");
    expect(message).not.toMatch(/s3cret|203\.0\.113\.9|user/);
  });
  test("a receiver is judged as well, its secret is not shown", () => {
    const receiver = { url: "http://203.0.113.9/path", clientId: "c1", secretKey: "s3cret" };
    const [message] = messagesOf(endpointTransport, [signaling(["198.51.100.7/32"], "attack", { receiver })]);
    expect(message).toContain("the address of its receiver is reached without TLS");
    expect(message).not.toMatch(/s3cret|203\.0\.113\.9|c1/);
  });
  test("a node of the environment is judged, unless the resource names another", () => {
    const environment = { PACKETFILTER_ENDPOINT: "http://203.0.113.9" };
    expect(messagesOf(endpointTransport, [prefixSet()], { environment })).toHaveLength(1);
    expect(messagesOf(endpointTransport, [prefixSet({ node: "fra1" })], { environment })).toEqual([]);
  });
  test("a node or receiver of the stack configuration is judged, by name or as the default", () => {
    const stackConfig = {
      "packetfilter:endpoint": "https://node.example.net",
      "packetfilter:nodes": JSON.stringify({
        fra1: { endpoint: "http://203.0.113.9", headers: { Authorization: "s3cret" } },
      }),
      "packetfilter:signalingUrl": "http://203.0.113.9/path",
      "packetfilter:clientId": "c1",
      "packetfilter:secretKey": "s3cret",
      "packetfilter:receivers": { cloud: { url: "https://signal.example.net", clientId: "c1", secretKey: "s3cret" } },
    };
    const said = (resource: Parameters<typeof messagesOf>[1][number]) =>
      messagesOf(endpointTransport, [resource], { stackConfig });
    expect(said(prefixSet())).toEqual([]);
    expect(said(prefixSet({ node: "fra1" }))[0]).toContain('the endpoint of its node "fra1" is reached without TLS');
    expect(said(prefixSet({ node: "fra1" }))[0]).not.toMatch(/s3cret|203\.0/);
    expect(said(signaling(["198.51.100.7/32"]))[0]).toContain("the address of its receiver is reached without TLS");
    expect(said(signaling(["198.51.100.7/32"], "attack", { receiver: "cloud" }))).toEqual([]);
  });
  const FRA1 = { endpoint: "https://node.example.net" };
  const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  const receivers = {
    cloud: { url: "https://signal.example.net", clientId: "c1", secretKey: "s3cret", path: "s3cret" },
  };
  test.each<[string, ReturnType<typeof prefixSet>, Record<string, unknown>, string]>([
    [
      "nodes of which one is nested beyond what is read",
      prefixSet({ node: "fra1" }),
      { "packetfilter:nodes": `{"fra1":${JSON.stringify(FRA1)},"other":${deep(300)}}` },
      'node "fra1" cannot be read, so that no rule judges its address: packetfilter:nodes is nested deeper than 200 levels',
    ],
    [
      "what is no JSON",
      prefixSet({ node: "fra1" }),
      { "packetfilter:nodes": "{s3cret" },
      "packetfilter:nodes is not JSON",
    ],
    [
      "a member that the provider does not know",
      prefixSetGroup({ nodes: ["fra1"] }),
      { "packetfilter:nodes": { fra1: { ...FRA1, s3cretly: 1 } } },
      "packetfilter:nodes.fra1: has no member `s3cretly`",
    ],
    [
      "an unnamed node",
      prefixSet(),
      { "packetfilter:endpoint": "node.example.net" },
      "packetfilter:endpoint: is not a url",
    ],
    ["a receiver", signaling([], "attack", { receiver: "cloud" }), { "packetfilter:receivers": receivers }, "`path`"],
  ])("%s is a violation of both rules that says so, without a value", (_, resource, stackConfig, problem) => {
    for (const rule of [endpointTransport, readable]) {
      const messages = messagesOf(rule, [resource], { stackConfig });
      expect(messages).toEqual([expect.stringContaining(problem)]);
      expect(messages[0]).not.toMatch(/s3cret(?!ly)/);
    }
  });
  test("an address that is not known yet is left for the update", () => {
    expect(messagesOf(endpointTransport, [to(UNKNOWN)])[0]).toContain("`node.endpoint` is known only in the update");
  });
});

describe("signaling", () => {
  const config = { ownedPrefixes: ["198.51.100.0/24", "2001:db8:51::/48"] };
  const good = signaling(["198.51.100.7/32", "2001:db8:51::/48"]);
  test.each([signalingWithinOwned, signalingLength, signalingCount])("owned addresses pass $name", (rule) =>
    expect(messagesOf(rule, [good], { config })).toEqual([]),
  );
  test("a prefix of another owner is named", () => {
    expect(
      messagesOf(signalingWithinOwned, [signaling(["198.51.100.7/32", "203.0.113.7/32"])], { config })[0],
    ).toContain("prefixes that are not within owned prefixes (1 of 2): 203.0.113.7/32");
  });
  test("a prefix that is too short is named", () => {
    expect(messagesOf(signalingLength, [signaling(["2001:db8::/32"])], { config })[0]).toContain(
      "2001:db8::/32 (shorter than /48)",
    );
  });
  test("too many prefixes are counted", () => {
    const many = Array.from({ length: 17 }, (_, n) => `198.51.100.${n}/32`);
    expect(messagesOf(signalingCount, [signaling(many)], { config })[0]).toContain("it has 17 prefixes, more than 16");
  });
});

describe("production", () => {
  const prod = { stack: "prod" };
  const protectedSet = { protect: true };
  test("a protected set passes, and one that is kept", () => {
    const sets = [prefixSet(protectedSet), prefixSet({ onDestroy: "keep" })];
    expect(messagesOf(productionDestroy, sets, prod)).toEqual([]);
  });
  test("a set that is cleared needs protection, by default and in part too", () => {
    for (const inputs of [{}, { onDestroy: "remove" }, { onDestroy: "created" }]) {
      expect(messagesOf(productionDestroy, [prefixSet(inputs)], prod)[0]).toContain(
        "a destroy removes its entries, and it is not protected",
      );
    }
  });
  test("other stacks are free", () => {
    expect(messagesOf(productionDestroy, [prefixSet()], { stack: "dev" })).toEqual([]);
    expect(messagesOf(productionRemovals, [prefixSet({ maxRemovals: "100%" })], { stack: "dev" })).toEqual([]);
  });
  test.each([undefined, "20%", "50%", 20, "15"])("maxRemovals %s passes", (maxRemovals) => {
    expect(messagesOf(productionRemovals, [prefixSet({ maxRemovals })], prod)).toEqual([]);
  });
  test("the default of a set is a limit, too", () => {
    const strict = { ...prod, config: { rules: { "production-removals": { percent: 20 } } } };
    expect(messagesOf(productionRemovals, [prefixSet()], strict)[0]).toContain("`maxRemovals` is 50%");
  });
  test.each(["51%", "100%", 21, "100000"])("maxRemovals %s is reported", (maxRemovals) => {
    expect(messagesOf(productionRemovals, [prefixSet({ maxRemovals })], prod)[0]).toContain(
      `\`maxRemovals\` is ${maxRemovals}`,
    );
  });
  test("lifting the limit by the environment is reported for the set that it is for", () => {
    const environment = { PACKETFILTER_ALLOW: "prefixset://edge/blocked" };
    expect(messagesOf(productionRemovals, [prefixSet()], { ...prod, environment })[0]).toContain(
      "PACKETFILTER_ALLOW lifts",
    );
    expect(messagesOf(productionRemovals, [prefixSet({ set: "partners" })], { ...prod, environment })).toEqual([]);
  });
});
