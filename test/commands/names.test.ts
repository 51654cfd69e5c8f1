import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "./support";

const CLI = join(__dirname, "../../dist/provider/cli.js");
const OUTPUTS = { url: "prefixset://edge/blocked", endpoint: "http://192.0.2.10" };
const RESOURCE = {
  urn: "urn:pulumi:dev::edge::packetfilter:index:PrefixSet::blocked",
  type: "packetfilter:index:PrefixSet",
  outputs: OUTPUTS,
};
const EXPORTED = JSON.stringify({ deployment: { resources: [RESOURCE] } });

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "packetfilter-names-"));
  const write = (name: string, content: string, mode = 0o644) => writeFile(join(folder, name), content, { mode });
  await mkdir(join(folder, "bin"));
  await write("bin/pulumi-packetfilter", `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`, 0o755);
  await write("bin/pulumi", `#!/bin/sh\necho '${EXPORTED}'\n`, 0o755);
  await write("completion.bash", (await run(["completion", "bash"])).out);
  await write("Pulumi.yaml", "name: edge\nruntime: nodejs\n");
  const nodes = (...names: string[]) =>
    `packetfilter:nodes: { ${names.map((name) => `${name}: { endpoint: "http://192.0.2.10" }`).join(", ")} }`;
  const receivers = 'packetfilter:receivers: { main: { url: "http://192.0.2.20" } }';
  await write("Pulumi.dev.yaml", `config:\n  ${nodes("ams1", "fra1", "fra2")}\n  ${receivers}\n`);
  await write("Pulumi.prod.yaml", `config:\n  ${nodes("lon1")}\n`);
});
afterAll(() => rm(folder, { recursive: true }));

const env = () => ({ PATH: `${join(folder, "bin")}:${process.env.PATH}`, PULUMI_STACK: "dev" });

/** What bash offers at the end of a line that is typed. */
async function offered(line: string): Promise<string[]> {
  const script = `source completion.bash; COMP_LINE="pulumi-packetfilter $1" COMP_POINT=$((20 + \${#1})); _pulumi_packetfilter; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)("bash", ["-c", script, "bash", line], { cwd: folder, env: env() });
  return stdout.split("\n").filter((word) => word !== "");
}

test.each([
  ["nodes of the stack", "list prefixset://edge/blocked --node ", ["ams1", "fra1", "fra2"]],
  ["those that begin so", "list prefixset://edge/blocked --node fr", ["fra1", "fra2"]],
  ["another one behind a comma", "block 203.0.113.7 --node ams1,fr", ["ams1,fra1", "ams1,fra2"]],
  ["nodes of the stack that is named", "list prefixset://edge/blocked --stack prod --node ", ["lon1"]],
  ["stacks", "block 203.0.113.7 --stack ", ["dev", "prod"]],
  ["receivers", "probe --receiver ", ["main"]],
  // What stands before the last colon stays as it was typed.
  ["sets that the stack has", "block 203.0.113.7 --now ", ["prefixset://edge/blocked"]],
  ["a set behind its colon", "block 203.0.113.7 --now prefixset://ed", ["//edge/blocked"]],
  ["a set as an argument", "list prefix", ["prefixset://edge/blocked"]],
])("a shell completes %s", async (_, line, names) => {
  expect(await offered(line)).toEqual(names);
});

test("names that cannot be had are none, and help has nothing of the command", async () => {
  const elsewhere = { folder: "/", env: {} };
  for (const kind of ["nodes", "receivers", "sets", "stacks"])
    expect(await run(["names", kind], elsewhere)).toEqual({ code: 0, out: "", err: "" });
  expect((await run(["--help"])).out).not.toMatch(/^ {2}names/m);
});
