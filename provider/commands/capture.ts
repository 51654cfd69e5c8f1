import type { Command } from "commander";
import { captureNode } from "../capture/capture";
import type { EmulatorState } from "../emulator/state/state";
import { toYaml } from "../emulator/state/state-file";
import { visible } from "../model/foreign-text";
import { type CliIo, UsageError } from "./cli-io";
import { addNodeFlags, type NodeFlags, nodeOptions } from "./node-options";

interface Flags extends NodeFlags {
  readonly marks: string;
  readonly output: string;
}

/** Adds `capture` to the command line. */
export function register(program: Command, io: CliIo): void {
  const command = program
    .command("capture")
    .description("write profiles, rules, marks and sets of a node to stdout, as a state that an emulator starts from")
    .argument("<resource...>", "arenas (arena://edge or edge) and prefix-sets (prefixset://edge/blocked)")
    .option("--marks <all|none>", "whether to read the mark tables, each once", "all")
    .option("--output <yaml|json>", "form of the state", "yaml");
  addNodeFlags(command, { listsMarks: true }).action((resources: string[], flags: Flags) => run(resources, flags, io));
}

async function run(resources: readonly string[], flags: Flags, io: CliIo): Promise<void> {
  const { marks, output } = flags;
  if (marks !== "all" && marks !== "none")
    throw new UsageError(`--marks is "all" or "none", not ${JSON.stringify(marks)}.`);
  if (output !== "yaml" && output !== "json") {
    throw new UsageError(`--output is "yaml" or "json", not ${JSON.stringify(output)}.`);
  }
  const node = await nodeOptions(flags, io);
  const warn = (message: string) => io.err(`${visible(message)}\n`);
  let state: EmulatorState;
  try {
    state = await captureNode(node, { resources, marks, warn });
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message) : error;
  }
  io.out(output === "json" ? `${JSON.stringify(state, null, 2)}\n` : await toYaml(state));
}
