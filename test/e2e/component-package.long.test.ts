import { chmod, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { BLOCKED, since, world } from "./support/world";

const root = process.cwd();

/** A component in TypeScript's own way: its resources get a provider, so that they are those of the plugin. */
const COMPONENT = `
const pulumi = require("@pulumi/pulumi");
const { main } = require("@pulumi/pulumi/provider");
const pf = require("pulumi-packetfilter");

class Guard extends pulumi.ComponentResource {
  constructor(name, { endpoint, entries }, options) {
    super("guards:index:Guard", name, { endpoint, entries }, options);
    const provider = new pf.Provider(name + "-site", { endpoint }, { parent: this });
    const set = new pf.PrefixSet(name, { arena: "edge", set: "blocked", entries }, { parent: this, provider });
    this.url = set.url;
    this.registerOutputs({ url: this.url });
  }
}

main({
  version: "1.0.0",
  schema: JSON.stringify({ name: "guards", version: "1.0.0" }),
  async construct(name, type, inputs, options) {
    const guard = new Guard(name, inputs, options);
    return { urn: guard.urn, state: { url: guard.url } };
  },
}, process.argv.slice(2));
`;

const PROJECT = `name: journey
runtime: nodejs
plugins:
  providers:
    - name: guards
      path: guards
    - name: packetfilter
      path: guards/node_modules/pulumi-packetfilter/plugin
`;

const program = (entries: object, endpoint: string) => `
const pulumi = require("@pulumi/pulumi");
class Guard extends pulumi.ComponentResource {
  constructor(name, args) { super("guards:index:Guard", name, { ...args, url: undefined }, {}, true); }
}
exports.url = new Guard("blocked", ${JSON.stringify({ endpoint, entries })}).url;
`;

it("a component package works in a program that lacks this package, through the plugin that it brings", async () => {
  await using w = await world({ program: "" });
  const { emulator, stack } = w;
  const { folder } = stack;
  // The engine would load dynamic resources from the program's packages, which has none of ours.
  await rm(join(folder, "node_modules", "pulumi-packetfilter"), { recursive: true });
  await stack.write("guards/main.js", COMPONENT);
  await stack.write("guards/node_modules/.keep", "");
  for (const name of ["@pulumi", "pulumi-packetfilter"])
    await symlink(join(root, "node_modules", name), join(folder, "guards/node_modules", name));
  const start = "guards/pulumi-resource-guards";
  await stack.write(start, '#!/bin/sh\nexec node "$(dirname "$0")/main.js" "$@"\n');
  await chmod(join(folder, start), 0o755);
  await stack.write("Pulumi.yaml", PROJECT);

  await stack.write("index.js", program({ "192.0.2.0/24": 1 }, emulator.endpoint));
  const created = await stack.must("up", "--yes", "--skip-preview");
  expect(created.text).toMatch(new RegExp(`url *: "${BLOCKED}"`));
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1 });

  const sent = since(emulator);
  await stack.must("up", "--yes", "--skip-preview", "--expect-no-changes");
  await stack.write("index.js", program({ "192.0.2.0/24": 1, "203.0.113.7": 2 }, emulator.endpoint));
  await stack.must("up", "--yes", "--skip-preview");
  expect(sent()).toEqual(["insert 1", "commit"]);

  await stack.must("destroy", "--yes", "--skip-preview");
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({});
});
