import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "./support";

const CLI = join(__dirname, "../../dist/provider/cli.js");
const OUTPUTS = { url: "prefixset://edge/blocked", endpoint: "http://192.0.2.10" };
const RESOURCE = {
  urn: "urn:pulumi:dev::edge::packetfilter:index:PrefixSet::blocked",
  type: "packetfilter:index:PrefixSet",
  outputs: OUTPUTS,
};
const EXPORTED = JSON.stringify({ deployment: { resources: [RESOURCE] } });

/** The folder of a project with two stacks, the command in its `bin`, which does nothing but name, and the script of each shell. */
export async function namedProject(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "packetfilter-names-"));
  const write = (name: string, content: string, mode = 0o644) => writeFile(join(folder, name), content, { mode });
  await mkdir(join(folder, "bin"));
  await write(
    "bin/pulumi-packetfilter",
    `#!/bin/sh\n[ "$1" = names ] || exit 0\nexec '${process.execPath}' '${CLI}' "$@"\n`,
    0o755,
  );
  await write("bin/pulumi", `#!/bin/sh\necho '${EXPORTED}'\n`, 0o755);
  await write("completion.bash", (await run(["completion", "bash"])).out);
  await write("completion.fish", (await run(["completion", "fish"])).out);
  await write("_pulumi-packetfilter", (await run(["completion", "zsh"])).out);
  await write("Pulumi.yaml", "name: edge\nruntime: nodejs\n");
  const nodes = (...names: string[]) =>
    `packetfilter:nodes: { ${names.map((name) => `${JSON.stringify(name)}: { endpoint: "http://192.0.2.10" }`).join(", ")} }`;
  const receivers = 'packetfilter:receivers: { main: { url: "http://192.0.2.20" } }';
  await write("Pulumi.dev.yaml", `config:\n  ${nodes("ams1", "fra1", "fra2", ...HOSTILE)}\n  ${receivers}\n`);
  await write("Pulumi.prod.yaml", `config:\n  ${nodes("lon1", ...HOSTILE)}\n`);
  for (const name of HOSTILE)
    if (!/[/\n]/.test(name)) await write(`Pulumi.${name}.yaml`, `config:\n  ${nodes("fra1")}\n`);
  return folder;
}

/** Names that a commit may bring, and on which a shell would act: no shell offers one. */
const HOSTILE = [
  "$(touch pwned)",
  "fra$(touch pwned)",
  "`touch pwned`",
  "fra3;touch pwned;",
  "fra4|touch pwned",
  "fra5\ntouch pwned",
  "fra6\rtouch pwned\r",
  "fra7 && touch pwned",
  "fra8' ; touch pwned '",
  '"$(touch pwned)"',
  "$" + "{X:=$(touch pwned)}",
  "<(touch pwned)",
  "~root",
  "=ls",
  "-c",
  "!!",
  "*",
];

/** Types lines at a terminal, with TABs and Enter: `python3 AT_TERMINAL SETUP LINE… -- SHELL…`. */
export const AT_TERMINAL = join(__dirname, "at_terminal.py");

/** Beginnings of what is completed, so that each hostile name would be one of several, or the only one. */
export const LURES = ["", "fra", "$", "`"].flatMap((begun) => [
  `pulumi-packetfilter list prefixset://edge/blocked --node ${begun}`,
  `pulumi-packetfilter block 203.0.113.7 --stack ${begun}`,
]);

/** Variables that name the folder of its commands and the stack that is selected. */
export const environmentOf = (folder: string) => ({
  PATH: `${join(folder, "bin")}:${process.env.PATH}`,
  PULUMI_STACK: "dev",
});

/** Lines that are typed, each with the words of ours that a shell offers then. */
export const WORDS: Readonly<Record<string, readonly string[]>> = {
  bl: ["block", "blocks"],
  "block e": ["expire"],
  "block 203.0.113.7 --per": ["--permanent"],
  "list --output ": ["csv", "json", "table"],
  "completion z": ["zsh"],
  "completion --h": ["--help"],
};

/** The same with names of the project. */
export const NAMED: readonly (readonly [what: string, typed: string, offered: readonly string[]])[] = [
  ["nodes of the stack", "list prefixset://edge/blocked --node ", ["ams1", "fra1", "fra2"]],
  ["those that begin so", "list prefixset://edge/blocked --node fr", ["fra1", "fra2"]],
  ["another one behind a comma", "block 203.0.113.7 --node ams1,fr", ["ams1,fra1", "ams1,fra2"]],
  ["nodes of the stack that is named", "list prefixset://edge/blocked --stack prod --node ", ["lon1"]],
  ["stacks", "block 203.0.113.7 --stack ", ["dev", "prod"]],
  ["receivers", "probe --receiver ", ["main"]],
  ["sets that the stack has", "block 203.0.113.7 --now ", ["prefixset://edge/blocked"]],
  ["a set that is begun", "block 203.0.113.7 --now prefixset://ed", ["prefixset://edge/blocked"]],
  ["a set as an argument", "list prefix", ["prefixset://edge/blocked"]],
];
