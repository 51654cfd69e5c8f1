import { expect, it } from "vitest";
import { native } from "./support/native";
import { BLOCKED, world } from "./support/world";

const CANARY = "canary-91b2c4";

it("each read function of the plugin answers through the engine, and its failure keeps secrets", async () => {
  const called = `
    const call = (name, args) => pulumi.runtime.invokeOutput("packetfilter:index:" + name, args, native);
    const set = { arena: "edge", set: "blocked" };
    exports.profiles = call("getProfiles", { arena: "edge" }).apply(({ profiles }) => profiles.map(({ name }) => name));
    exports.rules = call("getRules", { arena: "edge", profile: "web" }).apply(({ rules }) => rules);
    exports.marks = call("getMarks", { arena: "edge", profile: "web", type: "shost" }).apply(({ marks }) => marks.map(({ address }) => address));
    exports.entries = call("getPrefixSet", set).apply(({ entries }) => entries);
    exports.active = call("getSignalings", {}).apply(({ prefixes }) => prefixes);
    exports.listed = call("readPrefixFile", { file: "blocked.txt" }).apply(({ entries }) => Object.keys(entries));
  `;
  await using w = await world({ program: native(called), shost: ["192.0.2.9"] });
  const { emulator, stack } = w;
  emulator.change(BLOCKED, { insert: { "192.0.2.0/24": 3 } });
  emulator.signal("client-a", { start: ["198.51.100.7"] });
  await stack.write("blocked.txt", "203.0.113.7 # scanner\n");
  await stack.must("up", "--yes", "--skip-preview");
  const outputs = JSON.parse((await stack.must("stack", "output", "--json")).stdout);
  expect(outputs).toMatchObject({
    profiles: ["clean", "protected", "web"],
    rules: [],
    marks: ["192.0.2.9"],
    entries: { "192.0.2.0/24": 3 },
    active: ["198.51.100.7/32"],
    listed: ["203.0.113.7/32"],
  });

  emulator.fail({
    cmd: "list",
    url: BLOCKED,
    status: 400,
    message: `no list of 198.51.100.77 for ${CANARY}`,
    times: 40,
  });
  const entries = { "198.51.100.77": { value: 1, reason: CANARY } };
  await stack.program(
    native(`
      const entries = pulumi.secret(${JSON.stringify(entries)});
      const kept = new pf.PrefixSet("partners", { arena: "edge", set: "partners", entries }, native);
      const call = () => pulumi.runtime.invokeOutput("packetfilter:index:getPrefixSet", { arena: "edge", set: "blocked" }, native);
      exports.entries = kept.url.apply(call);`),
  );
  const failed = await stack.mustFail("up", "--yes", "--skip-preview");
  expect(failed.text).toMatch(/HTTP 400.*no list of \[secret\] for \[secret\]/);
  expect(failed.text).not.toMatch(/198\.51\.100\.77|canary/);
});
