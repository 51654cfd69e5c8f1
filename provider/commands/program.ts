import { Command, CommanderError } from "commander";
import { messageOf } from "../model/errors";
import { type CliIo, UsageError } from "./cli-io";

/** A file with sub-commands. Only the one that is called is loaded, so that each starts fast. */
interface CommandModule {
  /** Adds the command of this name, options and action included, to `program`. */
  register(program: Command, io: CliIo): void;
}

const COMMANDS: Record<string, { about: string; load: () => Promise<CommandModule> }> = {
  emulator: {
    about: "run an emulator of a node and a signaling receiver",
    load: () => import("./emulator.js"),
  },
  capture: {
    about: "write what a real node holds as an emulator's state",
    load: () => import("./capture.js"),
  },
};

/**
 * The command line. Exit codes: 0 fine, 1 failure, 2 wrong use.
 *
 * @param args What stands after the command's name.
 */
export async function main(args: readonly string[], io: CliIo): Promise<number> {
  const program = new Command("pulumi-packetfilter")
    .description("Tools of the pulumi-packetfilter package: an emulator, and helpers around real nodes.")
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .helpCommand(false)
    .exitOverride();
  const called = Object.entries(COMMANDS).find(([name]) => name === args[0]);
  for (const [name, { about }] of Object.entries(COMMANDS)) {
    if (name !== called?.[0]) program.command(name).description(about).allowUnknownOption();
  }
  try {
    (await called?.[1].load())?.register(program, io);
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    io.err(`${messageOf(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}
