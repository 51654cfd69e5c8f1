import { expect, it } from "vitest";
import { type CaptureSource, capture } from "../../provider/capture/capture";
import { Prefix, RequestError } from "../../provider/client";
import { startEmulator } from "../../provider/emulator";
import type { Mark, MarkType } from "../../provider/model/mark";
import { formatUrl } from "../../provider/model/resource-url";

const refusal = (status: number, words: string) =>
  new RequestError(`Marks on NODE: list failed (HTTP ${status}): ${words}.`, {
    outcome: "refused",
    status,
    endpoint: "http://192.0.2.10",
    object: "mark://edge/web",
    operation: "list",
    tries: 1,
  });

/** A node with one profile; `marks` answers the list of a table. */
const node = (marks: (type: MarkType) => Promise<Mark[]>): CaptureSource => ({
  listProfiles: async () => [{ name: "web" }],
  listRules: async () => [],
  listMarks: async (_arena, _profile, type) => marks(type),
  listPrefixSet: async () => [
    { prefix: Prefix.parse("192.0.2.0/24"), value: 7, spelling: "192.0.2.0/24" },
    { prefix: Prefix.parse("198.51.100.0/24"), value: "drop", spelling: "198.51.100.0/24" },
  ],
});

it("leaves out, and reports, a missing table and a value that no emulator holds", async () => {
  const warnings: string[] = [];
  const source = node(async (type) => {
    if (type === "conn") throw refusal(400, "no such table");
    return type === "shost" ? [{ address: "203.0.113.9", id: 5, value: 1 }] : [];
  });
  const resources = ["arena://edge", "prefixset://edge/blocked"];
  const { arenas } = await capture(source, { resources, warn: (message) => void warnings.push(message) });
  expect(arenas?.edge?.sets).toEqual({ blocked: { "192.0.2.0/24": 7 } });
  expect(arenas?.edge?.profiles?.web?.marks).toEqual({ shost: [{ address: "203.0.113.9", id: 5, value: 1 }] });
  expect(warnings).toEqual([
    'Set prefixset://edge/blocked: left out 198.51.100.0/24, whose value "drop" no emulator holds.',
    "Marks (conn) of edge/web: left out, since the node refused the list. Marks on NODE: list failed (HTTP 400): no such table.",
  ]);
});

it("a mark that is listed twice is kept once, as it is listed last", async () => {
  const warnings: string[] = [];
  const mark = { address: "203.0.113.9", id: 5 };
  const source = node(async (type) =>
    type === "shost"
      ? [
          { ...mark, value: 1 },
          { ...mark, id: 6 },
          { ...mark, value: 2 },
        ]
      : [],
  );
  const { arenas } = await capture(source, { resources: ["edge"], warn: (message) => void warnings.push(message) });
  expect(arenas?.edge?.profiles?.web?.marks).toEqual({
    shost: [
      { ...mark, value: 2 },
      { ...mark, id: 6 },
    ],
  });
  expect(warnings).toEqual([
    "Marks (shost) of edge/web: left out 1 record that differs from another in neither key nor id.",
  ]);
});

it("says of a mark whose id is too large for an emulator that this is the reason", async () => {
  const warnings: string[] = [];
  const source = node(async (type) =>
    type === "shost"
      ? [
          { address: "203.0.113.9", id: 5 },
          { address: "203.0.113.9", id: 2 ** 32 },
        ]
      : [],
  );
  const { arenas } = await capture(source, { resources: ["edge"], warn: (message) => void warnings.push(message) });
  expect(arenas?.edge?.profiles?.web?.marks).toEqual({ shost: [{ address: "203.0.113.9", id: 5 }] });
  expect(warnings).toEqual(["Marks (shost) of edge/web: left out 1 record, whose id no emulator holds."]);
});

it("reports a prefix that is listed twice with different values", async () => {
  const listed = (spelling: string, value: number) => ({
    prefix: Prefix.parse(spelling, { hostBits: "mask" }),
    value,
    spelling,
  });
  const source = {
    ...node(async () => []),
    listPrefixSet: async () => [
      listed("192.0.2.0/24", 1),
      listed("192.0.2.5/24", 2),
      listed("198.51.100.7", 3),
      listed("198.51.100.7/32", 3),
    ],
  };
  const warnings: string[] = [];
  const resources = ["prefixset://edge/blocked"];
  const { arenas } = await capture(source, { resources, warn: (message) => void warnings.push(message) });
  expect(arenas?.edge?.sets).toEqual({ blocked: { "192.0.2.0/24": 2, "198.51.100.7/32": 3 } });
  expect(warnings).toEqual([
    "Set prefixset://edge/blocked: 192.0.2.0/24 is listed twice, with the values 1 and 2. The later one is kept.",
  ]);
});

it("a profile that is listed twice is read once", async () => {
  const tables: MarkType[] = [];
  const source = {
    ...node(async (type) => {
      tables.push(type);
      return [];
    }),
    listProfiles: async () => [{ name: "web" }, { name: "web" }],
  };
  const { arenas } = await capture(source, { resources: ["edge"] });
  expect(Object.keys(arenas?.edge?.profiles ?? {})).toEqual(["web"]);
  expect(tables).toEqual([...new Set(tables)]);
  expect(tables).toHaveLength(4);
});

it("a node that refuses every list of marks is not captured as one without marks", async () => {
  const source = node(async () => {
    throw refusal(400, "User-Arena: unknown value");
  });
  await expect(capture(source, { resources: ["edge"] })).rejects.toThrow(
    'User-Arena: unknown value. Every list of marks is refused: capture without marks (marks: "none").',
  );
  expect((await capture(source, { resources: ["edge"], marks: "none" })).arenas?.edge?.profiles?.web?.marks).toBe(
    undefined,
  );
});

it("a rule that looks up a set of another arena is carried out by the copy, which holds that set", async () => {
  const rule = { id: 1, extra: { match: [{ set: { name: "prefixset://core/shared" } }], actions: ["drop"] } };
  const asked: string[] = [];
  const source: CaptureSource = {
    ...node(async () => []),
    listRules: async () => [rule],
    listPrefixSet: async (url) => {
      asked.push(formatUrl(url));
      return [{ prefix: Prefix.parse("192.0.2.0/24"), value: 7, spelling: "192.0.2.0/24" }];
    },
  };
  const { arenas } = await capture(source, { resources: ["edge"] });
  expect(asked).toEqual(["prefixset://core/shared"]);
  expect(arenas?.core?.sets).toEqual({ shared: { "192.0.2.0/24": 7 } });
  expect(arenas?.edge?.profiles?.web?.rules).toEqual([{ id: 1, ...rule.extra }]);
  await using emulator = await startEmulator({ state: { arenas } });
  expect(emulator.prefixSet("prefixset://core/shared").applied).toEqual({ "192.0.2.0/24": 7 });
});

it("credentials that do not hold are no missing table", async () => {
  const source = node(async () => {
    throw refusal(401, "who are you?");
  });
  await expect(capture(source, { resources: ["edge"] })).rejects.toThrow("who are you?");
});

it.each([401, 403])("a set of a rule whose list needs other credentials (%d) is not left out", async (status) => {
  const source = {
    ...node(async () => []),
    listRules: async () => [{ id: 1, extra: { match: [{ set: { name: "blocked" } }], actions: ["drop"] } }],
    listPrefixSet: async () => {
      throw refusal(status, "forbidden");
    },
  };
  await expect(capture(source, { resources: ["edge"] })).rejects.toThrow(`HTTP ${status}`);
});
