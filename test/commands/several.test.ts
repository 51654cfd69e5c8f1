import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { serveRaw } from "../support/raw-server";
import { useNodes } from "./nodes";
import { run } from "./support";

const BLOCKED = "prefixset://edge/blocked";
const OTHER = "prefixset://edge/other";
const NOW = Date.parse("2030-01-31T18:00:00Z");

const state = { arenas: { edge: { sets: { blocked: {}, other: {} } } } };
const { folder, nodes, place } = useNodes({
  fra1: { state, dialect: { trailingSlash: "strict" } },
  ber1: { state, dialect: { listShows: "staged" } },
  ams1: { state },
});

const here = (...args: string[]) => run(args, { folder, now: () => NOW });
const block = (...more: string[]) =>
  here("block", "203.0.113.7", "--file", "blocks.yaml", "--reason", "SYN flood", "--for", "2h", "--create", ...more);
const held = (url = BLOCKED) => nodes.map((node) => node.prefixSet(url).applied);
const HELD = { "203.0.113.7/32": 1 };

test.each([
  ["named again", ["--node", "fra1", "--node", "ber1"], [HELD, HELD, {}]],
  ["named with commas", ["--node", "fra1,ams1"], [HELD, {}, HELD]],
  ["all", ["--all-nodes"], [HELD, HELD, HELD]],
])("nodes %s have the entry", async (_, chosen, expected) => {
  const ended = await block("--now", BLOCKED, ...chosen);
  expect(ended).toMatchObject({ code: 0, err: "" });
  expect(held()).toEqual(expected);
});

test("addresses and sets may be repeated, and each has a line once, whatever its spelling", async () => {
  const [first, second] = nodes.map(({ endpoint }) => endpoint) as [string, string];
  const sets = ["--now", BLOCKED, "--now", OTHER, "--now", `${BLOCKED}/`];
  const ended = await block(...sets, "--endpoint", first, "--endpoint", second, "--endpoint", `${first}/fapi`);
  expect(ended).toMatchObject({ code: 0, err: "" });
  expect(held()).toEqual([HELD, HELD, {}]);
  expect(held(OTHER)).toEqual([HELD, HELD, {}]);
  for (const endpoint of [first, second])
    for (const set of [BLOCKED, OTHER]) expect(ended.out).toContain(`\n${endpoint} ${set}: done, 1 changed\n`);
  expect(ended.out).toContain("\n4 sets of nodes: done.\n");
});

test("names of one address are one node where their other options are the same, too", async () => {
  await block("--now", BLOCKED, "--node", "fra1");
  const lines = ["", "/", ", userArena: lab", ", headers: { x-tenant: b }"].map((more, index) => {
    const [path, others] = more === "/" ? [more, ""] : ["", more];
    return `    n${index}: { endpoint: "${nodes[0]?.endpoint}${path}"${others} }\n`;
  });
  await writeFile(join(folder, "Pulumi.dev.yaml"), `config:\n  packetfilter:nodes:\n${lines.join("")}`);
  const { out } = await here("list", BLOCKED, "--contains", "203.0.113.7", "--all-nodes", "--output", "json");
  expect(JSON.parse(out).map(({ node }: { node: string }) => node)).toEqual(["n0", "n2", "n3"]);
});

