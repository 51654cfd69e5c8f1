import { expect, test } from "vitest";
import { MARK_TYPES } from "../../provider/model/mark";
import { parseUrl } from "../../provider/model/resource-url";
import { check } from "../../provider/probe/check";
import { probe } from "../../provider/probe/probe";
import type { ApplianceName } from "./appliances/appliance";
import { type NodeKind, PLAIN } from "./appliances/nodes";
import { checkedWith, probed, receiverOf, startAppliance, startDrawn } from "./appliances/probing";
import { RECEIVERS } from "./appliances/receivers";

/** Finding and settings for one point, by a probe of an appliance that may ask everything. */
async function said(name: ApplianceName, point: string) {
  await using appliance = await startAppliance(name);
  const { findings, node, unusable, left } = await probed(appliance);
  expect({ left, held: appliance.held("edge/probe") }).toEqual({ left: [], held: {} });
  const { node: text, advice } = findings.find((one) => one.point === point) ?? {};
  return { text, advice, node, unusable };
}

test("staging by session is told by the cookie's name, and by what it is served with", async () => {
  expect(await said("cookie", "staging-session")).toEqual({
    text: "staged changes belong to a session, which Set-Cookie (sid) tells",
    advice: "served: every client of this package keeps a node's cookies; what is staged elsewhere is not seen",
    node: {},
    unusable: [],
  });
});

test("a node that reads one request at a time is found by two at once", async () => {
  const { text, node } = await said("single", "requests-at-once");
  expect({ text, node }).toEqual({
    text: 'reads one request at a time: one of two is answered {"error":"busy"}',
    node: { maxConcurrency: 1 },
  });
});

test.each([
  [1_500, 1_050, true],
  [1_500, 950, false],
  [100, 1_900, true],
  [900, 0, true],
  [1_100, 0, false],
])("a check of a commit that takes %i ms holds with commitDelayMs %i: %s", async (took, commitDelayMs, held) => {
  const drawn = { node: { ...PLAIN, commitDelayMs: took }, receiver: RECEIVERS.plain };
  await using appliance = await startDrawn(drawn);
  const node = { endpoint: appliance.url, commitDelayMs };
  const { rows, left } = await checkedWith(appliance, { node, receiver: receiverOf(appliance) });
  expect(rows.filter((row) => !row.held).map(({ what }) => what)).toEqual(
    held ? [] : ["insert and delete in prefixset://edge/probe"],
  );
  expect({ left, held: appliance.held("edge/probe") }).toEqual({ left: [], held: {} });
});

test.each<[string, number, readonly string[], boolean]>([
  ["one table that it does not have", 404, ["conn"], true],
  ["one table that it does not implement", 501, ["conn"], true],
  ["all tables", 404, MARK_TYPES, false],
  ["a table that is forbidden", 403, ["conn"], false],
  ["a table whose list breaks", 500, ["conn"], false],
])("a check of a node that had refused one table, and refuses %s", async (_, status, tables, held) => {
  const instead: NodeKind["instead"] = ({ command: { type = "" } }) =>
    tables.includes(type) ? { status, body: '{"error":"no"}' } : undefined;
  await using appliance = await startDrawn({ node: { ...PLAIN, instead }, receiver: RECEIVERS.plain });
  const urls = [parseUrl("mark://edge/web")];
  const node = { endpoint: appliance.url };
  const { rows } = await check({ node, urls, refusesTables: true, world: appliance.world() });
  expect(rows.filter((row) => !row.held)).toHaveLength(held ? 0 : tables.length);
});

test("a list of marks that the node cannot answer is no missing table", async () => {
  const instead: NodeKind["instead"] = ({ command: { type = "" } }) =>
    type === "conn" ? { status: 500, body: '{"error":"out of memory"}' } : undefined;
  await using appliance = await startDrawn({ node: { ...PLAIN, instead }, receiver: RECEIVERS.plain });
  const urls = [parseUrl("mark://edge/web")];
  const { dialect } = await probe({ node: { endpoint: appliance.url }, urls, world: appliance.world() });
  expect(dialect).not.toHaveProperty("missingTable");
});

test("a node that refuses another User-Arena, and needs none, is not one that needs it", async () => {
  const marks = '[{"address":"203.0.113.9","id":30,"value":7,"lifetime":60}]';
  const instead: NodeKind["instead"] = ({ command: { url = "" }, headers: { "user-arena": arena = "edge" } }) => {
    if (!url.startsWith("mark:")) return undefined;
    return arena === "edge" ? { body: marks } : { status: 400, body: '{"error":"bad arena"}' };
  };
  await using appliance = await startDrawn({ node: { ...PLAIN, instead }, receiver: RECEIVERS.plain });
  const urls = [parseUrl("mark://edge/web")];
  const { findings, dialect } = await probe({ node: { endpoint: appliance.url }, urls, world: appliance.world() });
  const found = findings.find(({ point }) => point === "user-arena");
  expect([found?.node, found?.expressed]).toEqual([
    "may be left out, and must be the arena where it is sent",
    "beyond",
  ]);
  expect(dialect).not.toHaveProperty("userArena");
});

/** A node that changes when a probe comes to staging by session or connection. */
async function sessionsAt(node: NodeKind, begin: () => void) {
  await using appliance = await startDrawn({ node, receiver: RECEIVERS.plain });
  const watch = (title: string) => {
    if (title === "staging by session or connection") begin();
  };
  const { findings, node: settings, left } = await probed(appliance, { watch });
  expect(left).toEqual([]);
  const { outcome } = findings.find(({ point }) => point === "staging-session") ?? {};
  return { outcome, settings };
}

test("a commit over another connection that is refused by chance does not show staging by connection", async () => {
  const asked: string[] = [];
  let isBegun = false;
  const instead: NodeKind["instead"] = ({ command: { cmd = "" } }) => {
    if (isBegun) asked.push(cmd);
    const isApart = cmd === "commit" && asked.includes("insert") && asked.at(-2) === "insert";
    return isApart && asked.filter((one) => one === "insert").length === 1
      ? { status: 400, body: '{"error":"try later"}' }
      : undefined;
  };
  const found = await sessionsAt({ ...PLAIN, instead }, () => {
    isBegun = true;
  });
  expect(found).toEqual({ outcome: "failed", settings: {} });
});

test("a commit that takes longer than the earlier ones does not show staging by connection", async () => {
  const node = { ...PLAIN, commitDelayMs: 100 };
  const found = await sessionsAt(node, () => {
    node.commitDelayMs = 900;
  });
  expect(found.outcome).toBe("any");
});

test("rows without an address that is read are shown whole, with the way out", async () => {
  expect((await said("padded", "entries")).unusable).toEqual([
    'This node cannot be used, because lists of its sets cannot be read: 4 rows, but no address that the probe can read: {"from":"192.000.002.000","to":"192.000.002.255","prio":1}. A module of your own reads it: `answers.read`.',
  ]);
});

test("the same without --write: such a set is not taken for an empty one", async () => {
  await using appliance = await startAppliance("padded");
  appliance.put("edge/probe", "192.0.2.0/24", 5);
  const urls = [{ kind: "prefixset", arena: "edge", set: "probe" } as const];
  const { unusable } = await probe({ node: { endpoint: appliance.url }, urls, world: appliance.world() });
  expect(unusable).toEqual([
    expect.stringContaining('1 row, but no address that the probe can read: {"from":"192.000.002.000"'),
  ]);
});
