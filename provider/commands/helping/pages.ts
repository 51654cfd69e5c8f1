import type { Command } from "commander";

/** Last lines of every command's help. */
const EXIT_CODES =
  "Exit codes: 0 done, 1 failed, or not all is as it was asked for, 2 wrong use, 130 and 143 ended by Ctrl-C and SIGTERM; of probe --check 3: something that it looked at does not hold.";

/** Last lines of a command's help: a page with more, and examples where its own text has none. */
interface Page {
  readonly page: string;
  readonly examples?: readonly string[];
}

const EMULATOR = "emulator";
const FORWARDER = "forwarder";
const INCIDENTS = "guides/incidents";

/** By the words of the command; what is not there has the page of the command above it. */
const PAGES: Readonly<Record<string, Page>> = {
  "": { page: "", examples: ["help block", "list prefixset://edge/blocked --endpoint https://192.0.2.10"] },
  emulator: {
    page: EMULATOR,
    examples: [
      "emulator --port 8080",
      "emulator --state node.yaml --persist node.json --background --pid-file emulator.pid",
      "emulator --dialect seed:42 --latency 5ms..40ms",
    ],
  },
  "emulator reset": { page: EMULATOR, examples: ["emulator reset --at http://127.0.0.1:8081"] },
  "emulator state": { page: EMULATOR, examples: ["emulator state", "emulator state node.yaml"] },
  "emulator snapshot": { page: EMULATOR, examples: ["emulator snapshot before"] },
  "emulator change": {
    page: EMULATOR,
    examples: ["emulator change prefixset://edge/blocked --insert 203.0.113.7/32=1 --delete 192.0.2.0/24"],
  },
  "emulator signal": { page: EMULATOR, examples: ["emulator signal"] },
  "emulator clock": { page: EMULATOR, examples: ["emulator clock --advance 1h", "emulator clock --freeze"] },
  "emulator journal": { page: EMULATOR, examples: ["emulator journal --status 503", "emulator journal --har"] },
  "emulator marks": { page: EMULATOR, examples: ["emulator marks profile://edge/web shost"] },
  "emulator wait": { page: EMULATOR, examples: ["emulator wait --pid-file emulator.pid --timeout 10s"] },
  "emulator stop": { page: EMULATOR, examples: ["emulator stop --pid-file emulator.pid"] },
  capture: {
    page: EMULATOR,
    examples: ["capture edge prefixset://edge/blocked --endpoint https://192.0.2.10 > node.yaml"],
  },
  probe: { page: "guides/first-contact" },
  forward: {
    page: FORWARDER,
    examples: ["forward --config forward.yaml --check", "forward --config forward.yaml --once"],
  },
  "forward spool": { page: FORWARDER, examples: ["forward spool list --config forward.yaml"] },
  "forward spool list": { page: FORWARDER, examples: ["forward spool list --config forward.yaml"] },
  "forward spool export": { page: FORWARDER, examples: ["forward spool export spool > records.ndjson"] },
  "forward spool requeue": { page: FORWARDER, examples: ["forward spool requeue --config forward.yaml --sink disk"] },
  import: { page: "guides/import" },
  list: { page: INCIDENTS },
  report: { page: "guides/reviews" },
  prefixes: { page: "guides/block-lists", examples: ["prefixes check blocks.yaml"] },
  block: { page: INCIDENTS },
  blocks: { page: INCIDENTS },
  unblock: { page: INCIDENTS },
  docs: { page: "" },
  environment: { page: "reference/environment", examples: ["help environment"] },
  completion: { page: INCIDENTS },
  names: { page: INCIDENTS, examples: ["names nodes --stack prod"] },
};

/** Adds to the help of a command, and of those below it, what stands in the table. */
export function addPages(command: Command, words: readonly string[] = []): void {
  const { page, examples = [] } = PAGES[words.join(" ")] ?? { page: pageAbove(words) };
  const lines = examples.map((example) => `  pulumi-packetfilter ${example}`);
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

function pageAbove(words: readonly string[]): string {
  for (let length = words.length; length >= 0; length -= 1) {
    const found = PAGES[words.slice(0, length).join(" ")];
    if (found) return found.page;
  }
  return "";
}
