import { expect, test } from "vitest";
import { parseUrl } from "../../provider/model/resource-url";
import { probe } from "../../provider/probe/probe";
import { startShapedNode } from "../support/shaped-node";
import { probed, startNode } from "./support";

const BLOCKED = "prefixset://edge/blocked";
const kept = { urls: [parseUrl(BLOCKED)], keep: true, limits: { entries: 20, bytes: 4_096 } };

test("a set that holds entries is tried by agreement, and holds the same afterwards", async () => {
  await using emulator = await startNode({ prefixKey: "subnet", valueKey: "weight", insertExisting: "error" });
  emulator.change(BLOCKED, { insert: { "10.1.0.0/16": 5 }, delete: ["203.0.113.0/24"] });
  const { dialect, node, left, stopped } = await probed(emulator, kept);
  expect({ left, stopped }).toEqual({ left: [], stopped: undefined });
  expect(node).toEqual({ insertExisting: "error", answers: { names: { prefix: "subnet", value: "weight" } } });
  expect(dialect).toMatchObject({ prefixKey: "subnet", insertExisting: "error" });
  expect(emulator.prefixSet(BLOCKED)).toEqual({ applied: { "10.1.0.0/16": 5 }, staged: { "10.1.0.0/16": 5 } });
});

test("what changes meanwhile in such a set is named, and left so", async () => {
  const onRequest = (count: number) => count === 60 && emulator.change(BLOCKED, { delete: ["10.1.0.0/16"] });
  await using emulator = await startNode({}, { onRequest });
  emulator.change(BLOCKED, { insert: { "10.1.0.0/16": 5 }, delete: ["203.0.113.0/24"] });
  const { stopped } = await probed(emulator, kept);
  expect(stopped).toContain("does not list 10.1.0.0/16 any more, which the probe did not remove");
});

test.each([
  ["documentation prefixes", "203.0.113.0/24"],
  ["an entry around some", "192.0.0.0/16"],
])("a set that holds %s is not written to", async (_, held) => {
  await using emulator = await startNode({ nested: "merged" });
  emulator.change(BLOCKED, { delete: ["203.0.113.0/24"] });
  emulator.change(BLOCKED, { insert: { [held]: 5 } });
  const { stopped } = await probed(emulator, kept);
  expect(stopped).toContain(`holds ${held}, in, around or beside the documentation prefixes`);
  expect(emulator.requests().filter(({ cmd }) => cmd !== undefined && cmd !== "list")).toEqual([]);
});

test("such a prefix in a spelling that no reader knows is shown with its list", async () => {
  const list = () => ({ rows: { "10.1.0.0/16": 1, "h_203.000.113.009": 1, total: 2 } });
  await using node = await startShapedNode({ [BLOCKED]: { "10.1.0.0/16": 1 } }, { list });
  const { stopped } = await probe({ node: { endpoint: node.endpoint }, ...kept, write: true });
  expect(stopped).toMatch(/holds \{"rows":.*h_203\.000\.113\.009.*\}, in, around or beside the documentation prefixes/);
  expect(new Set(node.asked)).toEqual(new Set(["list"]));
});

test("a list that no setting reads: nothing is said that rests on it, and the way out is named", async () => {
  const list = () => ({ rows: { "10.1.0.0/16": 1, total: 1 } });
  await using node = await startShapedNode({ [BLOCKED]: { "10.1.0.0/16": 1 } }, { list });
  const { findings } = await probe({ node: { endpoint: node.endpoint }, urls: [parseUrl(BLOCKED)] });
  expect(findings.find(({ point }) => point === "set-list")).toMatchObject({
    expressed: "unknown",
    node: expect.stringContaining("answers.path"),
  });
  const said = findings.filter(({ found }) => found === "observed").map(({ point }) => point);
  expect(said).toEqual(["redirect", "unknown"]);
});
