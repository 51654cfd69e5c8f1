import { expect, it } from "vitest";
import { run } from "../commands/support";
import { KIND } from "./support/kind";
import { BLOCKED, since, world } from "./support/world";

const PARTNERS = "prefixset://edge/partners";

/** Requests that a node and a receiver got, by object. */
const asked = (journal: readonly { cmd?: string; op?: string; url?: string }[]) =>
  journal.map(({ cmd, op, url }) => (op === undefined ? `${cmd} ${url}` : op)).sort();

it("a plain preview shows what a node lacks, a plain up restores it, and each asks once", async () => {
  const protection = (third: number) => `
    const entries = { "192.0.2.0/24": 1, "192.0.2.9/32": 7, "203.0.113.0/24": ${third} };
    new pf.PrefixSet("blocked", { arena: "edge", set: "blocked", entries });
    for (let i = 1; i <= 6; i++) new pf.PrefixSetEntry("one" + i, { arena: "edge", set: "partners", prefix: "203.0.113." + i });
    new pf.CloudSignaling("attack", { prefixes: ["198.51.100.7", "198.51.100.8"] });`;
  await using w = await world({ program: protection(1) });
  const { emulator, stack } = w;
  await stack.must("up", "--yes", "--skip-preview");
  const held = { "192.0.2.0/24": 1, "192.0.2.9/32": 7, "203.0.113.0/24": 1 };
  const looks = [`list ${BLOCKED}`, `list ${PARTNERS}`, "status"];
  const clean = async () => {
    emulator.clearJournal();
    const preview = await stack.preview("--expect-no-changes");
    expect(preview.code, preview.text).toBe(0);
    expect(asked(emulator.journal)).toEqual(looks);
    emulator.clearJournal();
    const up = await stack.up("--skip-preview", "--expect-no-changes");
    expect(up.code, up.text).toBe(0);
    expect(asked(emulator.journal)).toEqual(looks);
  };
  await clean();

  // The node came back with an empty set, another value and an entry of others; a signaling was stopped at the receiver.
  const lose = () => {
    emulator.change(BLOCKED, { delete: ["192.0.2.0/24"], insert: { "192.0.2.9/32": 5, "198.51.100.0/24": 2 } });
    emulator.change(PARTNERS, { delete: [1, 2, 3, 4, 5, 6].map((i) => `203.0.113.${i}/32`) });
    emulator.signal("client-a", { stop: ["198.51.100.8"] });
  };
  const restored = async (third = 1) => {
    const up = await stack.up("--skip-preview");
    expect(up.code, up.text).toBe(0);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ ...held, "203.0.113.0/24": third, "198.51.100.0/24": 2 });
    expect(Object.keys(emulator.prefixSet(PARTNERS).applied)).toHaveLength(6);
    expect([...(emulator.signalings["client-a"] ?? [])].sort()).toEqual(["198.51.100.7/32", "198.51.100.8/32"]);
    return up;
  };
  lose();
  const sent = since(emulator);
  emulator.clearJournal();
  const preview = await stack.preview("--expect-no-changes", "--diff");
  expect(preview.code).not.toBe(0);
  expect(asked(emulator.journal)).toEqual(looks);
  const { endpoint, signalingUrl } = emulator;
  for (const line of [
    `${endpoint} ${BLOCKED} lacks 1 declared entry (192.0.2.0/24): this up restores it.`,
    `${endpoint} ${BLOCKED} holds another value of 1 declared entry (192.0.2.9/32 has the value 5, not 7): this up restores it.`,
    `${endpoint} ${BLOCKED} holds 1 undeclared entry (198.51.100.0/24): it stays, of others or possibly of an interrupted run of this stack; "pulumi up --refresh" removes it.`,
    `${endpoint} ${PARTNERS} lacks more declared entries: each is an update of this plan, with restores.`,
    `${signalingUrl} signaling: 1 declared prefix is not active (198.51.100.8/32): this up starts it again.`,
  ])
    expect(preview.text).toContain(line);
  expect(preview.text).toContain(
    '+ restores: "1 missing entry: 192.0.2.0/24; 1 other value: 192.0.2.9/32 has the value 5, not 7"',
  );
  // In whatever order the program registers them.
  expect(
    preview.text.match(/partners lacks 1 declared entry \(203\.0\.113\.\d\/32\): this up restores it/g),
  ).toHaveLength(5);
  expect(sent()).toEqual([]);
  emulator.clearJournal();
  await restored();
  // Each commit has a list before and one after it, and the look's list is the first of them. Entries that a busy program registers late have a commit of their own.
  for (const url of [BLOCKED, PARTNERS])
    expect(emulator.requests({ cmd: "list", url })).toHaveLength(2 * emulator.requests({ cmd: "commit", url }).length);
  expect(emulator.requests({ cmd: "commit", url: BLOCKED })).toHaveLength(1);
  const { blocked } = await stack.state();
  expect(blocked?.outputs).not.toHaveProperty("restores");
  expect(blocked?.outputs.entries).toEqual(held);

  // The same once more, at once: the engine compares with inputs that say the same.
  lose();
  const again = await stack.preview();
  expect(again.text).toContain("8 to update");
  expect(again.text).toContain("lacks 1 declared entry (192.0.2.0/24)");
  await restored();

  // What the program changes is no part of what is restored.
  lose();
  await stack.program(protection(9));
  const both = await stack.preview("--json");
  const step = JSON.parse(both.stdout).steps.find(({ urn }: { urn: string }) => urn.endsWith("::blocked"));
  expect(step.newState.inputs.restores).toMatch(/^1 missing entry: 192\.0\.2\.0\/24; 1 other value: 192\.0\.2\.9\/32/);
  expect(step.newState.inputs.restores).not.toContain("203.0.113.0/24");
  await stack.write("preview.json", both.stdout);
  const report = await run(["report", "preview.json", "--output", "text"], { folder: stack.folder });
  expect(report.out).toContain(
    "\n1 entry with another value, in 1 set on 1 node. 8 resources restore what nodes or receivers lost.\n",
  );
  expect(report.out).toContain("  ~ 203.0.113.0/24 1 → 9\n");
  await restored(9);

  // Others' entries stay until a refresh, which lists once.
  await stack.up("--refresh", "--skip-preview");
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ ...held, "203.0.113.0/24": 9 });
  lose();
  emulator.clearJournal();
  const drifted = await stack.preview("--refresh", "--expect-no-changes");
  expect(asked(emulator.journal)).toEqual(looks);
  expect(drifted.code).not.toBe(0);
  for (const line of [
    `${endpoint} ${BLOCKED} lacks 1 declared entry (192.0.2.0/24): this up restores it.`,
    `${endpoint} ${PARTNERS} lacked more declared entries: each is created again by the next up.`,
  ])
    expect(drifted.text).toContain(line);
  const created = /partners lacked 1 declared entry \(203\.0\.113\.\d\/32\): the next up creates it again/g;
  expect(new Set(drifted.text.match(created)).size).toBe(5);
  await restored(9);
  await clean();

  // Switched off, nothing is asked; a member of the node without its object is refused.
  lose();
  await stack.must("config", "set", "packetfilter:detectDrift", "off");
  emulator.clearJournal();
  // A changed setting is an update of the plugin's provider.
  const blind = await stack.up("--skip-preview", ...(KIND === "plugin" ? [] : ["--expect-no-changes"]));
  expect(blind.code, blind.text).toBe(0);
  expect(emulator.journal).toEqual([]);
  await stack.must("config", "set", "packetfilter:maxConcurrency", "2");
  const misplaced = await stack.preview();
  expect(misplaced.code).not.toBe(0);
  expect(misplaced.text).toContain('did you mean "packetfilter:node.maxConcurrency"?');
});

