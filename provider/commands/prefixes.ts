import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { addTo } from "../model/group";
import type { JsonObject } from "../model/json";
import { count } from "../model/text";
import type { PrefixTable } from "../prefixes/algebra/table";
import { leftOutWords } from "../prefixes/collector";
import { endOf } from "../prefixes/entries";
import { COLUMNS, DUPLICATE_RULES, FORMATS } from "../prefixes/options";
import { openPrefixFile, openPrefixText, type PrefixFile } from "../prefixes/read";
import { aggregateFiles, countWhere, entriesOf, excludeTables, type TableInput } from "../prefixes/tables";
import { fileChanges, fileChangesText, fileContent, fileContentText } from "../report";
import { requireFile } from "./blocking/given";
import { type CliIo, timeOf, UsageError } from "./cli-io";
import { pretty } from "./listing/output";
import { collect, standardInput, wholeNumber, wrongUse } from "./option-values";
import { withFlags } from "./prefix-flags";

interface Flags {
  readonly format?: string;
  readonly select: readonly string[];
  readonly column: readonly string[];
  readonly prefixLength?: string;
  readonly header?: boolean;
  readonly records?: string;
  readonly hostBits?: string;
  readonly onDuplicate?: string;
  readonly allowEmpty?: boolean;
  readonly limit: number;
  readonly output: "text" | "json";
}

const HELP = `
Files are read as by readPrefixFile: text, CSV, JSON, NDJSON, YAML, and published block lists; "-" is standard input. Mistakes
in a file are named with their place, and the exit code is 1. Expired entries are in no set: check names them, and diff
counts them on standard error.

Examples:
  pulumi-packetfilter prefixes check blocks.yaml
  pulumi-packetfilter prefixes check ip-ranges.json --select service=EC2 --select region=eu-west-1
  pulumi-packetfilter prefixes diff drop_v4.json drop_v4.new.json
  git show HEAD:blocks.yaml | pulumi-packetfilter prefixes diff - blocks.yaml
`;

export function register(program: Command, io: CliIo): void {
  const prefixes = program.command("prefixes");
  addFlags(prefixes.command("check").description("show the content of a prefix file, or its mistakes"))
    .argument("<file>", 'file of prefixes; "-": standard input')
    .action((file: string, flags: Flags) => check(file, flags, io));
  addFlags(prefixes.command("diff").description("show the changes from one prefix file to another"))
    .argument("<before>", 'file of prefixes; "-": standard input')
    .argument("<after>", 'its later version; "-": standard input')
    .action((before: string, after: string, flags: Flags) => diff(before, after, flags, io));
  addReading(
    prefixes.command("aggregate").description("write the fewest prefixes with the meaning of some prefix files"),
  )
    .argument("<file...>", 'files of prefixes; "-": standard input')
    .option("--exclude <file>", "leave out the prefixes of this file; may be repeated", collect, [])
    .addOption(new Option("--output <form>", "form of the result").choices(["txt", "json"]).default("txt"))
    .addHelpText("after", AGGREGATE_HELP)
    .action((files: string[], flags: AggregateFlags) => aggregate(files, flags, io));
}

interface AggregateFlags extends Omit<Flags, "output" | "limit"> {
  readonly exclude: readonly string[];
  readonly output: "txt" | "json";
}

const AGGREGATE_HELP = `
Prints one prefix a line, with its value unless all are 1, or JSON, which also keeps reasons and times. Of a prefix that several
files hold, the last file counts. Expired entries are left out, and counted on standard error. A result without any prefix is an
error without --allow-empty. An excluded file is read by its own name and content, with --host-bits, --on-duplicate and
--allow-empty alone; all its records but expired and omitted ones count. Text, CSV and NDJSON are read line by line.

Examples:
  pulumi-packetfilter prefixes aggregate lists/*.netset > blocked.txt
  pulumi-packetfilter prefixes aggregate drop_v4.json drop_v6.json --exclude own.txt --output json
`;

