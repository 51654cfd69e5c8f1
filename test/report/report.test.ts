import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  markdown,
  parsePreview,
  type Report,
  reportJsonSchema,
  reportOf,
  reportSchema,
  text,
} from "../../provider/report";
import { run } from "../commands/support";
import { publishedJson } from "../support/published-json";

/** Output of the engine, without stack traces and times, and with addresses of the documentation. */
const folder = join(__dirname, "previews");
const NOW = Date.parse("2026-11-22T00:00:00Z");
const reported = (name: string) => reportOf(parsePreview(readFileSync(join(folder, `${name}.json`), "utf8")), NOW);
const setOf = ({ sets }: Report, url: string, node = "http://192.0.2.10") =>
  sets.find((set) => set.url === url && [set.node, set.endpoint].includes(node));
const brief = ({ count, entries }: Report["sets"][number]["in"]) => ({
  count,
  entries: entries.map(({ prefix }) => prefix),
});

test("the published JSON Schema of a report is that of the code", async () => {
  await expect(await publishedJson(reportJsonSchema())).toMatchFileSnapshot("../../schemas/report.schema.json");
});

test("reports of real previews are as the published schema says", async () => {
  const schema = z.fromJSONSchema(
    JSON.parse(readFileSync(join(__dirname, "../../schemas/report.schema.json"), "utf8")),
  );
  for (const name of ["change", "refresh", "failed", "group", "restored"]) {
    const { out } = await run(["report", `${name}.json`, "--output", "json"], { folder, now: () => NOW });
    expect(schema.safeParse(JSON.parse(out)).error).toBeUndefined();
    expect(reportSchema.parse(JSON.parse(out))).toEqual(reported(name));
  }
});

test.each(["change", "refresh", "failed", "group", "restored"])(
  "a preview of the same resources of the plugin is the same report (%s)",
  (name) => {
    const underOwnTypes = (text: string) =>
      text
        .replaceAll("pulumi-nodejs:dynamic/packetfilter:", "packetfilter:index:")
        .replaceAll("pulumi:providers:pulumi-nodejs", "pulumi:providers:packetfilter");
    const dynamic = underOwnTypes(readFileSync(join(folder, `${name}.json`), "utf8"));
    const native = dynamic.replaceAll(/"__provider": "(?:[^"\\]|\\.)*",?/g, "");
    expect(native).not.toMatch(/"__provider": "|nodejs:/);
    const expected = JSON.parse(underOwnTypes(JSON.stringify(reported(name))));
    expect(reportOf(parsePreview(native), NOW)).toEqual(expected);
  },
);

