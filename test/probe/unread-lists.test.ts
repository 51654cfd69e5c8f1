import { expect, test } from "vitest";
import { NodeClient } from "../../provider/client";
import { attempt } from "../../provider/model/errors";
import { type PrefixSetUrl, parseUrl } from "../../provider/model/resource-url";
import { isHollow } from "../../provider/probe/shapes/list-place";
import { type Held, startShapedNode } from "../support/shaped-node";
import { atOnce, probedSet } from "./at-once";

const SET = "prefixset://edge/probe";

const padded = (text: string) => text.replace(/\d+(?=[./])/g, (octet) => octet.padStart(3, "0"));
const octetsOf = (text: string) => (text.split("/")[0] ?? "").split(".").map(Number);
const hexOf = (text: string) => Buffer.from(octetsOf(text)).toString("hex");
const entries = (held: Held) => [...held.keys()].filter((text) => !text.includes(":"));

/** Lists that no reader of this package knows, of IPv4 alone. */
const LISTS: Record<string, (held: Held) => unknown> = {
  "texts with more than an address": (held) => ({ items: entries(held).map((text) => `net=${text};val=1`) }),
  "texts with padded octets": (held) => ({ items: entries(held).map((text) => `h_${padded(text)}_1`) }),
  "lines with padded octets": (held) =>
    `# prefixes\n${entries(held)
      .map((text) => `h_${padded(text)}_1`)
      .join("\n")}\n`,
  "hexadecimal texts": (held) => ({ items: entries(held).map((text) => `x${hexOf(text)}`) }),
  "lines of integers": (held) =>
    `# prefixes\n${entries(held)
      .map((text) => `n${Buffer.from(octetsOf(text)).readUInt32BE()}`)
      .join("\n")}\n`,
};

test("padded spellings that no reader knows are deleted as the list shows them", async () => {
  const listed = (held: Held) =>
    entries(held).map((text) => padded(text).replace(/\d+$/, (bits) => bits.padStart(3, "0")));
  await using node = await startShapedNode(
    { [SET]: {} },
    {
      list: (held) => ({ items: listed(held) }),
      key: (text) => (/(^|\D)0\d/.test(text) ? text.replace(/(?<!\d)0+(?=\d)/g, "") : `never ${text}`),
      refuses: ({ a }, held) => a !== undefined && !listed(held).includes(a),
    },
  );
  const { left, unusable } = await probedSet(node);
  expect({ left, held: [...(node.sets.get(SET) ?? [])] }).toEqual({ left: [], held: [] });
  expect(unusable).toEqual([
    expect.stringMatching(/listed in a spelling that the probe cannot read: .*"192.000.002.000.024"/),
  ]);
});

test.each(Object.entries(LISTS))(
  "a list that is not understood is no empty one: %s, at a node whose deletes come to nothing",
  async (_, list) => {
    await using node = await startShapedNode({ [SET]: {} }, { list, key: (text) => `never ${text}` });
    const result = await probedSet(node);
    expect(node.sets.get(SET)?.size).toBeGreaterThan(0);
    expect(result.left).toMatchObject([{ where: SET, prefixes: expect.arrayContaining(["203.0.113.9/32"]) }]);
  },
);

test("where a list shows a part of what was written, the reason is the total beside it", async () => {
  const list = (held: Held) => ({ data: [...held].slice(0, 3).map(([p, v]) => ({ p, v })), total: held.size });
  await using node = await startShapedNode({ [SET]: {} }, { list });
  const { left, unusable } = await probedSet(node);
  expect({ left, held: [...(node.sets.get(SET) ?? [])] }).toEqual({ left: [], held: [] });
  expect(unusable).toEqual([expect.stringContaining('"total" is 4')]);
});

const rows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => ({
    p: `10.1.${Math.floor((from + at) / 256)}.${(from + at) % 256}/32`,
    v: 1,
  }));

test.each<[about: string, body: unknown, path: string]>([
  ["a total beside it", { data: rows(0, 100), total: 350, warnings: [] }, "data"],
  ["several pages", { payload: rows(0, 100), pages: 4, errors: [] }, "payload"],
  ["a further part under another name", { first: rows(0, 100), second: rows(100, 120) }, "first"],
])("a part of a list teaches no setting, and no setting of its place reads it: %s", async (_, body, path) => {
  await using node = await startShapedNode({ [SET]: {} }, { list: () => body });
  const { endpoint } = node;
  const result = await probedSet(node, { write: false });
  expect(result.node).toEqual({});
  expect(result.findings.find(({ point }) => point === "set-list")).not.toMatchObject({ found: "observed" });
  const read = async (answers: object) => {
    const client = new NodeClient({ endpoint, answers }, atOnce());
    const listed = await client.listPrefixSet(parseUrl(SET) as PrefixSetUrl).catch(() => undefined);
    await client.close();
    return listed?.length;
  };
  // The user's word about one of several lists counts; one about a total does not.
  expect([await read({}), await read({ path })]).toEqual([undefined, path === "first" ? 100 : undefined]);
});

test("a list beside an empty list of errors is read whole, and marks beside one are no empty table", async () => {
  const list = () => ({ errors: [], payload: rows(0, 3) });
  const marks = Array.from({ length: 1_200 }, (_, id) => ({ a: "203.0.113.9", id, v: 1 }));
  const others = () => ({ errors: [], table: marks });
  await using node = await startShapedNode({ [SET]: {} }, { list, others });
  const urls = [SET, "mark://edge/web"].map(parseUrl);
  const { node: settings } = await probedSet(node, { urls, write: false });
  const client = new NodeClient({ endpoint: node.endpoint, markPace: "off", ...settings }, atOnce());
  expect(await client.listPrefixSet(parseUrl(SET) as PrefixSetUrl)).toHaveLength(3);
  expect(await client.listMarks("edge", "web", "shost")).toHaveLength(1_200);
  await client.close();
});

test.each([
  "10.1.0.0/16: 7",
  "blocked 192.0.2.1.",
  "blk_10.1.0.0/16",
  '{"data":["10.1.0.0/16: 7"]}',
  "2001:db8::/32:1",
])("a list with an address in any spelling is no empty set: %s", (body) => {
  const json = attempt(() => JSON.parse(body));
  expect(isHollow({ isEmpty: false, json, body })).toBe(false);
});
