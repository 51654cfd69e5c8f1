import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TestStack } from "./support/stack";
import { BLOCKED, blockedSet, emptyNode, since, world } from "./support/world";

const TIMING = { deadlineMs: 1_000, timeoutMs: 800 };
const IMPATIENT = { node: TIMING, receiver: TIMING };

describe("a signaling whose status fails", () => {
  it("is started and stopped all the same, alone and beside one that stays wanted, and the run says what it did not see", async () => {
    const signaling = (...prefixes: string[]) =>
      `new pf.CloudSignaling("attack", { prefixes: ${JSON.stringify(prefixes)} });\n`;
    await using w = await world({ program: signaling("198.51.100.7"), config: IMPATIENT });
    const { emulator, stack } = w;
    const sent = since(emulator);
    const active = () => Object.values(emulator.signalings).flat();
    emulator.fail({ op: "status", status: 500, times: 1_000 });
    const started = await stack.up("--skip-preview");
    expect(started.code, started.text).toBe(0);
    expect(started.text).toMatch(
      /warning: .*the start of 198\.51\.100\.7\/32 was sent and answered; it is unknown whether it is active: .*HTTP 500/,
    );
    emulator.clearFaults();
    emulator.fail({ op: "status", status: 404, times: 1_000 });
    await stack.program(signaling("198.51.100.7", "198.51.100.9"));
    await stack.must("up", "--yes", "--skip-preview");
    expect(active()).toEqual(["198.51.100.7/32", "198.51.100.9/32"]);
    await stack.program(signaling("198.51.100.7"));
    await stack.must("up", "--yes", "--skip-preview");
    expect(active()).toEqual(["198.51.100.7/32"]);

    emulator.clearFaults();
    emulator.fail({ op: "status", kind: "html", times: 1_000 });
    const destroyed = await stack.destroy();
    expect(destroyed.code, destroyed.text).toBe(0);
    expect(destroyed.text).toMatch(
      /the stop of 198\.51\.100\.7\/32 was sent and answered; it is unknown whether it is stopped/,
    );
    expect(active()).toEqual([]);
    expect(sent()).toEqual(["start 1", "start 1", "stop 1", "stop 1"]);
  });
});

describe("what create finds in its set", () => {
  it("stops it, or is adopted and goes only after a preview has shown it", async () => {
    await using w = await world({ program: blockedSet(["192.0.2.0/24"]) });
    const { emulator, stack } = w;
    emulator.change(BLOCKED, { insert: { "192.0.2.0/24": 9, "203.0.113.0/24": 3 } });
    const sent = since(emulator);
    const stopped = await stack.up("--skip-preview");
    expect(stopped.code).not.toBe(0);
    expect(stopped.text).toMatch(
      /already holds 1 entry not declared here: 203\.0\.113\.0\/24 and other values of 192\.0\.2\.0\/24 \(9\).*onExisting: "adopt"/s,
    );
    expect(sent()).toEqual([]);
    expect(await stack.state()).toEqual({});

    await stack.program(blockedSet(["192.0.2.0/24", "198.51.100.0/24"], 'onExisting: "adopt"'));
    const adopted = await stack.up("--skip-preview");
    expect(adopted.code, adopted.text).toBe(0);
    expect(adopted.text).toMatch(/warning: .*adopted 2 entries/);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({
      "192.0.2.0/24": 9,
      "198.51.100.0/24": 1,
      "203.0.113.0/24": 3,
    });
    const preview = await stack.preview("--expect-no-changes");
    expect(preview.code).not.toBe(0);
    expect(preview.stdout).toMatch(/1 to update/);
    await stack.must("up", "--yes", "--skip-preview");
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1, "198.51.100.0/24": 1 });
    expect((await stack.preview("--refresh", "--expect-no-changes")).code).toBe(0);

    emulator.change(BLOCKED, { insert: { "203.0.113.0/24": 3 } });
    await stack.program(blockedSet(["192.0.2.0/24", "198.51.100.0/24"], "exclusive: false"));
    await stack.must("up", "--yes", "--skip-preview");
    expect((await stack.preview("--refresh", "--expect-no-changes")).code).toBe(0);
    await stack.must("destroy", "--yes", "--skip-preview");
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "203.0.113.0/24": 3 });
  });
});

