import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { BLOCKED, emptyNode, mutations, since, world } from "./support/world";

const PARTNERS = "prefixset://edge/partners";
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

/** Provider resources, each with the address of a node and a limit of its own. */
const KINDS = {
  dynamic: (name: string, endpoint: string) =>
    `const ${name} = new pulumi.ProviderResource("pulumi-nodejs", "${name}", { "packetfilter:endpoint": "${endpoint}", "packetfilter:maxRemovals": "30" });`,
  plugin: (name: string, endpoint: string) =>
    `const ${name} = new pf.Provider("${name}", { endpoint: "${endpoint}", maxRemovals: 30 });`,
};
type Kind = keyof typeof KINDS;

const set = (name: string, provider: string, entries: readonly string[]) =>
  `new pf.PrefixSet("${name}", { arena: "edge", set: "blocked", entries: ${JSON.stringify(entries)} }, { provider: ${provider} });`;

/** Entries of which every other one is another provider's. */
const entries = (name: string, [even, odd]: readonly [string, string], values: readonly number[]) =>
  `for (const i of ${JSON.stringify(values)})
     new pf.PrefixSetEntry("${name}-" + i, { arena: "edge", set: "partners", prefix: "198.51.100." + i, value: 7 },
       { provider: i % 2 === 0 ? ${even} : ${odd} });`;

