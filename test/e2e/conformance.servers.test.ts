import { execFile } from "node:child_process";
import { cp, readFile, rename } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { Emulator } from "../../provider/emulator";
import { root } from "../support/markdown";
import { javaProgram, javaSdk } from "./support/java";
import { LANGUAGES, languageHosts, localSdk, writtenBy } from "./support/languages";
import { TestStack } from "./support/stack";
import { BLOCKED, mutations, variablesOf, world } from "./support/world";

const PARTNERS = "prefixset://edge/partners";
const SCHEMA = join(root, "schemas/provider.schema.json");

/** Largest value of an entry: integers of Pulumi, Java and .NET end at half of it. */
const LARGEST = 4_294_967_295;

/** A program as `pulumi import` and `pulumi convert` hand it to the generators: entries as maps, with and without notes, and large values. */
const PROGRAM = `
resource blocked "packetfilter:index:PrefixSet" {
  arena = "edge"
  set = "blocked"
  entries = {
    "192.0.2.0/24" = 1
    "198.51.100.0/24" = ${LARGEST}
    "203.0.113.7" = { value = 2, reason = "SYN flood" }
  }
}
resource attack "packetfilter:index:CloudSignaling" {
  prefixes = ["198.51.100.7"]
  reason = "UDP flood"
}
`;
const ENTRY = `
resource scanner "packetfilter:index:PrefixSetEntry" {
  arena = "edge"
  set = "partners"
  prefix = "203.0.113.4"
  value = ${LARGEST}
}
`;

/** A stack in a language whose generator wrote its program, with the SDK of that language and an emulator that the environment names. */
async function generated(language: string, program: string) {
  const w = await world({ program: "", language: "typescript" });
  const { emulator, stack } = w;
  const { folder } = stack;
  const project = await stack.read("Pulumi.yaml");
  if (language === "go") await cp(join(root, "examples/go/go.mod"), join(folder, "go.mod"));
  await stack.write("program.pp", program);
  stack.environment({ PATH: [stack.variables.PATH, await languageHosts()].join(delimiter), HOME: process.env.HOME });
  if (language === "yaml") {
    // The host of 1.25.0 writes the program. Then today's engine asks it to link the SDK, which it cannot and YAML does not need.
    await stack.write("converted/Pulumi.yaml", "name: journey\nruntime: yaml\n");
    await rename(join(folder, "program.pp"), join(folder, "converted/program.pp"));
    const args = ["convert", "--from", "pcl", "--language", "yaml", "--out", folder];
    const convert = promisify(execFile)("pulumi", args, { cwd: join(folder, "converted"), env: stack.variables });
    await expect(convert).rejects.toThrow("method Link not implemented");
  } else await writtenBy(language, join(folder, "program.pp"), folder);
  if (language === "nodejs") {
    // The name under which `pulumi package add` installs the SDK.
    const text = await stack.read("index.ts");
    await stack.write("index.ts", text.replace('"@pulumi/packetfilter"', '"./sdks/packetfilter"'));
  }
  await stack.write("Pulumi.yaml", project.replace("nodejs", language));
  // This compiles the SDK, and in Go the program, too.
  const prepare = language === "java" ? javaSdk : LANGUAGES[language];
  stack.environment((await prepare?.({ folder, env: stack.variables })) ?? {});
  stack.environment(variablesOf(emulator));
  return w;
}

/** Answer of csharp.py. */
interface CSharp {
  readonly faults: readonly string[];
  readonly types: readonly string[];
  readonly properties: Readonly<Record<string, string>>;
}

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

test.each(["go", "python", "nodejs", "yaml"])(
  "a program that Pulumi's generator writes in %s goes with the SDK that it makes, which compiles, and up makes what it declares",
  { timeout: 600_000 },
  async (language) => {
    await using w = await generated(language, PROGRAM + ENTRY);
    const { emulator, stack } = w;
    await stack.must("up", "--yes", "--skip-preview");
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({
      "192.0.2.0/24": 1,
      "198.51.100.0/24": LARGEST,
      "203.0.113.7/32": 2,
    });
    expect(emulator.prefixSet(PARTNERS).applied).toEqual({ "203.0.113.4/32": LARGEST });
    expect(Object.values(emulator.signalings).flat()).toEqual(["198.51.100.7/32"]);
    await stack.must("preview", "--expect-no-changes");
  },
);

