import { expect } from "vitest";
import { since, world } from "../support/world";
import { held, journey, UP } from "./journey";

const ARGUMENTS = [
  ...["transforms", "transformations", "additionalSecretOutputs", "hideDiffs", "customTimeouts", "stateMigrations"],
  ...["version", "pluginDownloadURL", "providers", "id", "urn", "import", "hooks", "provider", "envVarMappings"],
];

journey(
  "arguments",
  ARGUMENTS,
  async () => {
    const entry = (name: string, prefix: string, options: string) =>
      `new pf.PrefixSetEntry("${name}", { arena: "edge", set: "partners", prefix: "${prefix}", value: 1 }, { ${options} });\n`;
    const more = "({ props, opts }) => ({ props: { ...props, value: 2 }, opts })";
    const plain = `version: "1.2.3", pluginDownloadURL: "https://plugins.example.net", hideDiffs: ["value"], stateMigrations: []`;
    const program = `
    class Site extends pulumi.ComponentResource {
      constructor(name) { super("test:index:Site", name, {}, { providers: {} }); this.registerOutputs({}); }
    }
    ${entry("transformed", "203.0.113.1", `transforms: [${more}]`)}
    ${entry("changed", "203.0.113.2", `transformations: [${more}]`)}
    ${entry("hidden", "203.0.113.3", `additionalSecretOutputs: ["value"]`)}
    ${entry("plain", "203.0.113.4", `${plain}, parent: new Site("site")`)}
    const slow = ${entry("slow", "203.0.113.5", `customTimeouts: { create: "1s" }`)}
    new pf.PrefixSet("read", { arena: "edge", set: "blocked", entries: {} }, { id: "prefixset://edge/blocked" });
    slow.urn.apply((urn) => new pf.PrefixSetEntry("again", { arena: "edge", set: "partners", prefix: "203.0.113.9" }, { urn }));
    try { ${entry("imported", "203.0.113.9", 'import: "x"')} } catch (error) { pulumi.log.warn(error.message); }
  `;
    await using w = await world({ program });
    const { emulator, stack } = w;
    // Longer than the time-out of the resource, which the provider is not told.
    emulator.fail({ cmd: "commit", kind: "delay", delay: "2s" });
    emulator.change("prefixset://edge/partners", { insert: { "203.0.113.3/32": 1 } });
    const up = await stack.must(...UP);
    expect(up.text).toMatch(/203\.0\.113\.3\/32 was already there with this value/);
    expect(up.text).toMatch(/the option "import" cannot work with dynamic resources/);
    const partners = {
      "203.0.113.1/32": 2,
      "203.0.113.2/32": 2,
      "203.0.113.3/32": 1,
      "203.0.113.4/32": 1,
      "203.0.113.5/32": 1,
    };
    expect(held(emulator)).toEqual({ blocked: {}, partners, active: [] });
    const { hidden } = await stack.state();
    expect(hidden?.inputs.value).toBe(1);
    expect(hidden?.outputs.value).toMatchObject({ ciphertext: expect.any(String) });

    // What the engine, the language host or the provider refuses has sent nothing.
    const sent = since(emulator);
    const own =
      'const own = new (class extends pulumi.ProviderResource { constructor() { super("pulumi-nodejs", "own", {}); } })();';
    const refused = "() => { throw new Error('not now'); }";
    for (const [options, reason] of [
      ["provider: own", /No node is given/],
      [`hooks: { beforeCreate: [${refused}] }`, /RegisterResourceHook|not now/],
      ['envVarMappings: { A: "B" }', /envVarMappings can only be used with provider resources/],
    ] as const) {
      await stack.program(`${own}\n${program}\n${entry("refused", "203.0.113.77", options)}`);
      const run = await stack.up("--skip-preview");
      expect(run.code).not.toBe(0);
      expect(run.text).toMatch(reason);
    }
    expect(sent()).toEqual([]);
    expect(held(emulator).partners).toEqual(partners);
  },
  ["dynamic"],
);
