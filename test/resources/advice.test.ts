import { expect, it } from "vitest";
import { serve } from "../client/support";
import { type Declared, MiniEngine } from "../failures/support/engine";
import { group } from "./support/group-bench";

const NAMES = Array.from({ length: 100 }, (_, index) => `n${index}`);

/** A hundred nodes that refuse every request, each with an address of its own. */
async function refusing(status: number) {
  const server = await serve((_request, response) => void response.writeHead(status).end("no such set"));
  const nodes = NAMES.map((name) => [name, { endpoint: `${server.url}/${name}` }]);
  const engine = new MiniEngine({ nodes: Object.fromEntries(nodes) });
  return { engine, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const sets = NAMES.map(
  (node): Declared => ({
    type: "PrefixSet",
    name: node,
    args: { arena: "edge", set: "blocked", entries: ["192.0.2.0/24"], node },
  }),
);

const UNKNOWN_SET = 'give the node answers.absent: "empty"';

it.each([
  ["does not know the set", 404, UNKNOWN_SET],
  ["refuses the credentials", 401, "Check the credentials of the connection."],
])("the advice stands once, and every node is named: a group of a hundred that %s", async (_case, status, advice) => {
  await using nodes = await refusing(status);
  const { errors } = await nodes.engine.up([group(["192.0.2.0/24"], NAMES)]);
  const text = errors.map(({ message }) => message).join("\n");
  expect(text.split(advice)).toHaveLength(2);
  expect(NAMES.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
});

it("the advice stands once where every node has a resource of its own: the others say what failed, and where", async () => {
  await using nodes = await refusing(404);
  const { errors } = await nodes.engine.up(sets);
  const [first = "", ...others] = errors.map(({ message }) => message);
  expect(first).toContain(UNKNOWN_SET);
  expect(others.length).toBeGreaterThan(1);
  for (const [index, text] of others.entries())
    expect(text).toMatch(
      new RegExp(
        `^Set prefixset://edge/blocked on n${index + 1} \\S+: list failed \\(HTTP 404\\): no such set\\. Nothing was changed: [^.]*\\.$`,
      ),
    );
});