describe("a stack's own rules", () => {
  it("stop wrong configuration, bad entries and conflicts in the preview, with no request of what is wrong", async () => {
    await using emulator = await emptyNode();
    await using stack = await TestStack.create({
      config: { endpoint: emulator.endpoint, forbiddenPrefixes: ["198.51.100.0/24"] },
      program: blockedSet(
        ["192.0.2.0/24", "192.0.2.1/24", "198.51.100.7", "0.0.0.0/0"],
        "maxEntries: 2, requiredPrefixes: ['2001:db8::/32']",
      ),
    });
    const preview = await stack.preview();
    expect(preview.code).not.toBe(0);
    for (const sentence of [
      /blocked: entries\['192\.0\.2\.1\/24'\]: '192\.0\.2\.1\/24' has host bits set: write '192\.0\.2\.0\/24'/,
      /entry 198\.51\.100\.7\/32 overlaps the forbidden prefix 198\.51\.100\.0\/24/,
      /entry 0\.0\.0\.0\/0 is shorter than \/1/,
      /no entry covers 2001:db8::\/32, required by requiredPrefixes/,
      /3 entries are more than maxEntries \(2\)/,
    ]) {
      expect(preview.text).toMatch(sentence);
    }
    await stack.program(
      'new pf.PrefixSetEntry("x", { node: "fra1", arena: "edge", set: "blocked", prefix: "192.0.2.1" });',
    );
    expect((await stack.preview()).text).toMatch(/node 'fra1' is not in 'packetfilter:nodes' \(it is not set\)/);
    expect(emulator.journal).toEqual([]);
    await stack.program(`
      new pf.PrefixSet("whole", { arena: "edge", set: "blocked", entries: ["192.0.2.0/24"] });
      new pf.PrefixSetEntry("single", { arena: "edge", set: "blocked", prefix: "203.0.113.4" });`);
    const conflict = await stack.preview();
    expect(conflict.code).not.toBe(0);
    expect(conflict.text).toMatch(
      /PrefixSetEntry "single" adds 203\.0\.113\.4\/32 to a set that PrefixSet "whole" owns/,
    );
    await stack.program(
      'new pf.PrefixSet("x", { arena: "edge", set: "blocked", entries: [] }, { import: "prefixset://edge/blocked" });',
    );
    // The first of the two is in order, and may be looked at before the program comes to the second one.
    const looks = emulator.journal.length;
    expect(emulator.journal.map(({ cmd, url }) => `${cmd} ${url}`)).toEqual([`list ${BLOCKED}`].slice(0, looks));
    const imported = await stack.preview();
    expect(imported.text).toMatch(/"import" cannot work with dynamic resources.*onExisting: "adopt"/s);
    expect(emulator.journal).toHaveLength(looks);
  });

  it("limit removals, keep it read-only on request, remove what has expired and write an audit log", async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const entries = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`192.0.2.${i}/32`, { value: 1, expires: soon }]),
    );
    await using w = await world({
      program: blockedSet(entries),
      config: { auditLog: "audit.ndjson" },
      env: { PACKETFILTER_ACTOR: "noc" },
    });
    const { emulator, stack } = w;
    await stack.must("up", "--yes", "--skip-preview");
    await stack.program(blockedSet(["192.0.2.0/32"]));
    const sent = since(emulator);
    const limited = await stack.up();
    expect(limited.code).not.toBe(0);
    expect(limited.text).toMatch(
      /29 of 30 entries would be removed, more than maxRemovals \(50%, here 20\).*PACKETFILTER_ALLOW=prefixset:\/\/edge\/blocked/,
    );
    await stack.program(blockedSet({}));
    expect((await stack.preview()).text).toMatch(
      /all 30 entries would be removed: if the set is to be empty, set allowEmpty: true/,
    );
    stack.environment({ PACKETFILTER_ALLOW: BLOCKED, PACKETFILTER_READ_ONLY: "true" });
    await stack.program(blockedSet(["192.0.2.0/32"]));
    expect((await stack.preview()).code).toBe(0);
    const readOnly = await stack.up("--skip-preview");
    expect(readOnly.code).not.toBe(0);
    expect(readOnly.text).toMatch(/read-only/);
    expect(sent()).toEqual([]);
    stack.environment({ PACKETFILTER_READ_ONLY: undefined });
    await stack.must("up", "--yes", "--skip-preview");
    expect(sent()).toEqual(["delete 29", "commit"]);

    const past = { value: 1, expires: "2020-01-01T00:00:00Z" };
    await stack.program(blockedSet({ "192.0.2.0/32": past, "203.0.113.0/24": 1 }));
    await stack.must("up", "--yes", "--skip-preview");
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "203.0.113.0/24": 1 });
    const lines = (await readFile(join(stack.folder, "audit.ndjson"), "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ actor, set, outcome }) => ({ actor, set, outcome }))).toEqual([
      { actor: "noc", set: BLOCKED, outcome: "applied" },
      { actor: "noc", set: BLOCKED, outcome: "applied" },
      { actor: "noc", set: BLOCKED, outcome: "applied" },
    ]);
    expect(lines[2].prefixes).toEqual({
      "192.0.2.0/32": { old: 1, new: null },
      "203.0.113.0/24": { old: null, new: 1 },
    });
  });
});
