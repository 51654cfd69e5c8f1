import type { Command } from "commander";

/** Last lines of every command's help. */
const EXIT_CODES =
  "Exit codes: 0 success, 1 failure, also a partial one, 2 wrong use, 3 a check of probe --check failed, 130 and 143 ended by Ctrl-C and SIGTERM.";

/** Pages of the documentation by command. */
const PAGES: Readonly<Record<string, string>> = {
  emulator: "emulator",
  capture: "emulator",
  probe: "guides/first-contact",
  forward: "forwarder",
  import: "guides/import",
  report: "guides/reviews",
  plugin: "guides/languages",
  prefixes: "guides/block-lists",
  environment: "reference/environment",
  ...Object.fromEntries(
    ["list", "block", "blocks", "unblock", "completion", "names"].map((name) => [name, "guides/incidents"]),
  ),
};

/** Examples of the commands whose own help text has none, without the name of the program. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  "": ["help block", "list prefixset://edge/blocked --endpoint https://192.0.2.10"],
  emulator: [
    "emulator --port 8080",
    "emulator --state node.yaml --persist node.json --background --pid-file emulator.pid",
    "emulator --dialect seed:42 --latency 5ms..40ms",
  ],
  plugin: ["plugin install", "plugin remove"],
  "plugin install": ["plugin install"],
  "plugin remove": ["plugin remove"],
  "emulator reset": ["emulator reset --at http://127.0.0.1:8081"],
  "emulator state": ["emulator state", "emulator state node.yaml"],
  "emulator snapshot": ["emulator snapshot before"],
  "emulator change": ["emulator change prefixset://edge/blocked --insert 203.0.113.7/32=1 --delete 192.0.2.0/24"],
  "emulator signal": ["emulator signal"],
  "emulator clock": ["emulator clock --advance 1h", "emulator clock --freeze"],
  "emulator journal": ["emulator journal --status 503", "emulator journal --har"],
  "emulator marks": ["emulator marks profile://edge/web shost"],
  "emulator wait": ["emulator wait --pid-file emulator.pid --timeout 10s"],
  "emulator stop": ["emulator stop --pid-file emulator.pid"],
  capture: ["capture edge prefixset://edge/blocked --endpoint https://192.0.2.10 > node.yaml"],
  forward: ["forward --config forward.yaml --check", "forward --config forward.yaml --once"],
  "forward spool": ["forward spool list --config forward.yaml"],
  "forward spool list": ["forward spool list --config forward.yaml"],
  "forward spool export": ["forward spool export spool > records.ndjson"],
  "forward spool requeue": ["forward spool requeue --config forward.yaml --sink disk"],
  prefixes: ["prefixes check blocks.yaml"],
  environment: ["help environment"],
  names: ["names nodes --stack prod"],
};

/** Adds examples and a page to the help of a command and its subcommands. */
export function addPages(command: Command, words: readonly string[] = []): void {
  const page = PAGES[words[0] ?? ""] ?? "";
  const lines = (EXAMPLES[words.join(" ")] ?? []).map((example) => `  pulumi-packetfilter ${example}`);
  const own = lines.length > 0 ? ["", "Examples:", ...lines, ""] : [];
  command.addHelpText(
    "after",
    [
      ...own,
      ...(words.length === 0 ? [EXIT_CODES, ""] : []),
      `Documentation: ${["pulumi-packetfilter docs", page].join(" ").trim()}`,
    ].join("\n"),
  );
  for (const below of command.commands) addPages(below, [...words, below.name()]);
}
