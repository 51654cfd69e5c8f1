import { describe, expect, it } from "vitest";
import { startHealth } from "../support/health";
import { native, set } from "./support/native";
import { TestStack } from "./support/stack";
import { BLOCKED, emptyNode, since, world } from "./support/world";

const THREE = { "192.0.2.0/24": 1, "203.0.113.7/32": 2, "2001:db8:1::/48": 3 };

describe("resources of the plugin", () => {
  it("show in a few lines what the state alone tells: a wave that has not passed, and a node that left and is still held", async () => {
    await using lab1 = await emptyNode();
    await using fra1 = await emptyNode();
    await using health = await startHealth();
    await using stack = await TestStack.create({ program: "", config: {} });
    const some = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`10.${i >> 8}.${i & 255}.0/24`, 1]));
    const nodes = { lab1: { endpoint: lab1.endpoint }, fra1: { endpoint: fra1.endpoint } };
    const group = (names: readonly string[]) =>
      stack.program(`
        const provider = new pf.Provider("native", { nodes: ${JSON.stringify(nodes)} });
        new pf.PrefixSetGroup("blocked", {
          arena: "edge", set: "blocked", nodes: ${JSON.stringify(names)}, entries: ${JSON.stringify(some)},
          rollout: { waves: [["lab1"]], checkTimeoutMs: 500, check: { url: "${health.url}" } },
        }, { provider });`);
    const shown = async () => {
      const { text } = await stack.must("preview", "--diff");
      expect(text.split("\n").length).toBeLessThan(40);
      expect(text).not.toContain("10.0.0.0/24");
      return text;
    };
    health.ill.set("fra1", 503);
    await group(["lab1", "fra1"]);
    await stack.mustFail("up", "--yes", "--skip-preview");
    expect(await shown()).toMatch(/~ rollout: \{.*- reason +: "GET .*HTTP 503"/s);
    health.ill.clear();
    await stack.must("up", "--yes", "--skip-preview");
    await group(["lab1"]);
    await stack.must("up", "--yes", "--skip-preview");
    expect(await shown()).toMatch(/~ nodes: \{\s*- fra1/);
  });

  it("are imported by their ids", async () => {
    await using w = await world({ program: native("") });
    const { emulator, stack } = w;
    emulator.change(BLOCKED, { insert: THREE });
    emulator.change("prefixset://edge/web/blocked", { insert: THREE });
    emulator.change("prefixset://edge/partners", { insert: { "203.0.113.4/32": 7, "203.0.113.5/32": 8 } });
    emulator.signal("client-a", { start: ["198.51.100.7"] });
    const imported = native(
      set(THREE, `{ ...native, import: "${BLOCKED}" }`) +
        `
      new pf.CloudSignaling("attack", { prefixes: ["198.51.100.7"] }, { ...native, import: "198.51.100.7" });
      new pf.PrefixSetEntry("scanner", { arena: "edge", set: "partners", prefix: "203.0.113.4", value: 7 },
        { ...native, import: "prefixset://edge/partners#203.0.113.4" });
      const eu = new pf.Provider("eu", { nodes: { fra1: { endpoint: config.require("endpoint") } } });
      new pf.PrefixSetGroup("everywhere",
        { arena: "edge", profile: "web", set: "blocked", nodes: ["fra1"], entries: ${JSON.stringify(THREE)} },
        { provider: eu, import: "prefixset://edge/web/blocked@fra1" });`,
    );
    const sent = since(emulator);
    await stack.program(imported);
    await stack.must("up", "--yes", "--skip-preview");
    expect(sent()).toEqual([]);
    const { blocked, attack, scanner, everywhere } = await stack.state();
    expect([blocked, scanner, everywhere].map((resource) => resource?.id)).toEqual([
      BLOCKED,
      "prefixset://edge/partners#203.0.113.4/32",
      "prefixset://edge/web/blocked",
    ]);
    for (const whole of [blocked, everywhere]) expect(whole?.inputs.entries).toEqual(THREE);
    const outputs = [everywhere, scanner, attack].flatMap((resource) => Object.keys(resource?.outputs ?? {}));
    expect(outputs.filter((name) => name.startsWith("__"))).toEqual([]);
    expect(everywhere?.outputs.endpoints).toEqual({ fra1: emulator.endpoint });
    expect(scanner?.outputs).toMatchObject({ value: 7, existed: true });
    expect(attack?.outputs).toMatchObject({ prefixes: ["198.51.100.7/32"], started: [] });
    await stack.must("up", "--yes", "--skip-preview", "--expect-no-changes");
    expect(sent()).toEqual([]);
  });

  it("load no module of answers.read, for a resource or a function, unless the operator allowed it", async () => {
    const answers = 'answers: { read: "./read.cjs" }';
    await using w = await world({ program: "", config: { detectDrift: "off" } });
    const { emulator, stack } = w;
    const endpoint = JSON.stringify(emulator.endpoint);
    const call =
      'pulumi.runtime.invokeOutput("packetfilter:index:getMarks", { arena: "edge", profile: "web", type: "shost"';
    const ways = {
      "a resource of the plugin": `
        const provider = new pf.Provider("eu", { endpoint: ${endpoint}, node: { ${answers} } });
        new pf.PrefixSet("blocked", { arena: "edge", set: "blocked", entries: [] }, { provider });`,
      "a function of the plugin": `
        const provider = new pf.Provider("eu", { endpoint: ${endpoint} });
        exports.marks = ${call}, node: { endpoint: ${endpoint}, ${answers} } }, { provider });`,
      "a function of the program": `
        exports.marks = pf.getMarks({ arena: "edge", profile: "web", type: "shost", node: { endpoint: ${endpoint}, ${answers} } });`,
      "a dynamic resource": `
        new pf.PrefixSet("blocked", { arena: "edge", set: "blocked", entries: [], node: { endpoint: ${endpoint}, ${answers} } });`,
    };
    await stack.write("read.cjs", 'require("node:fs").writeFileSync("ran", ""); module.exports = () => [];\n');
    for (const [way, program] of Object.entries(ways)) {
      await stack.program(program);
      const refused = await stack.preview();
      expect([way, refused.code === 0], refused.text).toEqual([way, false]);
      expect(refused.text).toContain("PACKETFILTER_ALLOW_CODE is not set, and the module was not loaded");
      await expect(stack.read("ran")).rejects.toThrow("ENOENT");
    }
    stack.environment({ PACKETFILTER_ALLOW_CODE: "./read.cjs" });
    await stack.program(ways["a function of the plugin"]);
    await stack.must("preview");
    expect(await stack.read("ran")).toBe("");
  });
});