describe("a preview with a bit of everything", () => {
  const report = reported("change");

  test("says of a set what comes, goes, changes its value and its notes, with reasons and times", () => {
    const resource = "blocked";
    const coming = { reason: "why?", expires: "2099-06-30T00:00:00Z" };
    const going = { note: { expires: "2020-01-31T18:00:00Z" }, resource, expired: true };
    const note = { reason: "scan, confirmed", ticket: "INC-1" };
    const noteBefore = { reason: "scan, see [evidence](https://example.com/) @everyone", ticket: "INC-1" };
    expect(setOf(report, "prefixset://edge/blocked")).toEqual({
      node: "http://192.0.2.10",
      endpoint: "http://192.0.2.10",
      url: "prefixset://edge/blocked",
      resources: [{ name: "blocked", type: "PrefixSet", operation: "update" }],
      in: {
        count: 2,
        addresses: { ipv4: "2", ipv6: String(2n ** 80n) },
        entries: [
          { prefix: "192.0.2.200/31", to: 2, note: coming, resource },
          { prefix: "2001:db8:1::/48", to: 1, resource },
        ],
      },
      out: {
        count: 2,
        addresses: { ipv4: "384", ipv6: "0" },
        entries: [
          { prefix: "203.0.113.0/24", from: 1, ...going },
          { prefix: "198.51.100.0/25", from: 1, resource },
        ],
      },
      changed: {
        count: 1,
        addresses: { ipv4: "1", ipv6: "0" },
        entries: [{ prefix: "192.0.2.9/32", from: 7, to: 8, resource }],
      },
      renoted: {
        count: 1,
        addresses: { ipv4: "256", ipv6: "0" },
        entries: [{ prefix: "192.0.2.0/24", from: 1, to: 1, note, noteBefore, resource }],
      },
      kept: 0,
      unknown: 0,
      hidden: false,
      expiring: [{ prefix: "192.0.2.200/31", expires: coming.expires }],
    });
  });

  test("puts the single entries of a set together with the whole sets of it", () => {
    const partners = setOf(report, "prefixset://edge/partners");
    expect(partners?.resources.map(({ name, operation }) => `${operation} ${name}`).sort()).toEqual([
      "create one4",
      "create unknown",
      "delete gone",
      "delete one2",
      "replace one3",
      "update one1",
      "update quiet1",
    ]);
    expect(partners && [partners.in, partners.out, partners.changed, partners.renoted].map(brief)).toEqual([
      { count: 2, entries: ["203.0.113.4/32", "203.0.113.33/32"] },
      { count: 4, entries: ["198.51.100.0/26", "198.51.100.0/28", "203.0.113.2/32", "203.0.113.3/32"] },
      { count: 1, entries: ["203.0.113.1/32"] },
      { count: 1, entries: ["203.0.113.77/32"] },
    ]);
    // The /28 lies in the /26, and two single addresses beside them.
    expect(partners?.out.addresses).toEqual({ ipv4: "66", ipv6: "0" });
    expect(partners).toMatchObject({ unknown: 1, hidden: true });
  });

  test("names what is deleted and replaced as a whole, with what it held", () => {
    const moved = "prefixset://edge/protected/blocked at http://192.0.2.10";
    const whole = report.whole.map(({ operation, type, names, url, becomes, reasons, prefixes }) => {
      return [operation, type, names.join(), url, becomes, reasons.join(), prefixes];
    });
    expect(whole).toEqual([
      ["replace", "PrefixSetEntry", "one3", "prefixset://edge/partners", undefined, "prefix", 1],
      ["replace", "PrefixSet", "web", "prefixset://edge/web/blocked", moved, "profile", 1],
      ["delete", "PrefixSet", "gone", "prefixset://edge/partners", undefined, "", 2],
      ["delete", "CloudSignaling", "over", undefined, undefined, "", 1],
      ["delete", "PrefixSetEntry", "one2", "prefixset://edge/partners", undefined, "", 1],
    ]);
    expect(report.totals).toMatchObject({ deleted: 3, replaced: 2, started: 1, stopped: 2, sets: 8, nodes: 2 });
  });

  test("names equal sets by node, and the signalings by what starts and stops", () => {
    expect(
      report.sets.filter(({ url }) => url === "prefixset://edge/fleet").map(({ node, resources }) => [node, resources]),
    ).toEqual([
      ["ams1", [{ name: "edge-ams1", type: "PrefixSet", operation: "update" }]],
      ["fra1", [{ name: "edge-fra1", type: "PrefixSet", operation: "update" }]],
    ]);
    expect(
      report.signalings.map(({ resource, started, stopped, left }) => [resource.name, started, stopped, left]),
    ).toEqual([
      ["attack", ["198.51.100.64/26"], ["198.51.100.7/32"], []],
      ["over", [], ["198.51.100.9/32"], []],
    ]);
  });

  test("shows of secrets that they are secret, and that they change", () => {
    expect(setOf(report, "prefixset://edge/quiet")?.changed.entries).toEqual([
      { prefix: "203.0.113.64/26", from: "[secret]", to: "[secret]", resource: "quiet" },
    ]);
    for (const output of [markdown(report, { key: "k", limit: 20, maxBytes: 60_000 }), text(report, 20)]) {
      expect(output).toContain("[secret]");
      expect(output).not.toMatch(/__provider|headers|authorization|exports\.handler/);
    }
  });
});

test("what the classes named as secret is not shown, even where the engine prints it", () => {
  const inputs = {
    __secret: ["reason"],
    arena: "edge",
    set: "blocked",
    prefix: "192.0.2.1/32",
    reason: "hidden words",
  };
  const urn = "urn:pulumi:test::journey::pulumi-nodejs:dynamic/packetfilter:PrefixSetEntry::one";
  const preview = JSON.stringify({ steps: [{ op: "create", urn, newState: { inputs } }] });
  const report = reportOf(parsePreview(preview), NOW);
  expect(report.totals.in).toBe(1);
  expect(JSON.stringify(report)).not.toContain("hidden words");
});

