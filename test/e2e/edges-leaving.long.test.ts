import { expect, it } from "vitest";
import { run } from "../commands/support";
import { BLOCKED, since, world } from "./support/world";

const PARTNERS = "prefixset://edge/partners";
const oneLine = (text: string) => text.replaceAll(/\s+/g, " ");

it("a block that ended before any up goes with the next; what others put there stays", async () => {
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
    `${BLOCKED}: removed if the node still has them with these values, since "block --now" put them there and no program declares them any more: 203.0.113.1/32 (1), 203.0.113.2/32 (1).`,
  );
  expect(oneLine(preview.text)).toContain(
    `${PARTNERS}: 198.51.100.9/32 (1) is removed if the node still has it with this value`,
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

it("what a resource declares that the run leaves out stays when the one of its former name goes", async () => {
  const program = (name: string, entries: readonly string[]) => `
    new pf.PrefixSet("${name}", { arena: "edge", set: "blocked", entries: ${JSON.stringify(entries)} });
    new pf.PrefixSetEntry("${name}-entry", { arena: "edge", set: "partners", prefix: "198.51.100.0/24", value: 7 });
    new pf.CloudSignaling("${name}-attack", { prefixes: ["198.51.100.7"] });`;
  await using w = await world({ program: program("first", ["192.0.2.0/24", "203.0.113.0/24"]) });
  const { emulator, stack } = w;
  const held = () => [
    emulator.prefixSet(BLOCKED).applied,
    emulator.prefixSet(PARTNERS).applied,
    emulator.signalings["client-a"],
  ];
  const made = await stack.up("--skip-preview");
  expect(made.code, made.text).toBe(0);
  expect(made.text).not.toContain("left out of this run");
  const active = ["198.51.100.7/32"];
  expect(held()).toEqual([{ "192.0.2.0/24": 1, "203.0.113.0/24": 1 }, { "198.51.100.0/24": 7 }, active]);

  // One entry less: what the node holds beside it is no obstacle, since the new resource is not made.
  await stack.program(program("renamed", ["192.0.2.0/24"]));
  const sent = since(emulator);
  const excluded = await stack.up("--exclude", "**renamed*");
  expect(excluded.code, excluded.text).toBe(0);
  const [preview = "", update = ""] = oneLine(excluded.text).split("Updating (test)");
  for (const text of [preview, update]) {
    expect(text).toContain(
      'PrefixSet "renamed" is left out of this run (--target, --exclude), and is not in the stack yet',
    );
  }
  expect(update).toContain("1 entry stays, since another resource of this stack declares it: 192.0.2.0/24.");
  expect(held()).toEqual([{ "192.0.2.0/24": 1 }, { "198.51.100.0/24": 7 }, active]);
  expect(sent()).toEqual(["delete 1", "commit"]);

  const whole = await stack.up();
  expect(whole.code, whole.text).toBe(0);
  expect(whole.text).not.toContain("left out of this run");
  expect(held()).toEqual([{ "192.0.2.0/24": 1 }, { "198.51.100.0/24": 7 }, active]);
  const destroyed = await stack.destroy("--run-program");
  expect(destroyed.code, destroyed.text).toBe(0);
  expect(held().slice(0, 2)).toEqual([{}, {}]);
});