async function aggregate(files: readonly string[], flags: AggregateFlags, io: CliIo): Promise<void> {
  if ([...files, ...flags.exclude].filter((file) => file === "-").length > 1)
    throw new UsageError("Standard input is one file: name the others.");
  const options = optionsOf(flags);
  const tablesOf = async (names: readonly string[], options: JsonObject, isExcluded = false) => {
    const inputs = await Promise.all(names.map((name) => inputOf(name, io)));
    const tell = (name: string, leftOut: ReadonlyMap<string, number>, expired: number) =>
      tellLeftOut(name, leftOut, expired, io);
    return withFlags(
      () => wrongUse(TypeError, async () => aggregateFiles(inputs, options, timeOf(io), tell)),
      isExcluded,
    );
  };
  const tables = await tablesOf(files, options);
  // What is excluded is a file of its own, in a form of its own.
  const { hostBits, onDuplicate, allowEmpty } = options;
  const excluded = () => tablesOf(flags.exclude, { hostBits, onDuplicate, allowEmpty }, true);
  const left = flags.exclude.length === 0 ? tables : excludeTables(tables, await excluded());
  if (!flags.allowEmpty && left.every(({ size }) => size === 0)) throw new Error(NOTHING_LEFT);
  if (flags.output === "json") return io.out(pretty(entriesOf(left)));
  const ending = countWhere(left, ({ expires }) => expires !== undefined);
  if (ending > 0)
    io.err(`${count(ending, "entry expires", "entries expire")}, and text has no place for that: use --output json.\n`);
  const hasValues = left.some(({ contents, content }) =>
    [...new Set(content)].some((one) => contents[one]?.value !== 1),
  );
  for (const table of left) for (const text of textOf(table, hasValues)) io.out(text);
}

const NOTHING_LEFT =
  "Nothing is left of these files: look at what is excluded and has expired, fetch them again, or use --allow-empty if that is intended.";

/** Names the records that a list omits and expired entries, for a result that has no place for them. */
function tellLeftOut(name: string, leftOut: ReadonlyMap<string, number>, expired: number, io: CliIo): void {
  if (leftOut.size > 0) io.err(`${name}: ${leftOutWords(leftOut)}.\n`);
  if (expired > 0)
    io.err(`${name}: ${count(expired, "entry has expired and is", "entries have expired and are")} left out.\n`);
}

/** Lines in pieces: one write a line takes longer than all else. */
function* textOf(table: PrefixTable, hasValues: boolean): Generator<string, void> {
  for (let from = 0; from < table.size; from += LINES_AT_ONCE) {
    const lines: string[] = [];
    for (let index = from; index < Math.min(table.size, from + LINES_AT_ONCE); index++)
      lines.push(hasValues ? `${table.prefix(index)} ${table.entry(index).value}` : table.prefix(index));
    yield `${lines.join("\n")}\n`;
  }
}

const LINES_AT_ONCE = 2_000;

async function inputOf(file: string, io: CliIo): Promise<TableInput> {
  if (file === "-")
    return { name: shown(file), text: await standardInput(io, "Name a file, or pipe one to the command.") };
  const path = resolve(io.folder ?? ".", file);
  requireFile(file, path, "Check the name.");
  return { name: file, path };
}

function addFlags(command: Command): Command {
  return addReading(command)
    .option("--limit <number>", "prefixes shown of each list, in text", wholeNumber("--limit", 1, 100_000), 20)
    .addOption(new Option("--output <form>", "form of the result").choices(["text", "json"]).default("text"))
    .addHelpText("after", HELP);
}