test("in Java a program that Pulumi's generator writes compiles against the generated SDK, up makes what it declares, and that of the guide gives large values", {
  timeout: 600_000,
}, async () => {
  // The generator of 0.16.1 writes every number as an int, which a value above 2³¹−1 and the double of a single entry are not.
  await using w = await generated("java", PROGRAM.replace(String(LARGEST), "7"));
  const { emulator, stack } = w;
  await javaProgram(stack.folder, "src/main/java", "generated_program.App");
  await stack.must("up", "--yes", "--skip-preview");
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({
    "192.0.2.0/24": 1,
    "198.51.100.0/24": 7,
    "203.0.113.7/32": 2,
  });
  expect(Object.values(emulator.signalings).flat()).toEqual(["198.51.100.7/32"]);
  await javaProgram(stack.folder, join(root, "test/e2e/support"), "App");
  await stack.must("up", "--yes", "--skip-preview");
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1, "198.51.100.0/24": LARGEST });
  expect(emulator.prefixSet(PARTNERS).applied).toEqual({ "203.0.113.4/32": LARGEST });
  await stack.must("preview", "--expect-no-changes");
});

test("what Pulumi's generator writes for .NET parses as C#, declares each type once, and lacks .0 only where the page says so", {
  timeout: 300_000,
}, async () => {
  await using stack = await TestStack.create({ program: "" });
  const { folder } = stack;
  await stack.write("program.pp", PROGRAM + ENTRY);
  await writtenBy("dotnet", join(folder, "program.pp"), folder);
  await localSdk("dotnet", folder);
  const { ensurePython } = await import("../../tools/python/ensure.mjs");
  const reads = [join(root, "test/e2e/support/csharp.py"), folder];
  const { stdout } = await promisify(execFile)(join(await ensurePython(), "bin/python"), reads);
  const { faults, types, properties }: CSharp = JSON.parse(stdout);
  expect(faults).toEqual([]);
  expect(types.filter((name, index) => types.indexOf(name) !== index)).toEqual([]);
  const { resources, functions } = JSON.parse(await readFile(SCHEMA, "utf8"));
  const classes = [...Object.keys(resources), ...Object.keys(functions)].map((token) => token.split(":").at(-1) ?? "");
  const named = classes.flatMap((name) => [name, `${name}Args`]).map((name) => name[0]?.toUpperCase() + name.slice(1));
  expect(named.filter((name) => !types.includes(`Pulumi.Packetfilter.${name}`))).toEqual([]);
  const used = Object.values(properties).flatMap((type) => type.match(/\b(?:Inputs|Outputs|Types)\.\w+/g) ?? []);
  expect(used.filter((name) => !types.some((type) => type.endsWith(`.${name}`)))).toEqual([]);
  expect(properties).toMatchObject({
    "Pulumi.Packetfilter.PrefixSetArgs.Entries": "Input<object>",
    "Pulumi.Packetfilter.PrefixSet.Entries": "Output<ImmutableDictionary<string, object>>",
    "Pulumi.Packetfilter.PrefixSetEntryArgs.Value": "Input<double>?",
    "Pulumi.Packetfilter.Inputs.NodeArgs.MaxValue": "Input<double>?",
  });
  const program = await stack.read("Program.cs");
  // The first is a `uint`, which the SDK refuses; the second becomes a `double` by its type.
  expect(program.match(/.*4294967295.*/g)).toEqual([
    `            ["198.51.100.0/24"] = ${LARGEST},`,
    `        Value = ${LARGEST},`,
  ]);
});

/** Number of entries in all requests of a command. */
function entriesOf(emulator: Emulator, command: string): number {
  const counts = mutations(emulator).filter((one) => one.startsWith(`${command} `));
  return counts.reduce((sum, one) => sum + Number(one.split(" ")[1]), 0);
}

test("the harness that Pulumi publishes for providers attaches the plugin and takes it through its life cycle", {
  timeout: 600_000,
}, async () => {
  await using w = await world({ program: "" });
  const { emulator, stack } = w;
  emulator.change(PARTNERS, { insert: { "198.51.100.0/24": 5 } });
  const env = {
    ...process.env,
    PATH: [stack.variables.PATH, await languageHosts()].join(delimiter),
    PULUMI_HOME: join(stack.folder, ".home"),
    CGO_ENABLED: "0",
    GOWORK: "off",
    GOFLAGS: "-mod=readonly",
    PACKETFILTER_PLUGIN: join(stack.folder, "node_modules/pulumi-packetfilter/plugin"),
    PACKETFILTER_ENDPOINT: emulator.endpoint,
  };
  const harness = promisify(execFile)("go", ["test", "-count=1", "."], { cwd: join(__dirname, "providertest"), env });
  await harness.catch(({ message, stdout }) => expect.fail(`${message}\n${stdout}`));
  // Two entries of the first program, two of the second.
  expect(entriesOf(emulator, "insert")).toBe(4);
  // Those of both sets, with the one that was imported.
  expect(entriesOf(emulator, "delete")).toBe(4);
  expect([BLOCKED, PARTNERS].map((set) => emulator.prefixSet(set).applied)).toEqual([{}, {}]);
});