test("of secret prefixes nothing is shown that repeats them or names others, even where the engine prints it", () => {
  const common = { __secret: ["entries"], secretPrefixes: true, arena: "edge", set: "blocked" };
  const notes = { "192.0.2.1/32": JSON.stringify({ reason: "hidden words" }) };
  const lists = { adopted: ["203.0.113.7/32"], found: ["203.0.113.8/32"], unsettled: ["203.0.113.9/32"] };
  const state = { ...common, entries: { "192.0.2.1/32": 1 }, notes };
  const urn = "urn:pulumi:test::journey::pulumi-nodejs:dynamic/packetfilter:PrefixSet::one";
  const oldState = { inputs: state, outputs: { ...state, ...lists, __lists: lists } };
  const newState = { inputs: { ...state, entries: { "192.0.2.2/32": 1 } } };
  const report = reportOf(parsePreview(JSON.stringify({ steps: [{ op: "update", urn, oldState, newState }] })), NOW);
  expect(report.sets).toHaveLength(1);
  expect(JSON.stringify(report)).not.toMatch(/192\.0\.2\.|203\.0\.113\.|hidden words/);
});

test("a preview with --refresh says what the node holds other than the state", () => {
  const report = reported("refresh");
  expect(report.sets).toHaveLength(1);
  expect(report.sets[0]?.drift).toEqual({ in: 1, out: 1, changed: 1 });
  expect(text(report, 20)).toContain("Drift found by the refresh: 1 more, 1 fewer, 1 with other values.");
});

test("a warning of a dynamic resource, which the engine records as a note, is the same warning as that of the plugin", () => {
  const warning = "prefixset://edge/blocked on http://192.0.2.10: it did not answer, so nothing was compared.";
  const found = "http://192.0.2.10 prefixset://edge/blocked holds 2 undeclared entries";
  const restored =
    "http://192.0.2.10 prefixset://edge/blocked lacks 1 declared entry (192.0.2.0/24): this up restores it.";
  const note = { severity: "info", message: "http://192.0.2.10 prefixset://edge/blocked: +1 -0 ~0, 1 after\n" };
  const messages = [warning, found, restored];
  const printed = messages.map((text) => ({ severity: "info", message: `\u001b[33mwarning: \u001b[0m${text}\n\n` }));
  const logged = messages.map((message) => ({ severity: "warning", message }));
  for (const diagnostics of [printed, logged]) {
    const report = reportOf(parsePreview(JSON.stringify({ diagnostics: [note, ...diagnostics] })), NOW);
    expect([report.warnings, report.found]).toEqual([[warning], [found]]);
  }
});

test("with --refresh, what is restored beside a change of the program does not come in as well, and what leaves it does not go: it is drift", () => {
  const type = (kind: string) => `urn:pulumi:test::journey::pulumi-nodejs:dynamic/packetfilter:${kind}::${kind}`;
  const restores = "1 missing entry: 192.0.2.1/32";
  const changed = (
    kind: string,
    inputs: object,
    { before, after }: Record<"before" | "after", object>,
    desired: object,
  ) => [
    { op: "refresh", urn: type(kind), oldState: { inputs, outputs: before }, newState: { inputs, outputs: before } },
    {
      op: "update",
      urn: type(kind),
      oldState: { inputs, outputs: after },
      newState: { inputs: { ...inputs, ...desired, restores } },
      detailedDiff: { restores: {}, 'entries["203.0.113.9/32"]': {}, prefixes: {} },
    },
  ];
  const lost = { "192.0.2.1/32": 1, "198.51.100.7/32": 1 };
  const set = { arena: "edge", set: "blocked", entries: lost };
  const more = { entries: { "192.0.2.1/32": 1, "203.0.113.9/32": 1 } };
  const at = { ...set, endpoint: "http://192.0.2.10" };
  const group = { ...set, nodes: { fra1: {} } };
  const there = { ...group, endpoints: { fra1: "http://192.0.2.11" } };
  const signaling = { prefixes: Object.keys(lost), receiver: "main" };
  const steps = [
    changed("PrefixSet", set, { before: at, after: { ...at, entries: {}, lost } }, more),
    changed(
      "PrefixSetGroup",
      group,
      {
        before: there,
        after: { ...there, differs: { fra1: { "192.0.2.1/32": null, "198.51.100.7/32": null } }, lost: { fra1: lost } },
      },
      more,
    ),
    changed(
      "CloudSignaling",
      signaling,
      { before: signaling, after: { ...signaling, prefixes: [], lost: Object.keys(lost) } },
      { prefixes: Object.keys(more.entries) },
    ),
  ];
  const report = reportOf(parsePreview(JSON.stringify({ steps: steps.flat() })), NOW);
  expect(report.totals).toMatchObject({ in: 2, out: 0, started: 1, stopped: 0, restored: 3 });
  expect(report.sets.map((one) => [brief(one.in).entries, one.drift])).toEqual([
    [["203.0.113.9/32"], { in: 0, out: 2, changed: 0 }],
    [["203.0.113.9/32"], { in: 0, out: 2, changed: 0 }],
  ]);
  expect(report.signalings.map(({ started, left }) => [started, left])).toEqual([[["203.0.113.9/32"], []]]);
});