/** Options of reading, as those of readPrefixFile. */
function addReading(command: Command): Command {
  return command
    .addOption(new Option("--format <format>", "default: by name and content of the file").choices(FORMATS))
    .option("--select <member=value>", "only records with this value; may be repeated", collect, [])
    .option("--column <part=name>", `column of a part: ${COLUMNS.join(", ")}; may be repeated`, collect, [])
    .option("--prefix-length <column>", 'column of the prefix length; "/": lengths only follow a slash')
    .option("--records <path>", "place of the records in a JSON or YAML file: roas, data.entries")
    .option("--header", "the first row of a CSV file is a head line")
    .option("--no-header", "it is none")
    .addOption(
      new Option("--host-bits <mode>", "treatment of prefixes such as 192.0.2.1/24").choices(["reject", "mask"]),
    )
    .addOption(
      new Option("--on-duplicate <rule>", "the value that counts if a prefix has several").choices(DUPLICATE_RULES),
    )
    .option("--allow-empty", "accept a file without prefixes, or with fewer than it announces");
}

async function check(file: string, flags: Flags, io: CliIo): Promise<void> {
  const { entries, leftOut } = await read(file, flags, io);
  const content = fileContent(entries, shown(file), timeOf(io));
  if (flags.output === "json") return io.out(pretty({ file, ...content, leftOut: Object.fromEntries(leftOut) }));
  const left = leftOut.size > 0 ? `${leftOutWords(leftOut)}.\n` : "";
  io.out(`${shown(file)}: ${fileContentText(content, flags.limit)}\n${left}`);
}

async function diff(before: string, after: string, flags: Flags, io: CliIo): Promise<void> {
  if (before === "-" && after === "-") throw new UsageError("Standard input is one file: name the other.");
  const earlier = await read(before, flags, io);
  const later = await read(after, flags, io);
  const now = timeOf(io);
  for (const [name, { entries, leftOut }] of [
    [shown(before), earlier],
    [shown(after), later],
  ] as const)
    tellLeftOut(name, leftOut, Object.values(entries).filter((entry) => endOf(entry) <= now).length, io);
  const changes = fileChanges(earlier.entries, later.entries, shown(after), now);
  if (flags.output === "json") return io.out(pretty({ before, after, ...changes }));
  io.out(`${shown(before)} → ${shown(after)}: ${fileChangesText(changes, flags.limit)}\n`);
}

/** @throws {PrefixFileError} with the places of the mistakes. @throws {UsageError} */
async function read(file: string, flags: Flags, io: CliIo): Promise<PrefixFile> {
  const options = { ...optionsOf(flags), file: shown(file) };
  const text = file === "-" ? await standardInput(io, "Name a file, or pipe one to the command.") : undefined;
  if (text === undefined) requireFile(file, resolve(io.folder ?? ".", file), "Check the name.");
  return withFlags(() =>
    wrongUse(TypeError, async () =>
      text === undefined
        ? openPrefixFile(resolve(io.folder ?? ".", file), options, timeOf(io))
        : openPrefixText(text, options, timeOf(io)),
    ),
  );
}

/** Options of readPrefixFile, not yet checked. */
function optionsOf({
  format,
  select,
  column,
  prefixLength,
  header,
  records,
  hostBits,
  onDuplicate,
  allowEmpty,
}: Omit<Flags, "output" | "limit">): JsonObject {
  const selected = new Map<string, string[]>();
  for (const [member, value] of pairs("--select", select)) addTo(selected, member, value);
  const parts = [...pairs("--column", column), ...(prefixLength === undefined ? [] : [["prefixLength", prefixLength]])];
  const columns = parts.map(([part, name = ""]) => [part, /^\d{1,4}$/.test(name) ? Number(name) : name]);
  return {
    format,
    header,
    records,
    hostBits,
    onDuplicate,
    allowEmpty,
    ...(columns.length > 0 && { columns: Object.fromEntries(columns) }),
    ...(select.length > 0 && { select: Object.fromEntries(selected) }),
  };
}

function pairs(option: string, given: readonly string[]): [name: string, value: string][] {
  return given.map((text) => {
    const at = text.indexOf("=");
    if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
    throw new UsageError(`${option} ${JSON.stringify(text)} is not of the form name=value.`);
  });
}

function shown(file: string): string {
  return file === "-" ? "standard input" : file;
}
