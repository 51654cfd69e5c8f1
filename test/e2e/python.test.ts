import { execFile } from "node:child_process";
import { cp, readFile, symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { providerText, typeToken } from "../../provider/resources/provider-text";
import { argumentsOf } from "../python/argument-lists";
import { guide } from "../support/guide";
import { BLOCKED, since, world } from "./support/world";

const root = process.cwd();
const example = join(root, "examples/python");
const PARTNERS = "prefixset://edge/partners";
const LOCAL = "prefixset://edge/web/blocked";

let venv: string;
let host: string;

beforeAll(async () => {
  const { ensurePythonHost } = await import("../../tools/pulumi-cli/python.mjs");
  const { ensurePython } = await import("../../tools/python/ensure.mjs");
  host = await ensurePythonHost();
  venv = await ensurePython();
}, 600_000);

async function python(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { ...process.env, PYTHONPATH: example, MYPYPATH: example, PYTHONDONTWRITEBYTECODE: "1" };
  const run = promisify(execFile)(join(venv, "bin/python"), args, { cwd: join(root, "test/python"), env });
  return run.then(
    (outcome) => ({ code: 0, ...outcome }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

test("mypy --strict accepts module and program, and refuses each wrong use of them", async () => {
  const { stdout } = await python(
    ...["-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", join(root, "node_modules/.cache/mypy")],
    ...[join(example, "__main__.py"), join(example, "packetfilter.py"), "wrong_use.py"],
  );
  const found = stdout.trim().split("\n");
  const lines = (await readFile(join(root, "test/python/wrong_use.py"), "utf8")).split("\n");
  const expected = lines.flatMap((line, index) => {
    const [, code] = /^pf\..*# (\S+)$/.exec(line) ?? [];
    return code === undefined ? [] : [`wrong_use.py:${index + 1} [${code}]`];
  });
  const errors = found.filter((line) => line.includes(": error: "));
  expect(errors.map((line) => line.replace(/^(\S+?:\d+): .* {2}(\[\S+\])$/, "$1 $2"))).toEqual(expected);
});

test("arguments have the provider's names, None inside one is refused, a node's secrets are marked", async () => {
  const { code, stdout, stderr } = await python("every_argument.py");
  expect(code, stderr).toBe(0);
  const { registered, refused, secret } = JSON.parse(stdout);
  for (const [name, type] of Object.entries({
    prefix_set: "PrefixSet",
    prefix_set_group: "PrefixSetGroup",
    prefix_set_entry: "PrefixSetEntry",
    cloud_signaling: "CloudSignaling",
  })) {
    const file = `${name.replaceAll("_", "-")}.ts`;
    const args = argumentsOf(type, file).map((one) => one.name);
    expect(registered[name].type).toBe(typeToken(type));
    expect(Object.keys(registered[name].inputs).sort()).toEqual([...args, "__provider"].sort());
    expect(registered[name].inputs.__provider).toBe(providerText(type));
  }
  expect(registered.prefix_set_group.inputs.nodes).toEqual({
    fra1: {},
    ams1: { entries: { "203.0.113.9": 2 }, maxRemovals: "10%" },
  });
  expect(registered.prefix_set.inputs).toMatchObject({
    onExisting: "on_existing",
    entries: { "192.0.2.0/24": 7, "203.0.113.7": { value: 2, reason: "flood" } },
  });
  expect(secret).toEqual(["headers", "headers that come later", "client key", "user in the address"]);
  expect(refused).toEqual([
    'PrefixSet "refused": entries["192.0.2.0/24"] is None: give it a value, or leave it out.',
    'PrefixSet "refused": entries[1] is None: give it a value, or leave it out.',
    'PrefixSet "refused": entries["192.0.2.0/24"]["value"] is None: give it a value, or leave it out.',
    'PrefixSetGroup "refused": nodes["fra1"] is None: give it a value, or leave it out.',
    'PrefixSetEntry "refused": prefix is None: give it a value, or leave it out.',
    'CloudSignaling "refused": the option "import_" cannot work with dynamic resources. Let "pulumi-packetfilter import" write the file that "pulumi import --file … --generate-code=false" takes.',
  ]);
});

const outcome = "a program in Python creates, updates, warns, refreshes and repairs as one in TypeScript does";
guide("python.md", outcome, async (guide) => {
  await using w = await world({ program: "", make: "seed:34" });
  const { emulator, stack } = w;
  for (const file of ["Pulumi.yaml", "__main__.py", "packetfilter.py", "package.json"]) {
    await cp(join(example, file), join(stack.folder, file));
  }
  await stack.write("Pulumi.yaml", (await stack.read("Pulumi.yaml")).replace("name: python\n", "name: journey\n"));
  await symlink(venv, join(stack.folder, "venv"));
  // The host of 3.68.0 does not get the option "virtualenv" from today's engine: it takes the first python3 on PATH.
  stack.environment({ PATH: [join(venv, "bin"), stack.variables.PATH, host].join(delimiter) });
  let sent = since(emulator);

  guide.at({
    ...stack.place,
    instead: { "stack init dev": "stack select test", "http://127.0.0.1:8080": emulator.endpoint },
  });
  const created = await guide.next("pulumi up");
  expect(created).toMatch(/url *: "prefixset:\/\/edge\/blocked"/);
  expect(created).toMatch(/held *: 3\b/);
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({
    "192.0.2.0/24": 1,
    "203.0.113.7/32": 2,
    "2001:db8:bad::/48": 1,
  });
  expect(emulator.prefixSet(PARTNERS).applied).toEqual({ "203.0.113.4/32": 7 });
  expect(Object.values(emulator.signalings).flat()).toEqual(["198.51.100.7/32"]);
  expect(sent().sort()).toEqual(["commit", "commit", "insert 1", "insert 3", "start 1"]);
  const { blocked, scanner, ...others } = await stack.state();
  expect(blocked).toMatchObject({ id: BLOCKED, inputs: { __provider: providerText("PrefixSet") } });
  expect(scanner).toMatchObject({ id: `${PARTNERS}#203.0.113.4/32`, outputs: { value: 7 } });
  expect(others["attack-4711"]?.outputs).toMatchObject({ started: ["198.51.100.7/32"] });

  emulator.change(BLOCKED, { insert: { "203.0.113.0/24": 1 } });
  sent = since(emulator);
  const program = await stack.read("__main__.py");
  const answers = '{"format": {"profiles": "json"}, "success": {"commit": {"member": "ok", "values": [True]}}}';
  const node = `{"endpoint": "${emulator.endpoint}", "headers": {"X-Token": "hunter2-hunter2"}, "answers": ${answers}}`;
  const changed = program.replace('"192.0.2.0/24": 1', '"192.0.2.0/24": 5').replace("value=7", `value=7, node=${node}`);
  const place = 'arena="edge", profile="web", set="blocked"';
  const group = `pf.prefix_set_group("wave", ${place}, entries=["192.0.2.0/25"], nodes={"fra1": {"entries": {"192.0.2.9": 3}}})`;
  await stack.write("__main__.py", `${changed}\npulumi.export("nodes", ${group}.endpoints)\n`);
  const nodes = JSON.stringify({ fra1: { endpoint: emulator.endpoint } });
  await stack.must("config", "set", "packetfilter:nodes", nodes);
  const updated = await stack.up("--skip-preview");
  expect(updated.code, updated.text).toBe(0);
  expect(updated.text).toMatch(/warning: .*left entries that the program does not declare: 203\.0\.113\.0\/24/);
  expect(emulator.prefixSet(BLOCKED).applied).toMatchObject({ "192.0.2.0/24": 5, "203.0.113.0/24": 1 });
  expect(emulator.prefixSet(LOCAL).applied).toEqual({ "192.0.2.0/25": 1, "192.0.2.9/32": 3 });
  expect(sent().sort()).toEqual(["commit", "commit", "insert 1", "insert 2"]);
  expect(updated.text).toContain(`fra1: "${emulator.endpoint}"`);

  const stored = (await stack.state()).scanner?.inputs.node;
  expect(stored).toMatchObject({ endpoint: emulator.endpoint });
  expect(JSON.stringify(stored)).toContain("ciphertext");
  expect(JSON.stringify(stored) + updated.text).not.toContain("hunter2");

  const drift = await stack.preview("--refresh", "--expect-no-changes", "--diff");
  expect(drift.code, drift.text).not.toBe(0);
  expect(drift.stdout).toMatch(/- 203\.0\.113\.0\/24: 1/);
  const repaired = await stack.up("--refresh", "--skip-preview");
  expect(repaired.code, repaired.text).toBe(0);
  expect(Object.keys(emulator.prefixSet(BLOCKED).applied)).toHaveLength(3);

  const destroyed = await stack.destroy();
  expect(destroyed.code, destroyed.text).toBe(0);
  expect([emulator.prefixSet(BLOCKED).applied, emulator.prefixSet(PARTNERS).applied]).toEqual([{}, {}]);
});
