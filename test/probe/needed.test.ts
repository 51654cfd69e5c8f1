import { expect, test } from "vitest";
import { parseUrl } from "../../provider/model/resource-url";
import { probe } from "../../provider/probe/probe";
import { type Shape, startShapedNode } from "../support/shaped-node";
import { SET } from "./support";

/** Settings for a node whose lists have this shape, by a probe that may ask everything of its set. */
async function setFor(list: NonNullable<Shape["list"]>, answers = {}) {
  await using node = await startShapedNode({ [SET]: {} }, { list });
  const limits = { entries: 20, bytes: 2_048 };
  const result = await probe({
    node: { endpoint: node.endpoint, answers },
    urls: [parseUrl(SET)],
    write: true,
    limits,
  });
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
