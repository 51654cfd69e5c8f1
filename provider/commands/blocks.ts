import { type Command, Option } from "commander";
import { Prefix } from "../model/prefix";
import { count } from "../model/text";
import { type PrefixEntries, readPrefixFile } from "../prefixes";
import { endOf } from "../prefixes/entries";
import { readFileName, readPrefixOption, requireFile, requireGiven } from "./blocking/given";
import { type CliIo, timeOf } from "./cli-io";
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
Entries that end first come first. The next "pulumi up" removes expired ones, "block expire --now" removes them at once.

Examples:
  pulumi-packetfilter blocks --file blocks.yaml
  pulumi-packetfilter blocks --file blocks.yaml --soon 24h
  pulumi-packetfilter blocks --file blocks.yaml --contains 203.0.113.7
`;

export function register(program: Command, io: CliIo): void {
  program
    .command("blocks")
    .option("--file <file>", "prefix file, as block writes it")
    .option("--soon <span>", "only entries that end within that time: 24h, 30m; units w, d, h, m, s")
    .option("--contains <ip>", "only entries that cover this address or prefix")
    .addOption(new Option("--output <form>", "form of the list").choices(OUTPUTS).default("table"))
    .addHelpText("after", HELP)
    .action((flags: Flags) => run(flags, io));
}

function run({ file = "", soon, contains, output }: Flags, io: CliIo): void {
  requireGiven([["--file <file>", file !== ""]]);
  const path = readFileName(file, io.folder ?? process.cwd());
  requireFile(file, path);
  const covered = contains === undefined ? undefined : readPrefixOption("--contains", contains);
  const within = soon === undefined ? undefined : readSpan("--soon", soon);
  const entries = readPrefixFile(path, { allowEmpty: true });
  io.out(printed(blocksOf(entries, { covered, within, now: timeOf(io) }), output));
}

/** The entries of a file, those that end first before the others. */
function blocksOf(
  entries: PrefixEntries,
  { covered, within = Number.POSITIVE_INFINITY, now }: { covered?: Prefix; within?: number; now: number },
): Listing {
  const all = Object.entries(entries).map(([prefix, entry]) => {
    const { value, reason, ticket, expires } = entry;
    const end = endOf(entry);
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

/** The difference of two infinite times is not a number. */
function order(a: number, b: number): number {
  return a === b ? 0 : a - b;
}
