import { describe, expect, it } from "vitest";
import { BLOCKED, blockedSet, since, world } from "./support/world";

const PARTNERS = "prefixset://edge/partners";
const LOCAL = "prefixset://edge/web/blocked";
const THREE = { "192.0.2.0/24": 1, "203.0.113.7/32": 2, "2001:db8:1::/48": 3 };

describe("a prefix-set in a program", () => {
  it("is filled, kept, changed, moved to another set and cleared, with one commit each", async () => {
    await using w = await world({ program: blockedSet({ "192.0.2.0/24": 1, "203.0.113.7": 2, "2001:DB8:1::/48": 3 }) });
    const { emulator, stack } = w;
    let sent = since(emulator);

    const created = await stack.must("up", "--yes");
    expect(created.text).toContain(`${emulator.endpoint} ${BLOCKED}: 3 entries declared`);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual(THREE);
    expect(sent()).toEqual(["insert 3", "commit"]);
    const { blocked } = await stack.state();
    expect(blocked?.id).toBe(BLOCKED);
    expect(blocked?.outputs).toMatchObject({ entries: THREE, count: 3, url: BLOCKED, endpoint: emulator.endpoint });
    expect(blocked?.outputs).not.toHaveProperty("exclusive");

    sent = since(emulator);
    await stack.must("up", "--yes", "--skip-preview", "--expect-no-changes");
    expect(sent()).toEqual([]);

    await stack.program(blockedSet({ "192.0.2.0/24": 5, "2001:db8:1::/48": 3, "203.0.113.8/32": 1 }));
    await stack.must("up", "--yes", "--skip-preview");
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({
      "192.0.2.0/24": 5,
      "2001:db8:1::/48": 3,
      "203.0.113.8/32": 1,
    });
    expect(sent()).toEqual(["insert 2", "delete 1", "commit"]);

    sent = since(emulator);
    await stack.program('new pf.PrefixSet("blocked", { arena: "edge", set: "partners", entries: ["192.0.2.0/24"] });');
    await stack.must("up", "--yes", "--skip-preview");
    expect(emulator.prefixSet(PARTNERS).applied).toEqual({ "192.0.2.0/24": 1 });
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({});
    expect(sent()).toEqual(["insert 1", "commit", "delete 3", "commit"]);

    sent = since(emulator);
    await stack.must("destroy", "--yes", "--skip-preview");
    expect(emulator.prefixSet(PARTNERS).applied).toEqual({});
    expect(sent()).toEqual(["delete 1", "commit"]);
  });

  it("shows one changed entry of 10 000 in a few lines and sends nothing else", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, i) => [`10.${i >> 8}.${i & 255}.0/24`, 1] as const),
    );
    await using w = await world({ program: blockedSet(many) });
    const { emulator, stack } = w;
    let sent = since(emulator);
    await stack.must("up", "--yes", "--skip-preview");
    expect(sent()).toEqual(["insert 5000", "insert 5000", "commit"]);
    expect(emulator.requests({ cmd: "list" })).toHaveLength(2);
    expect(Object.keys(emulator.prefixSet(BLOCKED).applied)).toHaveLength(10_000);

    await stack.program(blockedSet({ ...many, "10.1.2.0/24": 9 }));
    const preview = await stack.preview("--diff");
    expect(preview.stdout.split("\n").length, preview.text).toBeLessThanOrEqual(25);
    expect(preview.stdout).toMatch(/~ 10\.1\.2\.0\/24: 1 => 9/);
    sent = since(emulator);
    await stack.must("up", "--yes", "--skip-preview");
    expect(sent()).toEqual(["insert 1", "commit"]);
    expect(emulator.journal.filter(({ cmd }) => cmd === "insert").at(-1)?.data).toEqual([{ p: "10.1.2.0/24", v: 9 }]);
  });

  it("keeps others' entries in a plain up; --refresh shows all drift, and an up repairs it", async () => {
    const others = { "192.0.2.0/24": 1, "203.0.113.0/24": 2 };
    const more = `
      new pf.PrefixSet("removed", { arena: "edge", set: "partners", entries: ${JSON.stringify(others)} });
      new pf.PrefixSet("changed", { arena: "edge", profile: "web", set: "blocked", entries: ${JSON.stringify(others)} });`;
    await using w = await world({ program: blockedSet(["192.0.2.0/24", "192.0.2.128/25"]) + more });
    const { emulator, stack } = w;
    await stack.must("up", "--yes", "--skip-preview");
    await stack.must("preview", "--refresh", "--expect-no-changes");

    emulator.change(BLOCKED, { insert: { "203.0.113.0/24": 1 } });
    await stack.program(blockedSet(["192.0.2.0/24", "192.0.2.64/26"]) + more);
    const plain = await stack.must("up", "--yes", "--skip-preview");
    expect(plain.text).toMatch(
      /warning: .* holds 1 undeclared entry \(203\.0\.113\.0\/24\): it stays, of others or .*; "pulumi up --refresh" removes it\. This up also removes 1 entry of this stack: 192\.0\.2\.128\/25\./,
    );
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1, "192.0.2.64/26": 1, "203.0.113.0/24": 1 });
    await stack.must("preview", "--expect-no-changes");

    emulator.change(PARTNERS, { delete: ["192.0.2.0/24"] });
    emulator.change(LOCAL, { insert: { "203.0.113.0/24": 9 } });
    const drift = await stack.mustFail("preview", "--refresh", "--expect-no-changes", "--diff");
    // Each is drift of its own: three updates, and what each restores. A loss is no change of the arguments: `restores` shows it.
    expect(drift.stdout).toMatch(/3 to update/);
    expect(drift.stdout).toMatch(/~ 203\.0\.113\.0\/24: 2 => 9\n/);
    // The line of a plugin's provider stands between name and change.
    const updates = drift.stdout.slice(drift.stdout.indexOf("(same)")).replaceAll(/\n +\[provider=.*(?=\n)/g, "");
    // A list of the program is a map to the classes; the plugin keeps it as it is written.
    expect(updates).toMatch(
      /::blocked\]\n +~ entries: (\{\n +- 203\.0\.113\.0\/24: 1\n +\}|\[\n +- \[2\]: "203\.0\.113\.0\/24"\n +\])\n/,
    );
    expect(updates).toMatch(/::removed\]\n +\+ restores: "1 missing entry: 192\.0\.2\.0\/24"\n/);
    expect(updates).toMatch(/::changed\]\n +\+ restores: "1 other value: 203\.0\.113\.0\/24 has the value 9, not 2"\n/);
    await stack.must("up", "--yes", "--refresh", "--skip-preview");
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1, "192.0.2.64/26": 1 });
    expect([emulator.prefixSet(PARTNERS).applied, emulator.prefixSet(LOCAL).applied]).toEqual([others, others]);
    await stack.must("preview", "--refresh", "--expect-no-changes");
  });
});