test("a preview that failed is reported with its errors, and ends with 1", async () => {
  const { code, out, err } = await run(["report", "failed.json"], { folder });
  expect(code).toBe(1);
  expect(out).toContain("The preview failed. So far: No changes.");
  expect(out).toContain("'192.0.2.9/24' has host bits set");
  expect(err).toBe("The preview failed: the report names its errors.\n");
});

test("a set stays where it is, although the preview does not say the address of its node", () => {
  const place = { arena: "edge", set: "blocked" };
  const urn = "urn:pulumi:test::journey::pulumi-nodejs:dynamic/packetfilter:PrefixSet::";
  // Connections of the environment, and nodes that are secret as a whole.
  for (const node of [undefined, "fra1"]) {
    const endpoint = "https://192.0.2.10";
    const old = { inputs: { ...place, node, entries: { "192.0.2.1/32": 1 } }, outputs: { endpoint } };
    const inputs = { ...place, node, entries: { "192.0.2.1/32": 1, "192.0.2.2/32": 1 } };
    const steps = [
      { op: "create", urn: `${urn}new`, newState: { inputs: { ...place, node, set: "new", entries: {} } } },
      { op: "update", urn: `${urn}blocked`, oldState: old, newState: { inputs } },
    ];
    const { sets, totals } = reportOf(
      parsePreview(JSON.stringify({ config: { "packetfilter:nodes": "[secret]" }, steps })),
      NOW,
    );
    expect(totals).toMatchObject({ in: 1, out: 0, sets: 2, nodes: 1 });
    expect(sets.map((set) => [set.node, set.endpoint])).toEqual([
      [node ?? endpoint, endpoint],
      [node ?? endpoint, endpoint],
    ]);
  }
});

test("an entry that moves between resources neither comes nor goes; a kept one stays", () => {
  const place = { arena: "edge", set: "blocked" };
  const urn = (type: string, name: string) =>
    `urn:pulumi:test::journey::pulumi-nodejs:dynamic/packetfilter:${type}::${name}`;
  const whole = { ...place, entries: { "192.0.2.1/32": 1, "192.0.2.2/32": 1 } };
  const steps = [
    { op: "create", urn: urn("PrefixSetEntry", "one"), newState: { inputs: { ...place, prefix: "192.0.2.1" } } },
    { op: "delete", urn: urn("PrefixSet", "whole"), oldState: { inputs: whole } },
    {
      op: "delete",
      urn: urn("PrefixSetEntry", "kept"),
      oldState: { inputs: { ...place, prefix: "192.0.2.3", onDestroy: "keep" } },
    },
  ];
  const { sets, whole: deleted } = reportOf(parsePreview(JSON.stringify({ steps })), NOW);
  expect(sets.map((set) => [brief(set.in), brief(set.out), set.kept])).toEqual([
    [{ count: 0, entries: [] }, { count: 1, entries: ["192.0.2.2/32"] }, 1],
  ]);
  expect(deleted.map(({ names, kept }) => [names, kept])).toEqual([
    [["whole"], false],
    [["kept"], true],
  ]);
});

