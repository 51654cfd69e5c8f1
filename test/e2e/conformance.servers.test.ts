import { execFile } from "node:child_process";
import { cp, readdir, readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { root } from "../support/markdown";
import { LANGUAGES, languageHosts, writtenBy } from "./support/languages";
import { TestStack } from "./support/stack";
import { BLOCKED, world } from "./support/world";

const SCHEMA = join(root, "schemas/provider.schema.json");

/** A program as `pulumi import` and `pulumi convert` hand it to the generators: entries as maps, with and without notes, and the largest value. */
const PROGRAM = `
resource blocked "packetfilter:index:PrefixSet" {
  arena = "edge"
  set = "blocked"
  entries = {
    "192.0.2.0/24" = 1
    "203.0.113.7" = { value = 2, reason = "SYN flood" }
  }
}
resource scanner "packetfilter:index:PrefixSetEntry" {
  arena = "edge"
  set = "partners"
  prefix = "203.0.113.4"
  value = 4294967295
}
resource attack "packetfilter:index:CloudSignaling" {
  prefixes = ["198.51.100.7"]
  reason = "UDP flood"
}
`;

/** File of the generated program. */
const MAIN = { go: "main.go", python: "__main__.py" } as const;

test("Pulumi's own check takes the schema, which the plugin serves as the package has it", async () => {
  await using stack = await TestStack.create({ program: "" });
  const { text } = await stack.must("schema", "check", SCHEMA);
  expect(text).not.toMatch(/error|warning/i);
  const served = await stack.must(
    "package",
    "get-schema",
    "node_modules/pulumi-packetfilter/plugin/pulumi-resource-packetfilter",
  );
  const { config: _, ...ours } = JSON.parse(await readFile(SCHEMA, "utf8"));
  const { resources, types, functions, provider } = JSON.parse(served.stdout);
  expect([resources, types, functions].map(Object.keys)).toEqual(
    [ours.resources, ours.types, ours.functions].map((all) => Object.keys(all).toSorted()),
  );
  expect(provider.inputProperties).toEqual(ours.provider.inputProperties);
});

test.each(["go", "python"] as const)(
  "a program that Pulumi's generator writes in %s compiles against the generated SDK, and up makes what it declares",
  { timeout: 600_000 },
  async (language) => {
    await using w = await world({ program: "" });
    const { emulator, stack } = w;
    await cp(join(root, "examples", language), stack.folder, { recursive: true });
    const project = await stack.read("Pulumi.yaml");
    await stack.write("Pulumi.yaml", project.replace(/^name: .*\n/, "name: journey\n"));
    await stack.write("program.pp", PROGRAM);
    await writtenBy(language, join(stack.folder, "program.pp"), stack.folder);
    expect(await stack.read(MAIN[language])).not.toContain("held");
    // In Go this compiles program and SDK.
    stack.environment((await LANGUAGES[language]?.({ folder: stack.folder, env: stack.variables })) ?? {});
    const { endpoint, signalingUrl, clients } = emulator;
    stack.environment({
      PATH: [stack.variables.PATH, await languageHosts()].join(delimiter),
      HOME: process.env.HOME,
      PACKETFILTER_ENDPOINT: endpoint,
      PACKETFILTER_SIGNALING_URL: signalingUrl,
      PACKETFILTER_CLIENT_ID: clients[0]?.clientId,
      PACKETFILTER_SECRET_KEY: clients[0]?.secretKey,
    });
    await stack.must("up", "--yes", "--skip-preview");
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1, "203.0.113.7/32": 2 });
    expect(emulator.prefixSet("prefixset://edge/partners").applied).toEqual({ "203.0.113.4/32": 4_294_967_295 });
    expect(Object.values(emulator.signalings).flat()).toEqual(["198.51.100.7/32"]);
    await stack.must("preview", "--expect-no-changes");
  },
);

test("each module of the Python SDK compiles, and the SDK of Node passes its own check", {
  timeout: 300_000,
}, async () => {
  await using stack = await TestStack.create({ program: "" });
  const { folder } = stack;
  await LANGUAGES.nodejs?.({ folder, env: stack.variables });
  expect(await readdir(join(folder, "sdks/packetfilter/bin"))).toContain("prefixSet.js");
  const { ensurePython } = await import("../../tools/python/ensure.mjs");
  await using python = await TestStack.create({ program: "" });
  await LANGUAGES.python?.({ folder: python.folder, env: python.variables });
  const compiled = ["-m", "compileall", "-q", "-f", "sdks/packetfilter"];
  await promisify(execFile)(join(await ensurePython(), "bin/python"), compiled, { cwd: python.folder });
});