it("what cannot be seen is said: a set that the node does not know, a silent node, and where it is required", async () => {
  await using w = await world({
    program: 'new pf.PrefixSetEntry("one", { arena: "edge", set: "blokced", prefix: "192.0.2.1" });',
  });
  const { emulator, stack } = w;
  const told = await stack.preview();
  expect(told.code, told.text).not.toBe(0);
  expect(told.text).toMatch(/up would fail\. .*prefixset:\/\/edge\/blokced now: .*list failed \(HTTP 404/);
  expect(told.text).not.toMatch(/\n\s+at .*\.js:\d+/);
  expect(asked(emulator.journal)).toEqual(["list prefixset://edge/blokced"]);

  // A machine that takes connections and never answers: it delays a run once, and is no failure of one that has nothing to do there.
  const set = (name: string) =>
    `new pf.PrefixSet("${name}", { arena: "edge", set: "${name}", entries: ["192.0.2.0/24"] });`;
  await stack.program(set("blocked") + set("partners"));
  await stack.must("up", "--yes", "--skip-preview");
  emulator.fail({ cmd: "list", kind: "silence", times: 1_000 });
  emulator.clearJournal();
  const unseen = await stack.up("--skip-preview", "--expect-no-changes");
  expect(unseen.code, unseen.text).toBe(0);
  expect(
    unseen.text
      .split("Diagnostics:")[1]
      ?.match(
        /warning: .* cannot be read: .* does not answer\. .*The next "pulumi up" does so, once the address answers/g,
      ),
  ).toHaveLength(1);
  expect(asked(emulator.journal)).toHaveLength(1);
  const strict = { detectDrift: "require", "node.timeoutMs": 100, "node.deadlineMs": 300 };
  const pairs = Object.entries(strict).flatMap(([key, value]) => ["--plaintext", `packetfilter:${key}=${value}`]);
  await stack.must("config", "set-all", "--path", ...pairs, "--stack", "test");
  const required = await stack.preview();
  expect(required.code).not.toBe(0);
  expect(required.text).toMatch(/packetfilter:detectDrift is 'require', and .* cannot be read\./);
});