test("with onDestroy created, the entries that were there before stay: of a set, and of each node of a group", () => {
  const place = { arena: "edge", set: "blocked", onDestroy: "created" };
  const entries = { "192.0.2.1/32": 1, "192.0.2.2/32": 1 };
  const urn = (type: string) => `urn:pulumi:test::journey::pulumi-nodejs:dynamic/packetfilter:${type}::${type}`;
  const endpoints = { ams1: "http://192.0.2.11", fra1: "http://192.0.2.12" };
  const deleted = (type: string, inputs: object, outputs: object) => ({
    op: "delete",
    urn: urn(type),
    oldState: { inputs: { ...place, entries, ...inputs }, outputs },
  });
  const set = deleted("PrefixSet", {}, { endpoint: "http://192.0.2.10", existed: ["192.0.2.1/32"] });
  const existed = { ams1: ["192.0.2.1/32"], fra1: Object.keys(entries) };
  const group = deleted("PrefixSetGroup", { nodes: { ams1: {}, fra1: {} } }, { endpoints, existed });
  const report = reportOf(parsePreview(JSON.stringify({ steps: [set, group] })), NOW);
  expect(report.sets.map(({ endpoint, out, kept }) => [endpoint, brief(out).entries, kept])).toEqual([
    ["http://192.0.2.11", ["192.0.2.2/32"], 1],
    ["http://192.0.2.12", [], 2],
    ["http://192.0.2.10", ["192.0.2.2/32"], 1],
  ]);
  expect(report.whole.map(({ type, kept }) => [type, kept])).toEqual([
    ["PrefixSet", false],
    ["PrefixSetGroup", false],
  ]);
});

test("a signaling that moves stops at the old receiver and starts at the new", () => {
  const urn = "urn:pulumi:test::journey::pulumi-nodejs:dynamic/packetfilter:CloudSignaling::attack";
  const prefixes = ["192.0.2.1/32", "192.0.2.2/32"];
  const old = {
    inputs: { prefixes, receiver: "a" },
    outputs: { started: ["192.0.2.1/32"], endpoint: "https://192.0.2.20/path" },
  };
  const config = { "packetfilter:receivers": '{"b": {"url": "https://192.0.2.21/path"}}' };
  const steps = [
    {
      op: "replace",
      urn,
      replaceReasons: ["receiver"],
      oldState: old,
      newState: { inputs: { prefixes, receiver: "b" } },
    },
  ];
  const { signalings, whole } = reportOf(parsePreview(JSON.stringify({ config, steps })), NOW);
  expect(signalings).toMatchObject([
    { receiver: "b", started: prefixes, stopped: ["192.0.2.1/32"], left: ["192.0.2.2/32"] },
  ]);
  expect(whole).toMatchObject([{ operation: "replace", place: "a", becomes: "b", prefixes: 2 }]);
});

