import { expect, test } from "vitest";
import { parseUrl } from "../../provider/model/resource-url";
import { type Shape, startShapedNode } from "../support/shaped-node";
import { probedSet } from "./at-once";
import { SET } from "./support";

/** Settings for a node whose lists have this shape, by a probe that may ask everything of its set. */
async function setFor(list: NonNullable<Shape["list"]>, answers = {}, { others, ...more }: Shape = {}) {
  await using node = await startShapedNode({ [SET]: {} }, { list, ...more, ...(others && { others }) });
  const urls = [SET, ...(others ? ["arena://edge"] : [])].map(parseUrl);
  const result = await probedSet(node, { node: { endpoint: node.endpoint, answers }, urls });
  return { node: result.node, told: result.findings.flatMap(({ settings }) => settings.answers ?? []) };
}

test("a name that is read without it is not written", async () => {
  const found = await setFor((held) => ({ data: [...held].map(([prefix, weight]) => ({ prefix, weight })) }));
  const answers = { names: { value: "weight" } };
  expect(found).toEqual({ node: { answers }, told: [answers] });
});

test("what the user has set stays, whether or not an answer needs it", async () => {
  const own = { names: { prefix: "p" } };
  const found = await setFor((held) => ({ data: [...held].map(([p, v]) => ({ p, v })) }), own);
  expect(found.node).toEqual({ answers: own });
});

test("what the user has set for all kinds stays for those about which nothing else was learnt", async () => {
  const own = { path: "rows", names: { prefix: "p" } };
  const list = (held: ReadonlyMap<string, unknown>) => ({ rows: [...held].map(([p, v]) => ({ p, v })), older: [] });
  const others = () => ({ body: [{ name: "web" }, { name: "clean" }] });
  const { node } = await setFor(list, own, { others });
  const path = { prefixset: "rows", profiles: "body", rules: "body", marks: "rows" };
  expect(node).toEqual({ answers: { ...own, path } });
});

test("a sign of success of the user stays beside one that is learnt for lists", async () => {
  const own = { success: { text: "done" } };
  const list = (held: ReadonlyMap<string, unknown>) => ({
    code: 7,
    message: "x",
    data: [...held].map(([p, v]) => ({ p, v })),
  });
  const { node } = await setFor(list, own, { success: () => "error: none, done" });
  const { success } = own;
  const code = { member: "code", values: [7] };
  expect(node.answers?.success).toEqual({ list: code, insert: success, delete: success, commit: success });
});
