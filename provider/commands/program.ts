import { type Command, CommanderError, Help, type Option } from "commander";
import { packageVersion } from "../files/package-version";
import { visibleLines } from "../model/foreign-text";
import { likelyMeant } from "../model/nearest";
import { type CliIo, Ended, UsageError } from "./cli-io";
import { failureText } from "./failure";
import { fitted } from "./fitted";
import { coloured, hasColours, inColour } from "./helping/colours";
import { addPages } from "./helping/pages";
import { SuggestingCommand } from "./helping/suggesting";
import { variablesHelp } from "./helping/variables";
import { exitCode } from "./interruption";

/** A file that adds a command, with its options and action, to `program`. Only the called one is loaded, for a fast start. */
interface CommandModule {
  register(program: Command, io: CliIo): void;
}

const COMMANDS: Record<string, readonly [about: string, load: () => Promise<CommandModule>]> = {
  emulator: ["run an emulator of a node and a signaling receiver until it is stopped", () => import("./emulator.js")],
  capture: [
    "print the content of a node (profiles, rules, marks, sets) as an emulator's state",
    () => import("./capture.js"),
  ],
  probe: ["find out how a node behaves, and which settings it needs", () => import("./probe.js")],
  forward: ["forward the marks of nodes to files, services and buses, at least once", () => import("./forward.js")],
  import: [
    "write the content of a node as an import file for pulumi and a matching program",
    () => import("./import.js"),
  ],
  list: ["list entries of a set, profiles of an arena, or rules or marks of a profile", () => import("./list.js")],
  report: ["describe the changes of a preview, as a comment for a merge request", () => import("./report.js")],
  prefixes: ["check a prefix file, compare two, or aggregate some", () => import("./prefixes.js")],
  block: ["write prefixes into a prefix file, with reason and end", () => import("./block.js")],
  blocks: ["list the entries of a prefix file with reason, ticket and time left", () => import("./blocks.js")],
  unblock: ["remove prefixes from a prefix file", () => import("./unblock.js")],
  plugin: ["put the plugin into the cache of the Pulumi CLI, or take it out", () => import("./plugin.js")],
  docs: ["print a page of this package's documentation, or the list of pages", () => import("./docs.js")],
  completion: ["print a script by which a shell completes commands and options", () => import("./completion.js")],
  names: ["print the names that a shell completes", () => import("./names.js")],
};
const HIDDEN = "names";

/** Options in the list of commands. */
const WORDS = {
  environment: "list the environment variables that are read: help environment",
  help: "describe a command: help [command]",
  version: "print the version of this package",
};

/** Runs the command line. Exit codes: 0 success, 1 failure, 2 wrong use, 130 and 143 ended by SIGINT and SIGTERM; `probe --check` has 3. */
export function main(args: readonly string[], io: CliIo): Promise<number> {
  return exitCode(io.stop, carriedOut(args, io), io.graceMs);
}

async function carriedOut(args: readonly string[], io: CliIo): Promise<number> {
  const program = new SuggestingCommand("pulumi-packetfilter")
    .description("Tools of the pulumi-packetfilter package: an emulator, and helpers around real nodes.")
    .version(packageVersion(), "--version", "print the version of this package")
    .configureOutput({
      writeOut: (text) => io.out(io.terminal ? fitted(text, io.terminal.columns()) : text),
      writeErr: io.err,
      outputError: (text, write) => write(inColour(io, "err", "failure", text)),
      getOutHasColors: () => hasColours(io, "out"),
      getErrHasColors: () => hasColours(io, "err"),
      ...(io.terminal && { getOutHelpWidth: io.terminal.columns, getErrHelpWidth: io.terminal.columns }),
    })
    .helpCommand(false)
    .configureHelp({
      optionDescription: aboutOption,
      styleTitle: (text) => coloured("title", text),
      styleCommandText: (text) => coloured("term", text),
      styleSubcommandTerm: (text) => coloured("term", text),
      styleOptionTerm: (text) => coloured("term", text),
    })
    .enablePositionalOptions()
    .exitOverride();
  try {
    const words = asOptions(args);
    const [requested] = words;
    for (const [name, [about, load]] of Object.entries(COMMANDS)) {
      const hidden = name === HIDDEN;
      if (name === requested || (requested === "completion" && !hidden)) (await load()).register(program, io);
      else program.command(name, { hidden }).allowUnknownOption();
      program.commands.find((command) => command.name() === name)?.description(about);
    }
    for (const [name, about] of Object.entries(WORDS)) {
      const word = program.command(name).description(about);
      if (name === "environment") word.addHelpText("after", variablesHelp).action(() => word.outputHelp());
    }
    for (const command of program.commands) refuseRepeats(command);
    addPages(program);
    program.hook("preAction", (_, command) => refuseEmpty(command));
    await program.parseAsync(words, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    io.err(`${inColour(io, "err", "failure", visibleLines(failureText(error)))}\n`);
    if (error instanceof Ended) return error.exitCode;
    return error instanceof UsageError ? 2 : 1;
  }
}

/** Removes the empty default of options that may be repeated. */
function aboutOption(this: Help, option: Option): string {
  return Help.prototype.optionDescription.call(this, option).replace(/ ?\(default: \[\]\)/, "");
}

/** `help list` is `list --help`, and `version` is `--version`. */
function asOptions(args: readonly string[]): readonly string[] {
  const [first, ...others] = args;
  if (first === "help") {
    const [name] = others;
    if (name !== undefined && name !== "environment" && !(name in COMMANDS))
      throw new UsageError(
        `There is no command ${JSON.stringify(name)}: help shows all.${likelyMeant(name, Object.keys(COMMANDS))}`,
      );
    return [...others, "--help"];
  }
  return first === "version" ? ["--version"] : args;
}

/** Refuses a second value of an option that takes one: it would be ignored without a warning. */
function refuseRepeats(command: Command): void {
  for (const option of command.options) {
    if (option.variadic || Array.isArray(option.defaultValue)) continue;
    let times = 0;
    command.on(`option:${option.name()}`, () => {
      times += 1;
      if (times > 1)
        throw new UsageError(`${option.long ?? option.short} is given twice, and takes one value: give it once.`);
    });
  }
  for (const below of command.commands) refuseRepeats(below);
}

/** Refuses an empty text, as an unset variable of a shell becomes: it would be taken for an option that was left out. */
function refuseEmpty(command: Command): void {
  const isEmpty = (value: unknown) => typeof value === "string" && value.trim() === "";
  for (let one: Command | null = command; one; one = one.parent)
    for (const option of one.options)
      if ([one.getOptionValue(option.attributeName())].flat().some(isEmpty))
        throw new UsageError(`${option.long} has an empty value: give it one, or leave the option out.`);
  if (command.args.some(isEmpty)) throw new UsageError("An argument is empty: give it a text, or leave it out.");
}