test("an update leaves what is at a former address, and what leaves it goes by the program of now", () => {
  const update = (kind: string, old: object, outputs: object, inputs: object) => {
    const urn = `urn:pulumi:test::journey::pulumi-nodejs:dynamic/packetfilter:${kind}::${kind}`;
    return { op: "update", urn, oldState: { inputs: old, outputs }, newState: { inputs } };
  };
  const set = { arena: "edge", set: "blocked", entries: { "192.0.2.1/32": 1 } };
  const [one, group] = [
    { ...set, node: "fra1" },
    { ...set, set: "fleet", nodes: { fra1: {} } },
  ];
  const attack = { prefixes: ["192.0.2.1/32"], receiver: "main" };
  const held = { prefixes: ["192.0.2.1/32", "192.0.2.2/32"], started: ["192.0.2.1/32", "192.0.2.2/32"], stops: "none" };
  const steps = [
    update("PrefixSet", one, { endpoint: "http://192.0.2.11" }, one),
    update(
      "PrefixSetGroup",
      { ...group, nodes: { ams1: {}, fra1: {} }, onDestroy: "keep" },
      { endpoints: { ams1: "http://192.0.2.13", fra1: "http://192.0.2.11" } },
      group,
    ),
    update("CloudSignaling", { ...attack, ...held }, { started: held.started, endpoint: "https://192.0.2.20" }, attack),
    update("CloudSignaling", { ...attack, ...held }, { started: held.started, endpoint: "https://192.0.2.21" }, attack),
  ];
  const config = {
    "packetfilter:nodes": '{"ams1": {"endpoint": "http://192.0.2.13"}, "fra1": {"endpoint": "http://192.0.2.12"}}',
    "packetfilter:receivers": '{"main": {"url": "https://192.0.2.21"}}',
    "packetfilter:distinctNodes": "true",
  };
  const { sets, signalings } = reportOf(parsePreview(JSON.stringify({ config, steps })), NOW);
  const rows = sets.map(({ endpoint, url, in: coming, out, kept }) => [url, endpoint, coming.count, out.count, kept]);
  expect(rows.sort()).toEqual([
    ["prefixset://edge/blocked", "http://192.0.2.11", 0, 0, 1],
    ["prefixset://edge/blocked", "http://192.0.2.12", 1, 0, 0],
    ["prefixset://edge/fleet", "http://192.0.2.11", 0, 0, 1],
    ["prefixset://edge/fleet", "http://192.0.2.12", 1, 0, 0],
    ["prefixset://edge/fleet", "http://192.0.2.13", 0, 1, 0],
  ]);
  expect(signalings.map(({ started, stopped, left }) => [started, stopped, left])).toEqual([
    [["192.0.2.1/32"], [], held.prefixes],
    [[], ["192.0.2.2/32"], []],
  ]);
});

describe("a preview with a group of which one node drifted, two join, and one of these has an entry of its own", () => {
  const report = reported("group");
  const changes = ({ node, nodes, drift, in: coming, out }: Report["sets"][number]) => ({
    node,
    ...(nodes && { nodes }),
    in: coming.entries.map(({ prefix }) => prefix),
    out: out.entries.map(({ prefix }) => prefix),
    ...(drift && { drift }),
  });

  test("nodes that change in the same way are one set, with their names", () => {
    expect(report.sets.map(changes)).toEqual([
      { node: "2 nodes", nodes: ["fra1", "fra2"], in: ["203.0.113.0/24"], out: ["198.51.100.0/24"] },
      {
        node: "ams1",
        in: ["192.0.2.0/24", "203.0.113.0/24"],
        out: ["198.51.100.0/24"],
        drift: { in: 0, out: 1, changed: 0 },
      },
      { node: "ams2", in: ["192.0.2.0/24", "203.0.113.0/24", "203.0.113.9/32"], out: [] },
      { node: "fra3", in: ["192.0.2.0/24", "203.0.113.0/24"], out: [] },
    ]);
  });

  test("counts entries, sets and nodes at each node", () => {
    expect(report.totals).toMatchObject({ in: 9, out: 3, sets: 5, nodes: 5, deleted: 0, replaced: 0 });
  });

  test("names the nodes in text and Markdown, and takes them apart to ask each for its marks", () => {
    expect(text(report, 20)).toContain(`2 nodes prefixset://edge/blocked, the same at each: fra1, fra2
  1 entry in (256 IPv4 addresses), 1 entry out (256 IPv4 addresses), on each node.
  + 203.0.113.0/24 2, SYN flood
`);
    const comment = markdown(report, { key: "shop/prod", limit: 20, maxBytes: 60_000 });
    expect(comment).toContain(
      "One set on 2 nodes: in 1, out 1</summary>\n\n`prefixset://edge/blocked` at `fra1`, `fra2`\n",
    );
    expect(comment.split("\n").filter((line) => line.startsWith("| `ams"))).toEqual([
      "| `ams1` | `prefixset://edge/blocked` | 2 (512 IPv4 addresses) | 1 (256 IPv4 addresses) | 0 | 0 | `192.0.2.0/24` `203.0.113.0/24` | `198.51.100.0/24` |",
      "| `ams2` | `prefixset://edge/blocked` | 3 (512 IPv4 addresses) | 0 | 0 | 0 | `192.0.2.0/24` `203.0.113.0/24` `203.0.113.9/32` |  |",
    ]);
    const preview = parsePreview(readFileSync(join(folder, "group.json"), "utf8"));
    expect(reportOf(preview, NOW, { byNode: true }).sets.map(({ node, endpoint }) => [node, endpoint])).toEqual([
      ["ams1", "http://192.0.2.13"],
      ["ams2", "http://192.0.2.14"],
      ["fra1", "http://192.0.2.10"],
      ["fra2", "http://192.0.2.11"],
      ["fra3", "http://192.0.2.12"],
    ]);
  });

  test("a node at which another resource changes the same set is apart", () => {
    const preview = parsePreview(readFileSync(join(folder, "group.json"), "utf8"));
    const urn = "urn:pulumi:prod::shop::pulumi-nodejs:dynamic/packetfilter:PrefixSetEntry::moved";
    const inputs = { arena: "edge", set: "blocked", prefix: "203.0.113.0/24", value: 2, node: "fra2" };
    const oldState = { inputs, outputs: { ...inputs, endpoint: "http://192.0.2.11" } };
    const steps = [...preview.steps, { op: "delete", urn, oldState }];
    // It moves from the single entry to the group: it neither comes nor goes.
    expect(
      reportOf({ ...preview, steps }, NOW)
        .sets.map(changes)
        .slice(2, 4),
    ).toEqual([
      { node: "fra1", in: ["203.0.113.0/24"], out: ["198.51.100.0/24"] },
      { node: "fra2", in: [], out: ["198.51.100.0/24"] },
    ]);
  });

  test("a group that is deleted is one line, and what it held goes at each node", () => {
    const preview = parsePreview(readFileSync(join(folder, "group.json"), "utf8"));
    const steps = preview.steps.flatMap((step) =>
      step.op === "update" && step.urn.endsWith("::edge") ? [{ ...step, op: "delete", newState: null }] : [],
    );
    const gone = reportOf({ ...preview, steps }, NOW);
    expect(gone.whole).toMatchObject([
      { operation: "delete", type: "PrefixSetGroup", place: "ams1, fra1, fra2", prefixes: 2 },
    ]);
    expect(gone.totals).toMatchObject({ in: 0, out: 5, sets: 3, nodes: 3 });
  });
});

