import { existsSync } from "node:fs";
import { type Command, Option } from "commander";
import { Prefix } from "../model/prefix";
import { count } from "../model/text";
import { type PrefixEntries, readPrefixFile } from "../prefixes";
import { readFileName, readPrefixOption, requireGiven } from "./blocking/given";
import type { CliIo } from "./cli-io";
import type { Listing } from "./listing/listing";
import { OUTPUTS, type Output, printed } from "./listing/output";
import { isoOf, readSpan, spanText } from "./time-spans";

interface Flags {
  readonly file?: string;
  readonly soon?: string;
  readonly contains?: string;
  readonly output: Output;
}

const HELP = `
What ends first stands first; what has expired is no longer wanted, and goes with the next "pulumi up" or at once with
"block expire --now".

Examples:
  pulumi-packetfilter blocks --file blocks.yaml
  pulumi-packetfilter blocks --file blocks.yaml --soon 24h
  pulumi-packetfilter blocks --file blocks.yaml --contains 203.0.113.7
`;

/** Adds `blocks` to the command line. */
export function register(program: Command, io: CliIo): void {
  program
    .command("blocks")
    .description("show what a prefix file holds: reason, ticket and time left")
    .option("--file <file>", "prefix file, as block writes it")
    .option("--soon <span>", "only what ends within that time: 24h, 30m; units w, d, h, m, s")
    .option("--contains <ip>", "only entries that cover this address or prefix")
    .addOption(new Option("--output <form>", "form of the list").choices(OUTPUTS).default("table"))
    .addHelpText("after", HELP)
    .action((flags: Flags) => run(flags, io));
}

function run({ file, soon, contains, output }: Flags, io: CliIo): void {
  requireGiven([["--file <file>", file]]);
  const path = readFileName(file ?? "", io.folder ?? process.cwd());
  if (!existsSync(path)) throw new Error(`${file}: there is no such file. Check --file.`);
  const covered = contains === undefined ? undefined : readPrefixOption("--contains", contains);
  const within = soon === undefined ? undefined : readSpan("--soon", soon);
  const entries = readPrefixFile(path, { allowEmpty: true });
  io.out(printed(blocksOf(entries, { covered, within, now: (io.now ?? Date.now)() }), output));
}

/** The entries of a file, what ends first before the others. */
function blocksOf(
  entries: PrefixEntries,
  { covered, within = Number.POSITIVE_INFINITY, now }: { covered?: Prefix; within?: number; now: number },
): Listing {
  const all = Object.entries(entries).map(([prefix, { value, reason, ticket, expires }]) => {
    const end = expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires);
    return { end, at: Prefix.parse(prefix), row: { prefix, value, reason, ticket, expires, left: leftText(end, now) } };
  });
  const isShown = ({ end, at }: (typeof all)[number]) =>
    (within === Number.POSITIVE_INFINITY || end - now <= within) && (covered === undefined || at.contains(covered));
  const shown = all.filter(isShown).toSorted((a, b) => order(a.end, b.end) || Prefix.compare(a.at, b.at));
  const expired = shown.filter(({ end }) => end <= now).length;
  return {
    columns: ["prefix", "value", "reason", "ticket", "expires", "left"],
    rows: shown.map(({ row }) => row),
    summary: `${count(shown.length, "entry", "entries")} of ${all.length}, ${count(expired, "has", "have")} expired, at ${isoOf(now)}.`,
  };
}

function leftText(end: number, now: number): string {
  if (end === Number.POSITIVE_INFINITY) return "for good";
  return end <= now ? "expired" : spanText(end - now);
}

/** Two that never end are equal, which their difference does not say. */
function order(a: number, b: number): number {
  return a === b ? 0 : a - b;
}
