import { describe, expect, it } from "vitest";
import { BLOCKED, blockedSet, since, world } from "./support/world";

const THREE = { "192.0.2.0/24": 1, "203.0.113.7/32": 2, "2001:db8:1::/48": 3 };

describe("a prefix-set in a program", () => {
  it("is filled, kept, changed, moved to another set and cleared, with one commit each", async () => {
    await using w = await world({ program: blockedSet({ "192.0.2.0/24": 1, "203.0.113.7": 2, "2001:DB8:1::/48": 3 }) });
    const { emulator, stack } = w;
    let sent = since(emulator);

    const created = await stack.up();
    expect(created.code, created.text).toBe(0);
    expect(created.text).toContain(`${emulator.endpoint} ${BLOCKED}: +3 -0 ~0, 3 after`);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual(THREE);
    expect(sent()).toEqual(["insert 3", "commit"]);
    const { blocked } = await stack.state();
    expect(blocked?.id).toBe(BLOCKED);
    expect(blocked?.outputs).toMatchObject({ entries: THREE, count: 3, url: BLOCKED, endpoint: emulator.endpoint });
    expect(blocked?.outputs).not.toHaveProperty("exclusive");

    sent = since(emulator);
    const again = await stack.up("--expect-no-changes");
    expect(again.code, again.text).toBe(0);
    expect(sent()).toEqual([]);

    await stack.program(blockedSet({ "192.0.2.0/24": 5, "2001:db8:1::/48": 3, "203.0.113.8/32": 1 }));
    const changed = await stack.up("--skip-preview");
    expect(changed.code, changed.text).toBe(0);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 5, "2001:db8:1::/48": 3, "203.0.113.8/32": 1 });
    expect(sent()).toEqual(["insert 2", "delete 1", "commit"]);

    sent = since(emulator);
    await stack.program('new pf.PrefixSet("blocked", { arena: "edge", set: "partners", entries: ["192.0.2.0/24"] });');
    const moved = await stack.up("--skip-preview");
    expect(moved.code, moved.text).toBe(0);
    expect(emulator.prefixSet("prefixset://edge/partners").applied).toEqual({ "192.0.2.0/24": 1 });
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({});
    expect(sent()).toEqual(["insert 1", "commit", "delete 3", "commit"]);

    sent = since(emulator);
    const destroyed = await stack.destroy();
    expect(destroyed.code, destroyed.text).toBe(0);
    expect(emulator.prefixSet("prefixset://edge/partners").applied).toEqual({});
    expect(sent()).toEqual(["delete 1", "commit"]);
  });
});
