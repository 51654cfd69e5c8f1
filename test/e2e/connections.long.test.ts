import { describe, expect, it } from "vitest";
import { BLOCKED, blockedSet, emptyNode, since, world } from "./support/world";

describe("nodes and receivers of a stack", () => {
  it("change address, spelling and key in place; nothing is cleared at the old address", async () => {
    await using w = await world({ program: blockedSet(["192.0.2.0/24"]) });
    const { emulator, stack } = w;
    await stack.must("up", "--yes", "--skip-preview");
    const sent = since(emulator);

    const byName = emulator.endpoint.replace("127.0.0.1", "localhost");
    await stack.must("config", "set", "packetfilter:endpoint", byName, "--stack", "test");
    const respelled = await stack.must("up", "--yes", "--skip-preview");
    expect(respelled.text).toContain(`the node is now reached at ${byName}`);
    expect(respelled.stdout).toMatch(/1 updated/);
    await stack.must("preview", "--expect-no-changes");

    const node = (token: string) => `node: { endpoint: "${emulator.endpoint}/", headers: { "x-token": "${token}" } }`;
    await stack.program(blockedSet(["192.0.2.0/24"], node("first-token")));
    expect((await stack.up("--skip-preview")).stdout).toMatch(/1 updated/);
    await stack.program(blockedSet(["192.0.2.0/24"], node("second-token")));
    const rotated = await stack.up();
    expect(rotated.stdout).toMatch(/1 updated/);
    expect(rotated.text).not.toContain("second-token");
    expect(sent()).toEqual([]);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1 });
    expect((await stack.must("stack", "export")).stdout).not.toContain('token":"');

    await using other = await emptyNode();
    await stack.program(blockedSet(["192.0.2.0/24"], `node: { endpoint: "${other.endpoint}" }`));
    await stack.must("up", "--yes", "--skip-preview");
    expect(other.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1 });
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1 });
    expect(sent()).toEqual([]);
  });
});