describe("a preview that restores what was lost, beside a change of the program and nodes that leave two groups", () => {
  const report = reported("restored");
  const at = "http://192.0.2.10";

  test("what is restored stands by itself, and is no change of the program", () => {
    expect(report.restored.map(({ resource, place, url, what }) => [resource.name, place, url, what])).toEqual([
      ["attack", `${at}/path`, undefined, "1 signaling that is not active: 198.51.100.8/32"],
      ["fleet", undefined, "prefixset://edge/blocked", "ams1, fra2: 1 missing entry: 192.0.2.0/24"],
      ["partners", at, "prefixset://edge/partners", "1 missing entry: 198.51.100.0/24"],
      [
        "blocked",
        at,
        "prefixset://edge/blocked",
        "1 missing entry: 192.0.2.0/24; 1 other value: 192.0.2.9/32 has the value 5, not 7",
      ],
      ["one1", at, "prefixset://edge/web/blocked", "1 missing entry: 203.0.113.1/32"],
    ]);
    expect(report.totals).toMatchObject({ in: 1, out: 3, changed: 0, started: 0, restored: 5 });
    expect(report.sets.flatMap(({ resources }) => resources.map(({ name }) => name))).not.toContain("blocked");
    expect(report.signalings).toEqual([]);
    const partners = setOf(report, "prefixset://edge/partners");
    expect(partners && [partners.in, partners.out].map(brief)).toEqual([
      { count: 1, entries: ["203.0.113.64/26"] },
      { count: 1, entries: ["203.0.113.0/26"] },
    ]);
  });

  test("of a node that leaves its group it says what the up does: cleared, or left where it may be the same machine", () => {
    const left = (url: string) => {
      const set = setOf(report, url, "ams1");
      return set && { out: set.out.count, kept: set.kept, unproven: set.unproven };
    };
    expect(left("prefixset://edge/partners")).toEqual({ out: 0, kept: 0, unproven: 2 });
    expect(left("prefixset://edge/web/blocked")).toEqual({ out: 2, kept: 0, unproven: undefined });
    expect(report.found).toEqual([
      expect.stringContaining(
        "prefixset://edge/web/blocked on ams1: it leaves the group, and up clears 2 entries there.",
      ),
      expect.stringContaining(
        "prefixset://edge/partners on ams1: it leaves the group, and 2 entries stay there, since",
      ),
    ]);
    const preview = parsePreview(readFileSync(join(folder, "restored.json"), "utf8"));
    const distinct = { ...preview, config: { ...preview.config, "packetfilter:distinctNodes": "true" } };
    expect(setOf(reportOf(distinct, NOW), "prefixset://edge/partners", "ams1")?.out.count).toBe(2);
  });

  test("text and Markdown have a section of it, and the line to quote says how many there are", () => {
    const quoted =
      "1 entry in (64 IPv4 addresses), 3 entries out (256 IPv4 addresses), in 6 sets on 4 nodes. 5 resources restore what nodes or receivers lost.";
    const stays =
      "2 entries stay at a node that leaves the group: it may be the same machine as one that wants the same (packetfilter:distinctNodes).";
    const plain = text(report, 20);
    const comment = markdown(report, { key: "shop/prod", limit: 20, maxBytes: 60_000 });
    for (const line of [
      quoted,
      `  ${stays}`,
      "Restored, no change of the program:",
      "  fleet, prefixset://edge/blocked: ams1, fra2: 1 missing entry: 192.0.2.0/24",
      `  one1, prefixset://edge/web/blocked at ${at}: 1 missing entry: 203.0.113.1/32`,
    ])
      expect(plain.split("\n")).toContain(line);
    for (const line of [
      quoted,
      `- ${stays}`,
      "**Restored, no change of the program**",
      "- `fleet`, `prefixset://edge/blocked`: `ams1, fra2: 1 missing entry: 192.0.2.0/24`",
      `- \`attack\`, \`${at}/path\`: \`1 signaling that is not active: 198.51.100.8/32\``,
    ])
      expect(comment.split("\n")).toContain(line);
    const { steps, ...preview } = parsePreview(readFileSync(join(folder, "restored.json"), "utf8"));
    const alone = steps.filter(({ urn }) => /::(blocked|one1)$/.test(urn));
    expect(text(reportOf({ ...preview, steps: alone }, NOW), 20)).toContain(
      "No change of the program. 2 resources restore what nodes or receivers lost.\n",
    );
  });
});

