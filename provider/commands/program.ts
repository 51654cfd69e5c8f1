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

/** A file with sub-commands. Only the one that is called is loaded, so that each starts fast. */
interface CommandModule {
  /** Adds the command of this name, options and action included, to `program`. */
  register(program: Command, io: CliIo): void;
}

const COMMANDS: Record<string, { about: string; isHidden?: true; load: () => Promise<CommandModule> }> = {
  emulator: {
    about: "run an emulator of a node and a signaling receiver",
    load: () => import("./emulator.js"),
  },
  capture: {
    about: "write what a real node holds as an emulator's state",
    load: () => import("./capture.js"),
  },
  probe: {
    about: "find out how a node answers, and what to set for it",
    load: () => import("./probe.js"),
  },
  forward: {
    about: "forward the marks of nodes to files, services and buses",
    load: () => import("./forward.js"),
  },
  import: {
    about: "write what a node holds as an import file and the program that matches it",
    load: () => import("./import.js"),
  },
  list: {
    about: "show what a node holds: a set, profiles, rules or marks",
    load: () => import("./list.js"),
  },
  report: {
    about: "say for people what a preview is about to do",
    load: () => import("./report.js"),
  },
  prefixes: {
    about: "say what a prefix file holds, or what changes between two",
    load: () => import("./prefixes.js"),
  },
  block: {
    about: "write prefixes into a prefix file, with reason and time",
    load: () => import("./block.js"),
  },
  blocks: {
    about: "show what a prefix file holds: reason, ticket and time left",
    load: () => import("./blocks.js"),
  },
  unblock: {
    about: "take prefixes out of a prefix file",
    load: () => import("./unblock.js"),
  },
  docs: {
    about: "print a page of this package's documentation, or the list of pages",
    load: () => import("./docs.js"),
  },
  completion: {
    about: "print a script by which a shell completes commands and options",
    load: () => import("./completion.js"),
  },
  names: {
    about: "print the names that a shell completes",
    isHidden: true,
    load: () => import("./names.js"),
  },
};

/** Options that stand in the list of commands. */
const WORDS = {
  environment: "show the environment variables that are read: help environment",
  help: "show what a command does: help [command]",
  version: "print the version of this package",
};

/**
 * The command line. Exit codes: 0 fine, 1 failure, 2 wrong use, 130 and 143 ended by SIGINT and SIGTERM; `probe --check` has 3.
 *
 * @param args What stands after the command's name.
 */
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
    const [called] = words;
    for (const [name, { about, isHidden = false, load }] of Object.entries(COMMANDS)) {
      if (name === called || (called === "completion" && !isHidden)) (await load()).register(program, io);
      else program.command(name, { hidden: isHidden }).description(about).allowUnknownOption();
    }
    for (const [name, about] of Object.entries(WORDS)) {
      const word = program.command(name).description(about);
      if (name === "environment") word.addHelpText("after", variablesHelp).action(() => word.outputHelp());
    }
    for (const command of program.commands) refuseRepeats(command);
    addPages(program);
    await program.parseAsync(words, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    io.err(`${inColour(io, "err", "failure", visibleLines(failureText(error)))}\n`);
    if (error instanceof Ended) return error.exitCode;
    return error instanceof UsageError ? 2 : 1;
  }
}

/** As usual, without the empty list that an option which may be repeated begins with. */
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

/** An option that gathers no values is said once: of two targets or files one would be passed over in silence. */
function refuseRepeats(command: Command): void {
  for (const option of command.options) {
    if (option.variadic || Array.isArray(option.defaultValue)) continue;
    let times = 0;
    command.on(`option:${option.name()}`, () => {
      times += 1;
      if (times > 1)
        throw new UsageError(`${option.long ?? option.short} is given twice, and takes one value: leave one of them.`);
    });
  }
  for (const below of command.commands) refuseRepeats(below);
}
