import { describe, expect, it } from "vitest";
import { SAID_KEY } from "../../provider/engine/provider-text";
import { serve } from "../client/support";
import { type Declared, MiniEngine } from "../failures/support/engine";
import { bench, group } from "./support/group-bench";

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

const UNKNOWN_SET = 'set answers.absent: "empty"';

it.each([
  ["does not know the set", 404, UNKNOWN_SET],
  ["refuses the credentials", 401, "Check the credentials of the connection."],
])("the advice stands once, and every node is named: a group of a hundred that %s", async (_case, status, advice) => {
  await using nodes = await refusing(status);
  const { errors, printed } = await nodes.engine.up([group(["192.0.2.0/24"], NAMES)]);
  const text = errors.map(({ message }) => message).join("\n");
  expect([...printed, text].join("\n").split(advice)).toHaveLength(2);
  expect(NAMES.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
});

it("the advice stands once where every node has a resource of its own: the others say what failed, and where", async () => {
  await using nodes = await refusing(404);
  const { errors } = await nodes.engine.up(sets);
  const [first = "", ...others] = errors.map(({ message }) => message);
  expect(first).toContain(UNKNOWN_SET);
  expect(others.length).toBeGreaterThan(0);
  for (const [index, text] of others.entries())
    expect(text).toMatch(
      new RegExp(
        `^Set prefixset://edge/blocked on n${index + 1} \\S+: list failed \\(HTTP 404\\): no such set\\. Nothing was changed: [^.]*\\.$`,
      ),
    );
});

describe("a plain preview after a key was rotated", () => {
  const FEW = NAMES.slice(1, 8);
  const ADVICE = "Check the credentials of the connection.";

  it("has the advice once, in one line for the nodes of a group", async () => {
    await using stack = await bench(...FEW);
    expect(await stack.engine.up([group(["192.0.2.0/24"], FEW)])).toMatchObject({ errors: [] });
    for (const name of FEW) stack.node(name).fail({ every: 1, status: 401 });
    const { printed } = await stack.engine.preview([group(["192.0.2.0/24"], FEW)]);
    const lines = printed.filter((line) => line.includes("cannot be read"));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^warning: n1, n2, n3, n4, n5 and 2 more prefixset:\/\/edge\/blocked cannot be read, and this run uses the state alone\. Set /,
    );
    expect(lines[0]?.split(ADVICE)).toHaveLength(2);
  });

  it("has the advice once where receivers refuse the secret", async () => {
    await using server = await serve((_request, response) => void response.writeHead(403).end("secret_key invalid"));
    const receivers = FEW.map((name) => [name, { url: server.url, clientId: name, secretKey: "k".repeat(9) }]);
    const engine = new MiniEngine({ receivers: Object.fromEntries(receivers) });
    const type = "CloudSignaling";
    const signalings = FEW.map((name) => ({ receiver: name, prefixes: ["198.51.100.7/32"] }));
    engine.state = signalings.map((args) => {
      const outputs = { ...args, started: args.prefixes, endpoint: server.url };
      return { type, name: args.receiver, id: args.receiver, inputs: args, outputs };
    });
    const { printed } = await engine.preview(signalings.map((args) => ({ type, name: args.receiver, args })));
    const lines = printed.filter((line) => line.includes("signaling cannot be read"));
    expect(lines).toHaveLength(FEW.length);
    expect(lines.join("\n").split("Check `clientId`")).toHaveLength(2);
  });
});

/** As the preview of a resource that waits for no other one. */
const decided = (declared: Declared) => ({ ...declared, args: { ...declared.args, [SAID_KEY]: { decides: true } } });

it.each([
  ["503", { status: 503 }],
  ["429", { status: 429 }],
  ["409 with the words of a busy node", { status: 409, message: "another commit is in progress" }],
])(
  "the preview of new resources at a node that answers %s goes on: the up asks until it is not busy any more",
  async (_case, fault) => {
    await using stack = await bench("n1", "n2");
    const all = [...sets.slice(1, 3), group(["192.0.2.0/24"], ["n1", "n2"])].map(decided);
    for (const name of ["n1", "n2"]) stack.node(name).fail({ cmd: "list", every: 1, ...fault });
    const text = (isOwn: boolean) => (isOwn ? all.slice(0, 2) : all.slice(2));
    for (const isOwn of [true, false]) {
      const { errors, printed } = await stack.engine.preview(text(isOwn));
      expect(errors).toEqual([]);
      expect(printed.join("\n")).toMatch(
        /n\d prefixset:\/\/edge\/blocked cannot be read: (n\d|each) is busy\. .* What a create meets there is not known until the address is no longer busy\./,
      );
    }
  },
);
