import { cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { TestStack, TYPES_ARE_CHECKED } from "./support/stack";
import { BLOCKED, blockedSet, emptyNode, since, world } from "./support/world";

describe("nodes and receivers of a stack", () => {
  it("are two in one program, with sets of one name and values unknown in preview", async () => {
    await using fra = await emptyNode();
    await using ams = await emptyNode();
    await using stack = await TestStack.create({
      language: "typescript",
      config: { nodes: { fra1: { endpoint: fra.endpoint }, ams1: { endpoint: `${ams.endpoint}/fapi` } } },
      program: `
        const global = new pf.PrefixSet("global", { node: "fra1", arena: "edge", set: "blocked", entries: ["192.0.2.0/24"] });
        const local: pf.PrefixSetArgs = { node: "fra1", arena: "edge", profile: "web", set: "blocked", entries: [] };
        new pf.PrefixSet("local", { ...local, entries: global.url.apply((url) => ({ "2001:db8::/32": url.length })) });
        new pf.PrefixSet("remote", { node: "ams1", arena: "edge", set: "blocked", entries: { "203.0.113.0/24": global.count } });
        new pf.PrefixSetEntry("late", { node: "ams1", arena: "edge", set: "partners", prefix: global.count.apply((n) => "203.0.113." + n) });
        export const held = pf.getPrefixSetOutput({ node: "fra1", arena: "edge", set: global.url.apply(() => "blocked") });
      `,
    });
    const preview = await stack.preview();
    expect(preview.code, preview.text).toBe(0);
    stack.environment(TYPES_ARE_CHECKED);
    expect([...fra.requests(), ...ams.requests()].filter(({ cmd }) => cmd !== "list")).toEqual([]);
    const up = await stack.up("--skip-preview");
    expect(up.code, up.text).toBe(0);
    expect(fra.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1 });
    expect(fra.prefixSet("prefixset://edge/web/blocked").applied).toEqual({ "2001:db8::/32": BLOCKED.length });
    expect(ams.prefixSet(BLOCKED).applied).toEqual({ "203.0.113.0/24": 1 });
    expect(ams.prefixSet("prefixset://edge/partners").applied).toEqual({ "203.0.113.1/32": 1 });
    expect(JSON.parse((await stack.must("stack", "output", "held", "--json")).stdout)).toEqual({ "192.0.2.0/24": 1 });

    await stack.program(
      'new pf.PrefixSet("remote", { node: "fra1", arena: "edge", set: "partners", entries: ["203.0.113.0/24"] });',
    );
    const moved = await stack.up("--skip-preview");
    expect(moved.code, moved.text).toBe(0);
    expect(fra.prefixSet("prefixset://edge/partners").applied).toEqual({ "203.0.113.0/24": 1 });
    expect([fra.prefixSet(BLOCKED).applied, ams.prefixSet(BLOCKED).applied]).toEqual([{}, {}]);
  });

  it("change address, spelling and key in place; nothing is cleared at the old address", async () => {
    await using w = await world({ program: blockedSet(["192.0.2.0/24"]) });
    const { emulator, stack } = w;
    await stack.must("up", "--yes", "--skip-preview");
    const sent = since(emulator);

    const byName = emulator.endpoint.replace("127.0.0.1", "localhost");
    await stack.must("config", "set", "packetfilter:endpoint", byName, "--stack", "test");
    const respelled = await stack.up("--skip-preview");
    expect(respelled.code, respelled.text).toBe(0);
    expect(respelled.text).toContain(`the node is now reached at ${byName}`);
    expect(respelled.stdout).toMatch(/1 updated/);
    expect((await stack.preview("--expect-no-changes")).code).toBe(0);

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
    const elsewhere = await stack.up("--skip-preview");
    expect(elsewhere.code, elsewhere.text).toBe(0);
    expect(other.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1 });
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1 });
    expect(sent()).toEqual([]);
  });

  it("from the environment enter no diff, and another address than that of the state stops the run", async () => {
    await using emulator = await startEmulator();
    await using other = await startEmulator();
    const [client] = emulator.clients;
    await using stack = await TestStack.create({
      program: 'new pf.CloudSignaling("attack", { prefixes: ["198.51.100.7"] });',
      env: {
        PACKETFILTER_SIGNALING_URL: emulator.signalingUrl,
        PACKETFILTER_CLIENT_ID: client?.clientId ?? "",
        PACKETFILTER_SECRET_KEY: client?.secretKey ?? "",
      },
    });
    await stack.must("up", "--yes", "--skip-preview");
    const exported = await stack.must("stack", "export", "--show-secrets");
    expect(exported.stdout).not.toContain(client?.secretKey);

    stack.environment({ PACKETFILTER_SIGNALING_URL: other.signalingUrl });
    expect((await stack.preview("--expect-no-changes")).code).toBe(0);
    const destroyed = await stack.destroy();
    expect(destroyed.code).not.toBe(0);
    expect(destroyed.text).toContain(
      `is at ${emulator.signalingUrl} according to the state, but the environment names ${other.signalingUrl}`,
    );
    // The preview asked what is active there, and nothing else was sent.
    expect(other.journal.map(({ op }) => op)).toEqual(["status"]);
  });

  it("and the package itself may be upgraded: no state of an earlier version shows a change", async () => {
    await using w = await world({
      program: `${blockedSet({ "192.0.2.0/24": { value: 2, reason: "SYN flood" } })}
      new pf.PrefixSetEntry("scanner", { arena: "edge", set: "partners", prefix: "203.0.113.4", value: 7 });
      new pf.CloudSignaling("attack", { prefixes: ["198.51.100.7"] });`,
    });
    const { emulator, stack } = w;
    const root = resolve(__dirname, "../..");
    emulator.change(BLOCKED, { insert: { "192.0.2.0/24": 2 } });
    emulator.change("prefixset://edge/partners", { insert: { "203.0.113.4/32": 7 } });
    emulator.signal("client-a", { start: ["198.51.100.7"] });
    const template = await readFile(join(__dirname, "states", "0.1.0.json"), "utf8");
    await stack.write("state.json", template.replaceAll("http://192.0.2.10", emulator.endpoint));
    await stack.must("stack", "import", "--file", join(stack.folder, "state.json"));

    const link = join(stack.folder, "node_modules", "pulumi-packetfilter");
    await rm(link, { recursive: true });
    for (const part of ["dist", "plugin"]) await cp(join(root, part), join(link, part), { recursive: true });
    const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    await writeFile(join(link, "package.json"), JSON.stringify({ ...manifest, version: "99.0.0" }));
    await mkdir(join(link, "node_modules"));
    for (const name of new Set(Object.keys(manifest.dependencies).map((name) => name.split("/")[0] ?? name)))
      await symlink(join(root, "node_modules", name), join(link, "node_modules", name));
    // The state was made elsewhere: an up takes this stack's configuration into it, which a refresh then uses.
    const up = await stack.up("--skip-preview", "--expect-no-changes");
    expect(up.code, up.text).toBe(0);
    expect(up.stdout).toMatch(/4 unchanged/);
    const preview = await stack.preview("--refresh", "--expect-no-changes");
    expect(preview.code, preview.text).toBe(0);
  });
});
