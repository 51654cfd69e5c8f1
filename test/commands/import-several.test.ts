import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useNodes } from "./nodes";
import { run } from "./support";

const BLOCKED = "prefixset://edge/blocked";
const PARTNERS = "prefixset://edge/partners";

const holding = (value: number) => ({
  state: { arenas: { edge: { sets: { blocked: { "192.0.2.0/24": value }, partners: { "198.51.100.4/32": 7 } } } } },
});
const { folder, nodes, endpoint, place } = useNodes({ node1: holding(1), node2: holding(2) });

const command = (...args: string[]) => run(["import", BLOCKED, ...args], { folder });
const read = (name: string) => readFile(join(folder, name), "utf8");
/** Name, node, entries and address of every resource of an import file. */
async function imported(name: string) {
  const { resources } = JSON.parse(await read(name));
  return resources.map(({ name, inputs, outputs }: Record<string, Record<string, unknown>>) => [
    name,
    inputs?.node,
    inputs?.entries,
    outputs?.endpoint,
  ]);
}

test("--all-nodes writes one file and one program, with the node in every name", async () => {
  expect(await command(PARTNERS, "--all-nodes", "--out", "all")).toMatchObject({ code: 0, err: "" });
  expect(await imported("all/import.json")).toEqual([
    ["edge-blocked-node1", "node1", { "192.0.2.0/24": 1 }, endpoint(0)],
    ["edge-partners-node1", "node1", { "198.51.100.4/32": 7 }, endpoint(0)],
    ["edge-blocked-node2", "node2", { "192.0.2.0/24": 2 }, endpoint(1)],
    ["edge-partners-node2", "node2", { "198.51.100.4/32": 7 }, endpoint(1)],
  ]);
  const program = await read("all/index.ts");
  expect([...program.matchAll(/"(edge-\w+-node\d)"|node: "(node\d)"/g)].map(([, name, node]) => name ?? node)).toEqual([
    "edge-blocked-node1",
    "node1",
    "edge-partners-node1",
    "node1",
    "edge-blocked-node2",
    "node2",
    "edge-partners-node2",
    "node2",
  ]);
});

test("--as group declares once what several nodes hold equally", async () => {
  expect(await command(PARTNERS, "--all-nodes", "--as", "group", "--out", "all")).toMatchObject({ code: 0, err: "" });
  const { resources } = JSON.parse(await read("all/import.json"));
  expect(resources.map(({ type, name }: Record<string, string>) => [type?.split(":").at(-1), name])).toEqual([
    ["PrefixSet", "edge-blocked-node1"],
    ["PrefixSetGroup", "edge-partners"],
    ["PrefixSet", "edge-blocked-node2"],
  ]);
  expect(resources[1].outputs).toMatchObject({
    entries: { "198.51.100.4/32": 7 },
    nodes: { node1: {}, node2: {} },
    endpoints: { node1: endpoint(0), node2: endpoint(1) },
    count: 1,
  });
  expect(await read("all/index.ts")).toContain(`// ${PARTNERS} at each of these nodes
new pf.PrefixSetGroup(
  "edge-partners",
  {
    nodes: ["node1", "node2"],
    arena: "edge",
    set: "partners",
    entries: {
      "198.51.100.4/32": 7,
    },
  },
  { protect: true },
);
`);
});

test.each([
  ["set", "PrefixSet", "edge-blocked"],
  ["entries", "PrefixSetEntry", "edge-blocked-192.0.2.0/24"],
])("--as %s declares once, under the first name, what two names of one address hold", async (as, kind, resource) => {
  await place({ node2: endpoint(0) });
  expect(await command("--all-nodes", "--as", as, "--out", "all")).toMatchObject({ code: 0, err: "" });
  const { resources } = JSON.parse(await read("all/import.json"));
  expect(resources.map(({ type, name }: Record<string, string>) => [type?.split(":").at(-1), name])).toEqual([
    [kind, resource],
  ]);
  expect(await read("all/index.ts")).toContain(`new pf.${kind}(`);
});

test("one import after the other brings resources of other names", async () => {
  expect((await command("--node", "node1", "--out", "first")).code).toBe(0);
  expect((await command("--node", "node2", "--name", `${BLOCKED}=floods`, "--out", "second")).code).toBe(0);
  expect([...(await imported("first/import.json")), ...(await imported("second/import.json"))]).toEqual([
    ["edge-blocked-node1", "node1", { "192.0.2.0/24": 1 }, endpoint(0)],
    ["floods-node2", "node2", { "192.0.2.0/24": 2 }, endpoint(1)],
  ]);
});

test("nodes without a name are wrong use, and a node that fails writes nothing", async () => {
  const unnamed = await command("--endpoint", endpoint(0), "--endpoint", endpoint(1), "--out", "x");
  expect([unnamed.code, unnamed.err]).toEqual([2, expect.stringContaining("each needs a name in the program")]);
  nodes[1]?.fail({ cmd: "list", status: 401, times: 9 });
  const failed = await command("--all-nodes", "--out", "x");
  expect([failed.code, failed.err]).toEqual([1, expect.stringContaining("on node2")]);
  await expect(read("x/import.json")).rejects.toThrow("ENOENT");
});
