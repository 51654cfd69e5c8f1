import { expect, it } from "vitest";
import { native, set } from "./support/native";
import { BLOCKED, since, world } from "./support/world";

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
  const failed = await stack.up("--skip-preview");
  expect(failed.code).not.toBe(0);
  expect(failed.text).toMatch(/HTTP 400.*no list of \[secret\] for \[secret\]/);
  expect(failed.text).not.toMatch(/198\.51\.100\.77|canary/);
});

it("customTimeouts end an update whose node is slow, in time, and the next run settles it", async () => {
  const slow = '{ ...native, customTimeouts: { update: "2s", delete: "2s" } }';
  await using w = await world({ program: native(set({ "192.0.2.0/24": 1 }, slow)) });
  const { emulator, stack } = w;
  await stack.must("up", "--yes", "--skip-preview");
  const delayed = async (...args: string[]) => {
    emulator.fail({ cmd: "commit", kind: "delay", delay: "8s" });
    const run = await stack.pulumi(...args, "--yes", "--skip-preview");
    emulator.clearFaults();
    expect(run.code, run.text).not.toBe(0);
    expect(run.text).toMatch(/not finished in time\. 1 entry of this resource may be .*2 s \(customTimeouts\)/s);
  };
  const entries = { "192.0.2.0/24": 2 };
  await stack.program(native(set(entries, slow)));
  await delayed("up");
  expect((await stack.state()).blocked?.outputs.unsettled).toEqual(["192.0.2.0/24"]);
  await stack.must("up", "--yes", "--skip-preview");
  expect(emulator.prefixSet(BLOCKED).applied).toEqual(entries);
  expect((await stack.state()).blocked?.outputs).not.toHaveProperty("unsettled");

  await delayed("destroy");
  await stack.must("destroy", "--yes", "--skip-preview");
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({});
});

it("what fails to be created, updated, read or deleted is said at its resource, and the next run goes on from there", async () => {
  await using w = await world({ program: native(set({ "192.0.2.0/24": 1 })) });
  const { emulator, stack } = w;
  const failing = async (cmd: "commit" | "list", ...args: string[]) => {
    emulator.fail({ cmd, times: 40, status: 400 });
    const run = await stack.pulumi(...args, "--yes", "--skip-preview");
    emulator.clearFaults();
    expect(run.code, run.text).not.toBe(0);
    expect(run.text).toMatch(/packetfilter:index:PrefixSet \(blocked\):[\s\S]*Set prefixset:\/\/edge\/blocked/);
    return run.text;
  };
  await failing("commit", "up");
  await stack.must("up", "--yes", "--skip-preview");
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1 });

  await stack.program(native(set({ "192.0.2.0/24": 2, "203.0.113.0/24": 1 })));
  await failing("commit", "up");
  expect(await failing("list", "refresh")).toContain("The state is unchanged");
  await stack.must("up", "--yes", "--skip-preview");
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 2, "203.0.113.0/24": 1 });

  await failing("commit", "destroy");
  const sent = since(emulator);
  await stack.must("destroy", "--yes", "--skip-preview");
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({});
  expect(sent().at(-1)).toBe("commit");

  await stack.program(
    native('new pf.PrefixSet("blocked", { arena: "edge", set: "blocked", entries: { "192.0.2.1/24": 1 } }, native);'),
  );
  const wrong = await stack.preview();
  expect(wrong.code).not.toBe(0);
  expect(wrong.text).toContain("192.0.2.1/24");
});