it.each<[string, Record<"one" | "two" | "far", Kind>]>([
  ["dynamic providers", { one: "dynamic", two: "dynamic", far: "dynamic" }],
  ["providers of the plugin", { one: "plugin", two: "plugin", far: "plugin" }],
  ["a dynamic provider and one of the plugin", { one: "dynamic", two: "plugin", far: "plugin" }],
])(
  "%s of one node remove no more together than one may, and what moves between them stays",
  async (_, kinds) => {
    await using other = await emptyNode();
    await using w = await world({ program: "" });
    const { emulator, stack } = w;
    const all = [
      KINDS[kinds.one]("one", emulator.endpoint),
      KINDS[kinds.two]("two", emulator.endpoint),
      KINDS[kinds.far]("far", other.endpoint),
    ].join("\n");
    const program = (...parts: string[]) => stack.program([all, ...parts].join("\n"));
    const held = () => ({
      blocked: emulator.prefixSet(BLOCKED).applied,
      far: other.prefixSet(BLOCKED).applied,
      partners: Object.keys(emulator.prefixSet(PARTNERS).applied).length,
    });
    const full = { blocked: { "192.0.2.0/24": 1 }, far: { "203.0.113.0/24": 1 }, partners: 60 };

    // Two nodes have a set of that name each, and each is owned as a whole.
    const far = set("far", "far", ["203.0.113.0/24"]);
    await program(set("blocked", "one", ["192.0.2.0/24"]), far, entries("partner", ["one", "two"], numbers(60)));
    await stack.must("up", "--yes");
    expect(held()).toEqual(full);

    // Each goes to the other provider of its node: the first two by another name, the rest by the option alone.
    const sent = since(emulator);
    await program(set("renamed", "two", ["192.0.2.0/24"]), far, entries("moved", ["two", "one"], numbers(60)));
    const moved = await stack.up("--skip-preview");
    expect(moved.code, moved.text).toBe(0);
    expect(moved.text).toMatch(/stays, since another resource of this stack declares it/);
    await program(set("renamed", "one", ["192.0.2.0/24"]), far, entries("moved", ["one", "two"], numbers(60)));
    const swapped = await stack.up("--skip-preview");
    expect(swapped.code, swapped.text).toBe(0);
    const replaced = await stack.up("--skip-preview", "--replace", "**");
    expect(replaced.code, replaced.text).toBe(0);
    expect(held()).toEqual(full);
    expect([...new Set(sent())].filter((request) => request !== "commit")).toEqual([]);

    await program(set("renamed", "one", ["192.0.2.0/24"]), far);
    const tooMuch = await stack.up("--skip-preview");
    expect(tooMuch.code, tooMuch.text).not.toBe(0);
    expect(tooMuch.text).toMatch(
      /would remove at least \d+ of the \d+ entries .*more than packetfilter:maxRemovals \(30/,
    );
    expect(held().partners).toBeGreaterThanOrEqual(30);
    expect({ ...held(), partners: 60 }).toEqual(full);
  },
  240_000,
);

/** Another user of the machine, who makes the folder of each deployment that begins before its processes do. */
function attacker(folder: string): ChildProcess {
  const script = `
    const fs = require("node:fs");
    setInterval(() => {
      for (const pid of fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name))) {
        try {
          const words = fs.readFileSync("/proc/" + pid + "/cmdline", "utf8").split("\\0");
          const port = words.join(" ").match(/127\\.0\\.0\\.1:(\\d+)/)?.[1];
          if (!/pulumi/.test(words.join(" ")) || port === undefined) continue;
          const parent = fs.readFileSync("/proc/" + pid + "/stat", "utf8").split(") ")[1].split(" ")[1];
          for (const engine of [pid, parent]) fs.writeFileSync(${JSON.stringify(folder)} + "/packetfilter-deployment-" + engine + "-" + port, "");
        } catch {}
      }
    }, 5);`;
  const isRoot = process.getuid?.() === 0;
  const asAnother = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"];
  const [command = "", ...args] = [...(isRoot ? asAnother : []), process.execPath, "-e", script];
  return spawn(command, args, { stdio: "ignore" });
}

it("another user of the machine, or a place that cannot be written, makes a run remove nothing that is declared", async () => {
  const temporary = mkdtempSync(join(tmpdir(), "packetfilter-temporary-"));
  chmodSync(temporary, 0o1777);
  const program = (more: readonly string[] = []) => `
    new pf.PrefixSet("blocked", { arena: "edge", set: "blocked", entries: ["192.0.2.0/24"] });
    new pf.CloudSignaling("attack", { prefixes: ["198.51.100.7"], reason: "UDP flood" });
    for (const prefix of ${JSON.stringify(more)}) new pf.PrefixSetEntry(prefix, { arena: "edge", set: "partners", prefix });`;
  await using w = await world({ program: program(), env: { TMPDIR: temporary } });
  const { emulator, stack } = w;
  const held = () => [emulator.prefixSet(BLOCKED).applied, emulator.signalings["client-a"]];
  const full = [{ "192.0.2.0/24": 1 }, ["198.51.100.7/32"]];
  await stack.must("up", "--yes", "--skip-preview");
  const sent = since(emulator);

  const other = attacker(temporary);
  try {
    const attacked = await stack.up("--skip-preview", "--replace", "**");
    expect(readdirSync(temporary).filter((name) => name.startsWith("packetfilter-deployment-"))).not.toEqual([]);
    expect(attacked.code, attacked.text).toBe(0);
  } finally {
    other.kill("SIGKILL");
  }
  expect(held()).toEqual(full);
  expect(sent().filter((request) => /delete|stop/.test(request))).toEqual([]);

  // A folder that is not this user's alone; what is added goes in all the same.
  const shared = join(stack.folder, ".home", `packetfilter-${process.getuid?.()}`);
  expect(readdirSync(shared)).toEqual([]);
  if (process.getuid?.() === 0) chownSync(shared, 65_534, 65_534);
  else chmodSync(shared, 0o755);
  await stack.program(program(["203.0.113.4"]));
  const unheard = await stack.up("--skip-preview", "--replace", "**");
  expect(unheard.code, unheard.text).not.toBe(0);
  expect(unheard.text).toMatch(
    /nothing is (removed|stopped)\. The provider processes of this deployment cannot tell each other/,
  );
  expect(unheard.text).toMatch(/belongs to another user \(65534\)|needs mode 700/);
  expect(held()).toEqual(full);
  expect(emulator.prefixSet(PARTNERS).applied).toEqual({ "203.0.113.4/32": 1 });
  expect(mutations(emulator).filter((request) => /delete|stop/.test(request))).toEqual([]);

  rmSync(shared, { recursive: true });
  const again = await stack.up("--skip-preview");
  expect(again.code, again.text).toBe(0);
  expect(held()).toEqual(full);
  expect(readdirSync(shared)).toEqual([]);
  mkdirSync(temporary, { recursive: true });
  rmSync(temporary, { recursive: true });
}, 240_000);
