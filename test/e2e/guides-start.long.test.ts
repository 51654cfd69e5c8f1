import { readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { readDialect } from "../../provider/emulator/behaviour/dialect";
import { readStateFile } from "../../provider/emulator/state/state-file";
import { guide } from "../support/guide";
import { MAKES } from "../support/makes";
import { blocksOf, root } from "../support/markdown";
import { ownPort } from "../support/ports";
import { TestStack, TYPES_ARE_CHECKED } from "./support/stack";
import { BLOCKED, mutations } from "./support/world";

const PROBE = "prefixset://edge/probe";

guide(
  "first-stack.md",
  "from an empty folder to a set at the real node, with the drift gate on the way",
  async (guide) => {
    const state = { arenas: { edge: { sets: { blocked: {} } } } };
    await using node = await startEmulator({ state, dialect: "seed:34", auth: { bearer: "node-token" } });
    await using machine = await TestStack.create({ program: "", language: "typescript", env: TYPES_ARE_CHECKED });
    const { PULUMI_STACK: _stack, PULUMI_BACKEND_URL: _backend, ...env } = machine.place.env;
    const port = await ownPort();
    guide.at({
      folder: machine.folder,
      env,
      instead: {
        "--port 8080": `--port ${port} --dialect seed:6`,
        "127.0.0.1:8080": `127.0.0.1:${port}`,
        "https://192.0.2.10": node.endpoint,
        "Bearer …": "Bearer node-token",
      },
    });
    const list = async (endpoint: string) => {
      const body = JSON.stringify({ url: BLOCKED, cmd: "list" });
      const headers = { "content-type": "application/json", authorization: "Bearer node-token" };
      return (await fetch(`${endpoint}/fapi`, { method: "POST", headers, body })).text();
    };
    const putThere = async (prefix: string) => {
      const send = (command: object) =>
        fetch(`http://127.0.0.1:${port}/fapi`, { method: "POST", body: JSON.stringify({ url: BLOCKED, ...command }) });
      await send({ cmd: "insert", data: [{ p: prefix, v: 1 }] });
      await send({ cmd: "commit" });
    };
    const project = (name: string) => readFile(join(machine.folder, "edge", name), "utf8");

    await guide.next("mkdir edge");
    expect(JSON.parse(await project("package.json"))).toMatchObject({ main: "index.ts" });
    expect(await project("Pulumi.yaml")).toBe("name: edge\nruntime: nodejs\n");
    const [program] = blocksOf("docs/guides/first-stack.md").filter(({ language }) => language === "ts");
    await writeFile(join(machine.folder, "edge/index.ts"), program?.text ?? "");
    await guide.next("stack init dev");
    await guide.next("emulator");
    await guide.next("pulumi up");
    const filled = await list(`http://127.0.0.1:${port}`);
    await guide.leadsTo("drift-gate.md", async (gate) => {
      gate.at({ instead: { "127.0.0.1:8080": `127.0.0.1:${port}` } });
      await gate.next("--expect-no-changes");
      await putThere("203.0.113.98/32");
      await gate.next("pulumi up --yes --skip-preview");
      expect(await list(`http://127.0.0.1:${port}`)).toBe(filled);
      expect(await gate.next("insert")).toContain("203.0.113.99/32");
      expect(await list(`http://127.0.0.1:${port}`)).not.toBe(filled);
      await gate.next("pulumi up --refresh");
      expect(await list(`http://127.0.0.1:${port}`)).toBe(filled);
    });

    expect(await guide.next("probe")).toMatch(/0 entries/);
    await guide.next("readOnly true");
    expect(mutations(node)).toEqual([]);
    await guide.next("rm packetfilter:readOnly");
    expect(node.prefixSet(BLOCKED).applied).toEqual({
      "192.0.2.0/24": 1,
      "203.0.113.7/32": 2,
      "2001:db8:bad::/48": 1,
    });
    expect(mutations(node)).toEqual(["insert 3", "commit"]);
  },
);

guide(
  "first-contact.md",
  "what the probe finds reads the node, and an emulator answers as the node does",
  async (guide) => {
    const profiles = { clean: { prefixes: ["198.51.100.0/24"] }, web: {} };
    const state = { arenas: { edge: { sets: { probe: {} }, profiles } } };
    await using node = await startEmulator({ state, dialect: "seed:2" });
    await using stack = await TestStack.create({ program: "" });
    const port = await ownPort();
    guide.at({
      ...stack.place,
      instead: {
        "https://192.0.2.10": node.endpoint,
        "https://192.0.2.20/path": node.signalingUrl,
        "Bearer …": "Bearer node-token",
        "PACKETFILTER_SECRET_KEY=…": `PACKETFILTER_SECRET_KEY=${node.clients[0]?.secretKey}`,
        "emulator --state": `emulator --port ${port} --state`,
      },
    });
    await guide.next("export PACKETFILTER_ENDPOINT");
    const looked = await guide.next("probe prefixset");
    expect(looked).toContain("observed");
    expect(mutations(node)).toEqual([]);
    await guide.next("--write --out node.json");
    const written = JSON.parse(await stack.read("node.json"));
    expect(written.node).toEqual(MAKES["seed:2"]);
    await guide.next("--signaling");
    expect(node.signalings["client-a"] ?? []).toEqual([]);

    // The node by its name and by the object of the page: both previews list it, and see that the set is empty.
    await guide.next("nodes.fra1.answers");
    const [shown] = blocksOf("docs/guides/first-contact.md").filter(({ language }) => language === "ts");
    const object = shown?.text.replace("https://192.0.2.10", node.endpoint).replace('set: "blocked"', 'set: "probe"');
    await stack.program(`
      const { readFileSync } = require("node:fs");
      ${object?.replace("  entries:", "  exclusive: false,\n  entries:")}
      new pf.PrefixSetEntry("one", { node: "fra1", arena: "edge", set: "probe", prefix: "203.0.113.7" });
    `);
    const preview = await stack.must("preview");
    // The look of the preview reads the node's lists by these settings; where it could not, it says so.
    expect(preview.text).not.toMatch(/now: |cannot be read/);

    await guide.next("capture");
    await guide.next("emulator --state");
    await using copy = await startEmulator({
      state: await readStateFile(join(stack.folder, "edge.yaml")),
      dialect: await readDialect(join(stack.folder, "node.json")),
    });
    expect(await answer(`http://127.0.0.1:${port}`)).toBe(await answer(node.endpoint));
    for (const one of [node, copy]) one.change(PROBE, { insert: { "192.0.2.0/24": 7 } });
    expect(await answer(copy.endpoint)).toBe(await answer(node.endpoint));
    node.change(PROBE, { delete: ["192.0.2.0/24"] });
    await guide.next("--check node.json");
  },
);

guide("ci.md", "the copy of the node answers as it does and holds what it holds", async (guide) => {
  const profiles = { clean: { prefixes: ["198.51.100.0/24"] } };
  const sets = { probe: {}, blocked: { "192.0.2.0/24": 1, "203.0.113.7/32": 5 } };
  await using node = await startEmulator({ state: { arenas: { edge: { sets, profiles } } }, dialect: "seed:34" });
  await using stack = await TestStack.create({ program: "" });
  await symlink(join(root, "examples"), join(stack.folder, "node_modules/pulumi-packetfilter/examples"));
  guide.at({ ...stack.place, instead: { "https://192.0.2.10": node.endpoint } });
  await guide.next("cp -r");
  await guide.next("capture");
  await using copy = await startEmulator({
    state: await readStateFile(join(stack.folder, "edge/ci/node-state.yaml")),
    dialect: await readDialect(join(stack.folder, "edge/ci/node.json")),
  });
  expect(copy.state().arenas?.edge?.sets).toEqual({ blocked: sets.blocked });
  expect(JSON.parse(await stack.read("edge/ci/node.json")).node).toEqual(MAKES["seed:34"]);
});

/** Answer of a node to the list of the probed set. */
async function answer(endpoint: string): Promise<string> {
  const body = JSON.stringify({ url: PROBE, cmd: "list" });
  const headers = { "content-type": "application/json" };
  return (await fetch(`${endpoint}/fapi`, { method: "POST", headers, body })).text();
}
