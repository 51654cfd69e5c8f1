import { expect, it } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { run } from "../commands/support";
import { TestStack } from "./support/stack";
import { BLOCKED, blockedSet, since, world } from "./support/world";

const PARTNERS = "prefixset://edge/partners";
const LOCAL = "prefixset://edge/web/blocked";
const oneLine = (text: string) => text.replaceAll(/\s+/g, " ");

it("after a rotation of credentials a refresh says why it fails; a profile that is gone is no obstacle to leaving it", async () => {
  const edge = { sets: { blocked: {} }, profiles: { web: { sets: { blocked: {} } } } };
  const node = await startEmulator({ state: { arenas: { edge } }, auth: { bearer: "old-token" } });
  await using stack = await TestStack.create({
    program: `${blockedSet(["192.0.2.0/24"])}
      new pf.PrefixSet("web", { arena: "edge", profile: "web", set: "blocked", entries: ["203.0.113.0/24"] });`,
    config: { endpoint: node.endpoint },
    secrets: { headers: JSON.stringify({ authorization: "Bearer old-token" }) },
  });
  await stack.must("up", "--yes", "--skip-preview");
  expect(node.prefixSet(LOCAL).applied).toEqual({ "203.0.113.0/24": 1 });

  // The node comes back with another token, and without the profile.
  const port = Number(new URL(node.endpoint).port);
  await node.close();
  await using young = await startEmulator({
    port,
    state: { arenas: { edge: { sets: { blocked: { "192.0.2.0/24": 1 } } } } },
    auth: { bearer: "new-token" },
  });
  const headers = JSON.stringify({ authorization: "Bearer new-token" });
  await stack.must("config", "set", "--secret", "packetfilter:headers", headers, "--stack", "test");
  await stack.program(blockedSet(["192.0.2.0/24"]));
  const refused = await stack.preview("--refresh", "--expect-no-changes");
  expect(refused.code).not.toBe(0);
  expect(oneLine(refused.text)).toContain(
    'use the configuration of the last "pulumi up": where the credentials were changed since, run a plain "pulumi up" first, or the same command with --run-program.',
  );

  const left = await stack.up("--skip-preview");
  expect(left.code, left.text).toBe(0);
  expect(oneLine(left.text)).toContain(
    `Set ${LOCAL} on ${young.endpoint} is not there any more (the node lists the profiles of edge, and web is not among them)`,
  );
  const gate = await stack.preview("--refresh", "--expect-no-changes");
  expect(gate.code, gate.text).toBe(0);
  const destroyed = await stack.destroy();
  expect(destroyed.code, destroyed.text).toBe(0);
  expect(young.prefixSet(BLOCKED).applied).toEqual({});
});

it("a block whose time ran out, or that was taken back, before any up goes with the next up; what others put there stays", async () => {
  const read = (file: string) => `pf.readPrefixFile(${JSON.stringify(file)}, { allowEmpty: true })`;
  await using w = await world({
    program: `
      new pf.PrefixSet("blocked", { arena: "edge", set: "blocked", entries: ${read("blocks.yaml")} });
      for (const [prefix, entry] of Object.entries(${read("partners.json")}))
        new pf.PrefixSetEntry(prefix, { arena: "edge", set: "partners", prefix, ...entry });`,
  });
  const { emulator, stack } = w;
  await stack.write("blocks.yaml", "192.0.2.0/24: 1\n");
  await stack.write("partners.json", "{}\n");
  await stack.must("up", "--yes", "--skip-preview");
  emulator.change(BLOCKED, { insert: { "203.0.113.3/32": 1 } });
  const command = async (name: string, prefix: string, ...more: string[]) => {
    const ended = await run([name, prefix, ...more], {
      folder: stack.folder,
      env: { PACKETFILTER_ENDPOINT: emulator.endpoint, PULUMI_STACK: "test" },
    });
    expect(ended.code, ended.err).toBe(0);
  };
  const blocks = ["--file", "blocks.yaml"];
  const partners = ["--file", "partners.json"];
  const why = ["--reason", "SYN flood", "--for", "2h"];
  for (const host of [1, 2, 3]) await command("block", `203.0.113.${host}`, ...blocks, ...why, "--now", BLOCKED);
  await command("block", "198.51.100.9", ...partners, ...why, "--now", PARTNERS);
  expect(Object.keys(emulator.prefixSet(BLOCKED).applied)).toHaveLength(4);

  // One runs out, two are taken back; of these one was there before the block.
  const text = await stack.read("blocks.yaml");
  await stack.write(
    "blocks.yaml",
    text.replace(/(203\.0\.113\.1\/32:[\s\S]*?expires: )\S+/, (_, before) => `${before}2020-01-01T00:00:00Z`),
  );
  for (const host of [2, 3]) await command("unblock", `203.0.113.${host}`, ...blocks);
  await command("unblock", "198.51.100.9", ...partners);

  const sent = since(emulator);
  const preview = await stack.preview("--diff");
  expect(preview.code, preview.text).toBe(0);
  expect(oneLine(preview.text)).toContain(
    `${BLOCKED}: removed, where the node still holds it so, since "block --now" put it there and it is not wanted any more: 203.0.113.1/32 (1), 203.0.113.2/32 (1).`,
  );
  expect(oneLine(preview.text)).toContain(
    `${PARTNERS}: 198.51.100.9/32 (1) is removed, where the node still holds it so`,
  );
  expect(sent()).toEqual([]);

  const up = await stack.up("--skip-preview");
  expect(up.code, up.text).toBe(0);
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1, "203.0.113.3/32": 1 });
  expect(emulator.prefixSet(PARTNERS).applied).toEqual({});

  // Once gone, another writer's entry is another writer's, whatever the file still says.
  emulator.change(BLOCKED, { insert: { "203.0.113.1/32": 1 } });
  emulator.change(PARTNERS, { insert: { "198.51.100.9/32": 1 } });
  const again = await stack.up("--skip-preview", "--expect-no-changes");
  expect(again.code, again.text).toBe(0);
  expect(emulator.prefixSet(PARTNERS).applied).toEqual({ "198.51.100.9/32": 1 });
  expect(Object.keys(emulator.prefixSet(BLOCKED).applied)).toContain("203.0.113.1/32");
});
