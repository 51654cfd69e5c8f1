import { describe, expect, it } from "vitest";
import { startHealth } from "../support/health";
import { TestStack } from "./support/stack";
import { emptyNode, world } from "./support/world";

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
