import type { Command } from "commander";

/** The options by which a command is told whose configuration holds. */
export interface StackFlags {
  readonly stack?: string;
  readonly config?: string;
}

/** Adds {@link StackFlags} to a command. */
export function addStackFlags(command: Command): Command {
  return command
    .option("--stack <name>", "stack whose Pulumi.<name>.yaml holds; default: the selected one, else the only one")
    .option(
      "--config <file>",
      'output of "pulumi config --show-secrets --json", where the stack has secrets of its own',
    );
}