describe("a preview of which a change would not be reported is refused", () => {
  const urn = "urn:pulumi:dev::shop::packetfilter:index:PrefixSet::b";
  const state = { inputs: { arena: "edge", set: "b", entries: { "192.0.2.0/24": 1 } } };
  const of = (preview: object | string) => () =>
    reportOf(parsePreview(typeof preview === "string" ? preview : JSON.stringify(preview)), NOW);

  test.each<[title: string, preview: object | string, problem: string]>([
    [
      "a summary of changes without their steps",
      { steps: [{ op: "same", urn }], changeSummary: { same: 1, delete: 5, create: 2 } },
      "The preview announces changes (5 delete, 2 create) and has no step of any",
    ],
    [
      "an unknown operation",
      { steps: [{ op: "remove-something", urn, oldState: state }], changeSummary: { same: 1 } },
      'The preview has the operation "remove-something", which this version does not know',
    ],
    [
      "an import of a set",
      { steps: [{ op: "import", urn, newState: state }], changeSummary: { import: 1 } },
      "The preview imports b (PrefixSet)",
    ],
    [
      "steps twice",
      `{"steps":[{"op":"create","urn":"${urn}"}],"steps":[],"changeSummary":{"same":1}}`,
      'The preview has the member "steps" twice',
    ],
  ])("%s", (_title, preview, problem) => expect(of(preview)).toThrow(problem));

  test("but for an import of a resource of another provider, and for a summary of what stays", () => {
    const other = "urn:pulumi:dev::shop::aws:s3/bucket:Bucket::b";
    expect(of({ steps: [{ op: "import", urn: other }], changeSummary: { import: 1, same: 3 } })).not.toThrow();
    expect(of({ steps: [], changeSummary: { same: 3, read: 1, refresh: 2 } })).not.toThrow();
  });
});
