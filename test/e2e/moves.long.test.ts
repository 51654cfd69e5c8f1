import { cp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { native } from "./support/native";
import type { TestStack } from "./support/stack";
import { since, world } from "./support/world";

const ENTRIES = { "192.0.2.0/24": 1, "203.0.113.7/32": 2 };

/** A set, an entry and a signaling, by dynamic resources or by the plugin. */
const three = (kind: "dynamic" | "plugin") => {
  const options = kind === "plugin" ? "native" : "{}";
  const resources = `
    new pf.PrefixSet("blocked", { arena: "edge", set: "blocked", entries: ${JSON.stringify(ENTRIES)} }, ${options});
    new pf.PrefixSetEntry("scanner", { arena: "edge", set: "partners", prefix: "203.0.113.4", value: 7 }, ${options});
    new pf.CloudSignaling("attack", { prefixes: ["198.51.100.7"] }, ${options});`;
  return kind === "plugin" ? native(resources) : resources;
};

/** Puts the package of another version in the place of the one that is installed. */
async function install(stack: TestStack, version: string): Promise<void> {
  const [root, installed] = [process.cwd(), join(stack.folder, "node_modules", "pulumi-packetfilter")];
  for (const name of ["dist", "plugin", "schemas"]) {
    await rm(join(installed, name), { recursive: true, force: true });
    await cp(join(root, name), join(installed, name), { recursive: true });
  }
  const versioned = async (from: string, to: string) => {
    const text = { ...JSON.parse(await readFile(join(root, from), "utf8")), version };
    await rm(join(installed, to), { force: true });
    await writeFile(join(installed, to), JSON.stringify(text));
  };
  await versioned("schemas/provider.schema.json", "schemas/provider.schema.json");
  await versioned("package.json", "package.json");
  await rm(join(installed, "node_modules"), { force: true });
  await symlink(join(root, "node_modules"), join(installed, "node_modules"));
  const plugin = "node_modules/pulumi-packetfilter/plugin/pulumi-resource-packetfilter";
  expect(JSON.parse((await stack.must("package", "get-schema", plugin)).stdout).version).toBe(version);
}

it("a stack goes to the plugin, to another version of it, and back to dynamic resources by aliases alone", async () => {
  await using w = await world({ program: three("dynamic") });
  const { emulator, stack } = w;
  await stack.must("up", "--yes", "--skip-preview");
  const sent = since(emulator);
  const moves = [
    () => stack.program(three("plugin")),
    () => install(stack, "0.2.0"),
    () => stack.program(three("dynamic")),
    () => install(stack, "0.1.0"),
    () => stack.program(three("plugin")),
    () => stack.program(three("dynamic")),
  ];
  for (const move of moves) {
    await move();
    await stack.must("up", "--yes", "--skip-preview");
    await stack.must("preview", "--refresh", "--expect-no-changes");
  }
  expect(sent()).toEqual([]);
}, 240_000);
