import { expect, it } from "vitest";
import { BLOCKED, since, world } from "./support/world";

const PLUGIN = "node_modules/pulumi-packetfilter/plugin/pulumi-resource-packetfilter";
const ENTRY = "packetfilter:index:PrefixSetEntry";
const PARTNERS = ["--arena", "edge", "--set", "partners"];

it("pulumi do, which goes past program and policies, keeps to the provider's own limits, its audit log and readOnly", async () => {
  await using w = await world({ program: "" });
  const { emulator, stack } = w;
  const settings = ["--packetfilter:endpoint", emulator.endpoint];
  const run = (...args: string[]) => stack.pulumi("do", "--package", PLUGIN, ...args, ...settings);
  const create = (prefix: string, ...more: string[]) =>
    run(ENTRY, "create", "--stateless", "--yes", ...PARTNERS, "--prefix", prefix, ...more);
  const held = () => emulator.prefixSet("prefixset://edge/partners").applied;

  await stack.must("schema", "check", "node_modules/pulumi-packetfilter/schemas/provider.schema.json");
  const called = await run("packetfilter:index:getProfiles", "--arena", "edge");
  expect(called.code, called.text).toBe(0);
  expect(JSON.parse(called.stdout).profiles).toContainEqual(expect.objectContaining({ name: "web" }));

  const created = await create("203.0.113.4", "--value", "7", "--packetfilter:audit-log", "audit.jsonl");
  expect(created.code, created.text).toBe(0);
  expect(held()).toEqual({ "203.0.113.4/32": 7 });
  expect(await stack.read("audit.jsonl")).toContain('"203.0.113.4/32":{"old":null,"new":7}');

  const listed = await run(ENTRY, "list", ...PARTNERS);
  expect(listed.code, listed.text).toBe(0);
  expect(listed.stdout).toContain("prefixset://edge/partners#203.0.113.4/32");
  const read = await run(ENTRY, "read", "prefixset://edge/partners#203.0.113.4");
  expect(read.text).toMatch(/value +: 7/);

  const sent = since(emulator);
  const wide = await create("0.0.0.0/0");
  expect(wide.code, wide.text).not.toBe(0);
  expect(wide.text).toContain("0.0.0.0/0");
  const deleted = ["delete", "prefixset://edge/partners#203.0.113.4/32", "--stateless", "--yes"];
  const kept = await run(ENTRY, ...deleted, "--packetfilter:read-only");
  expect(kept.code, kept.text).not.toBe(0);
  expect(kept.text).toContain("this stack is read-only (packetfilter:readOnly), nothing was sent.");
  expect(sent()).toEqual([]);
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({});

  emulator.change("prefixset://edge/partners", { insert: { "203.0.113.5/32": 1 } });
  const gone = await run(ENTRY, ...deleted);
  expect(gone.code, gone.text).toBe(0);
  expect(held()).toEqual({ "203.0.113.5/32": 1 });
});