test("a node that fails keeps no other from being done, and the command that finishes the rest is said", async () => {
  nodes[1]?.fail({ cmd: "list", kind: "reset", times: 99 });
  const ended = await block("--now", BLOCKED, "--all-nodes", "--timeout", "2s");
  expect(ended.code).toBe(1);
  expect(held()).toEqual([HELD, {}, HELD]);
  expect(ended.out.split("\n")).toEqual(
    expect.arrayContaining([
      `fra1 ${BLOCKED}: done, 1 changed`,
      `ber1 ${BLOCKED}: not sent`,
      `ams1 ${BLOCKED}: done, 1 changed`,
    ]),
  );
  expect(ended.out).toMatch(/\n2 of 3 nodes: done\.\nnot sent: ber1\.\n$/);
  expect(ended.err).toContain("ber1");
  const [, line = ""] = /1 of 3 failed\. To finish the rest, run "pulumi up", or:\n {2}(.*)\n$/.exec(ended.err) ?? [];
  expect(line).toBe(
    `pulumi-packetfilter block 203.0.113.7/32 --reason 'SYN flood' --until 2030-01-31T20:00:00Z --file blocks.yaml --now ${BLOCKED} --node ber1 --timeout 2s`,
  );
  nodes[1]?.clearFaults();
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "");
  expect(await here(...words.slice(1))).toMatchObject({ code: 0, err: "" });
  expect(held()).toEqual([HELD, HELD, HELD]);
});

test("a list of several nodes says which node has what, and ends with 1 where one failed", async () => {
  await block("--now", BLOCKED, "--node", "fra1,ams1");
  const listed = await here("list", BLOCKED, "--contains", "203.0.113.7", "--all-nodes", "--output", "json");
  expect([listed.code, JSON.parse(listed.out)]).toEqual([
    0,
    [
      { node: "fra1", prefix: "203.0.113.7/32", value: 1 },
      { node: "ams1", prefix: "203.0.113.7/32", value: 1 },
    ],
  ]);
  nodes[0]?.fail({ cmd: "list", status: 401, times: 9 });
  const failed = await here("list", BLOCKED, "--all-nodes");
  expect([failed.code, failed.err]).toEqual([1, expect.stringContaining("fra1: ")]);
  expect(failed.out).toContain("ams1  203.0.113.7/32      1");
});

test("a list shows what the others hold where a node is silent, with --contains as well", async () => {
  await block("--now", BLOCKED, "--all-nodes");
  using silent = await serveRaw(() => {});
  await place({ ber1: silent.url });
  const both = [[BLOCKED], ["--contains", "203.0.113.7", BLOCKED, OTHER]];
  for (const words of both) {
    const ended = await here("list", ...words, "--all-nodes", "--timeout", "1s", "--output", "json");
    const rows: { node: string; prefix: string }[] = JSON.parse(ended.out);
    expect(rows.map(({ node, prefix }) => [node, prefix])).toEqual([
      ["fra1", "203.0.113.7/32"],
      ["ams1", "203.0.113.7/32"],
    ]);
    expect([ended.code, ended.err]).toEqual([1, expect.stringMatching(/ber1.*list failed \(time-out\)/)]);
  }
  expect((await here("list", "--help")).out).toMatch(/default: 60s,\s+for several nodes 15s/);
});

test.each([
  ["--node", ["--node", "nowhere1"], 'node "nowhere1" is not in "packetfilter:nodes" (it knows fra1, ber1, ams1)'],
  ["no node", [], "Name the node: --endpoint URL, or PACKETFILTER_ENDPOINT. The stack dev knows fra1, ber1, ams1"],
  ["--reason", ["--all-nodes", "--reason", "again"], "--reason is given twice"],
])("%s that names none, or twice, is wrong use, and nothing is written", async (_, more, sentence) => {
  const ended = await block("--now", BLOCKED, ...more);
  expect(ended).toMatchObject({ code: 2, out: "" });
  expect(ended.err).toContain(sentence);
  expect(held()).toEqual([{}, {}, {}]);
});

test("a name that none of several stacks knows is said with the one that is likely meant", async () => {
  await copyFile(join(folder, "Pulumi.dev.yaml"), join(folder, "Pulumi.us.yaml"));
  const ended = await block("--now", BLOCKED, "--all-stacks", "--node", "fra1,bre1");
  expect(ended).toMatchObject({
    code: 2,
    err: '--node bre1: none of the chosen stacks knows it. Did you mean "ber1"?\n',
  });
  expect(held()).toEqual([{}, {}, {}]);
});
