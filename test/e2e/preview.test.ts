import { createServer } from "node:net";
import { expect, it } from "vitest";
import { TestStack } from "./support/stack";
import { BLOCKED, world } from "./support/world";

/** What a node and a receiver were asked, by object. */
const asked = (journal: readonly { cmd?: string; op?: string; url?: string }[]) =>
  journal.map(({ cmd, op, url }) => (op === undefined ? `${cmd} ${url}` : op)).sort();

it("a preview lists each declared set once, says what is other than declared, and sends nothing else", async () => {
  await using w = await world({
    program: `
      const whole = { arena: "edge", set: "blocked", onExisting: "adopt" };
      new pf.PrefixSet("whole", { ...whole, entries: { "192.0.2.0/24": 1, "192.0.2.9/32": 7, "203.0.113.0/24": 1 } });
      for (let i = 1; i <= 3; i++) {
        new pf.PrefixSetEntry("one" + i, { arena: "edge", set: "partners", prefix: "203.0.113." + i });
      }
      new pf.CloudSignaling("attack", { prefixes: ["198.51.100.7"] });
      new pf.CloudSignaling("other", { prefixes: ["198.51.100.8"] });
      const late = new pf.PrefixSet("late", { arena: "edge", profile: "web", set: "blocked", entries: ["192.0.2.0/24"] });
      new pf.PrefixSetEntry("unknown", { arena: "edge", set: "partners", prefix: late.count.apply((n) => "203.0.113.1" + n) });
    `,
  });
  const { emulator, stack } = w;
  emulator.change(BLOCKED, { insert: { "192.0.2.9/32": 5, "198.51.100.0/24": 2 } });
  emulator.signal("client-a", { start: ["198.51.100.7"] });
  emulator.clearJournal();

  const preview = await stack.preview();
  expect(preview.code, preview.text).toBe(0);
  const lines = [
    `${emulator.endpoint} ${BLOCKED} now: holds 2 entries; lacks 2 (192.0.2.0/24, 203.0.113.0/24); has other values for 1 (192.0.2.9/32 has 5, not 7); has undeclared 1 (198.51.100.0/24)`,
    `${emulator.endpoint} prefixset://edge/partners now: holds 0 entries; lacks 3 (203.0.113.1/32, 203.0.113.2/32, 203.0.113.3/32); not all that the program declares is known yet`,
    `${emulator.endpoint} prefixset://edge/web/blocked now: holds 0 entries; lacks 1 (192.0.2.0/24)`,
    `${emulator.signalingUrl} signaling now: not active 1 (198.51.100.8/32); active already, and adopted: 1 (198.51.100.7/32)`,
  ];
  const [, diagnostics = ""] = preview.text.split("Diagnostics:");
  for (const line of lines) expect(diagnostics.split(line), preview.text).toHaveLength(2);
  expect(diagnostics).toContain(`${emulator.endpoint} ${BLOCKED}: 3 entries declared`);
  const once = ["list prefixset://edge/blocked", "list prefixset://edge/partners", "list prefixset://edge/web/blocked"];
  expect(asked(emulator.journal)).toEqual([...once, "status"]);

  emulator.change(BLOCKED, { delete: ["192.0.2.9/32", "198.51.100.0/24"] });
  await stack.must("up", "--yes", "--skip-preview");
  emulator.clearJournal();
  const moved = `
    new pf.PrefixSet("whole", { arena: "edge", set: "blocked", entries: { "192.0.2.0/24": 1, "192.0.2.9/32": 7 }, exclusive: false });
    new pf.PrefixSetEntry("moved", { arena: "edge", set: "blocked", prefix: "203.0.113.0/24" });`;
  await stack.program(moved);
  const agreed = await stack.preview();
  expect(agreed.text).toContain(`now as the program declares: ${emulator.endpoint} ${BLOCKED}`);
  expect(agreed.text).not.toMatch(/undeclared|not declared/);
  expect(asked(emulator.journal)).toEqual(["list prefixset://edge/blocked"]);

  await stack.must("config", "set", "packetfilter:previewReads", "off", "--stack", "test");
  emulator.clearJournal();
  expect((await stack.preview()).code).toBe(0);
  expect(emulator.journal).toEqual([]);
});

it("a preview reports an unknown set; a silent node delays it, or fails it where required", async () => {
  await using w = await world({
    program: 'new pf.PrefixSetEntry("one", { arena: "edge", set: "blokced", prefix: "192.0.2.1" });',
  });
  const { emulator, stack } = w;
  const told = await stack.preview();
  expect(told.code, told.text).not.toBe(0);
  expect(told.text).toMatch(/up would fail.*:\n.*prefixset:\/\/edge\/blokced now: .*list failed \(HTTP 404/);
  expect(told.text).not.toMatch(/\n\s+at .*\.js:\d+/);
  await stack.must("config", "set", "packetfilter:previewReads", "require", "--stack", "test");
  const required = await stack.preview();
  expect(required.code).not.toBe(0);
  expect(required.text).toMatch(/previewReads is "require", and not everything can be seen:\s+.*blokced now/);
  expect(asked(emulator.journal)).toEqual(Array(2).fill("list prefixset://edge/blokced"));

  // Takes connections and never answers.
  const sockets = new Set<{ destroy(): void }>();
  const hole = createServer((socket) => void sockets.add(socket)).listen(0, "127.0.0.1");
  await new Promise((resolve) => hole.once("listening", resolve));
  const address = hole.address();
  const endpoint = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  await using dark = await TestStack.create({
    config: { endpoint },
    program: `
      const set = (set) => new pf.PrefixSet(set, { arena: "edge", set, entries: ["192.0.2.0/24"] });
      for (let i = 0; i < 20; i++) set("s" + i);`,
  });
  const unseen = await dark.preview();
  expect(unseen.code, unseen.text).toBe(0);
  expect(unseen.text).toMatch(
    /prefixset:\/\/edge\/s0: not seen, the plan is by the state alone\. .* The same goes for 19 other sets there\./,
  );
  expect(sockets.size).toBeLessThanOrEqual(2);
  const changes = { previewReads: "require", timeoutMs: 100, deadlineMs: 300 };
  const pairs = Object.entries(changes).flatMap(([key, value]) => ["--plaintext", `packetfilter:${key}=${value}`]);
  await dark.must("config", "set-all", ...pairs, "--stack", "test");
  const strict = await dark.preview();
  expect(strict.code).not.toBe(0);
  expect(strict.text).toContain("not everything can be seen");
  for (const socket of sockets) socket.destroy();
  hole.close();
});
