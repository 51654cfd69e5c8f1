import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { BLOCKED, since, world } from "./support/world";

const PARTNERS = "prefixset://edge/partners";
const oneLine = (text: string) => text.replaceAll(/\s+/g, " ");

it("what a resource declares that the run leaves out stays when the one of its former name goes", async () => {
  const program = (name: string, entries: readonly string[]) => `
    new pf.PrefixSet("${name}", { arena: "edge", set: "blocked", entries: ${JSON.stringify(entries)} });
    new pf.PrefixSetEntry("${name}-entry", { arena: "edge", set: "partners", prefix: "198.51.100.0/24", value: 7 });
    new pf.CloudSignaling("${name}-attack", { prefixes: ["198.51.100.7"] });`;
  await using w = await world({ program: program("first", ["192.0.2.0/24", "203.0.113.0/24"]) });
  const { emulator, stack } = w;
  const held = () => [
    emulator.prefixSet(BLOCKED).applied,
    emulator.prefixSet(PARTNERS).applied,
    emulator.signalings["client-a"],
  ];
  const made = await stack.must("up", "--yes", "--skip-preview");
  expect(made.text).not.toContain("left out of this run");
  const active = ["198.51.100.7/32"];
  expect(held()).toEqual([{ "192.0.2.0/24": 1, "203.0.113.0/24": 1 }, { "198.51.100.0/24": 7 }, active]);

  // One entry less: what the node holds beside it is no obstacle, since the new resource is not made.
  await stack.program(program("renamed", ["192.0.2.0/24"]));
  const sent = since(emulator);
  const excluded = await stack.must("up", "--yes", "--exclude", "**renamed*");
  const [preview = "", update = ""] = oneLine(excluded.text).split("Updating (test)");
  for (const text of [preview, update]) {
    expect(text).toContain(
      'PrefixSet "renamed" is left out of this run (--target, --exclude), and is not in the stack yet',
    );
  }
  expect(update).toContain(
    "1 entry stays, since another resource of this stack declares or has adopted it: 192.0.2.0/24.",
  );
  expect(held()).toEqual([{ "192.0.2.0/24": 1 }, { "198.51.100.0/24": 7 }, active]);
  expect(sent()).toEqual(["delete 1", "commit"]);

  const whole = await stack.must("up", "--yes");
  expect(whole.text).not.toContain("left out of this run");
  expect(held()).toEqual([{ "192.0.2.0/24": 1 }, { "198.51.100.0/24": 7 }, active]);
  await stack.must("destroy", "--yes", "--skip-preview", "--run-program");
  expect(held().slice(0, 2)).toEqual([{}, {}]);
});

/** As a service does whose program is a function: the program's process has neither the engine's address nor the node's in its environment. */
const SERVICE = `
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const pf = require("pulumi-packetfilter");
const up = async (name, entries, options) => {
  const program = async () => {
    const own = { provider: new pf.Provider("own", { endpoint: process.argv[2], distinctNodes: true }) };
    new pf.PrefixSet(name, { arena: "edge", set: "blocked", entries }, own);
  };
  const names = { stackName: "test", projectName: "journey" };
  const stack = await LocalWorkspace.createOrSelectStack({ ...names, program }, { workDir: __dirname });
  console.log((await stack.up(options)).stdout);
};
(async () => {
  await up("first", ["192.0.2.0/24", "203.0.113.0/24"]);
  await up("renamed", ["192.0.2.0/24"], { exclude: ["**renamed*"] });
})();
`;

it("of a program that is a function, and of a provider whose node the program does not know, the same stays", async () => {
  await using w = await world({ program: "", config: { endpoint: "http://192.0.2.99" } });
  const { emulator, stack } = w;
  await stack.write("service.cjs", SERVICE);
  const { folder: cwd, env } = stack.place;
  const { stdout } = await promisify(execFile)(process.execPath, ["service.cjs", emulator.endpoint], { cwd, env });
  expect(oneLine(stdout)).toContain('PrefixSet "renamed" is left out of this run (--target, --exclude)');
  expect(oneLine(stdout)).toContain(
    "1 entry stays, since another resource of this stack declares or has adopted it: 192.0.2.0/24.",
  );
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1 });
});
