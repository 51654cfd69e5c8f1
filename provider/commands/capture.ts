import { type Command, Option } from "commander";
import { captureNode } from "../capture/capture";
import { toYaml } from "../emulator/state/state-yaml";
import { visible } from "../model/foreign-text";
import type { CliIo } from "./cli-io";
import { pretty } from "./listing/output";
import { addNodeFlags, type NodeFlags, nodeOptions } from "./node-options";
import { wrongUse } from "./option-values";

interface Flags extends NodeFlags {
  readonly marks: "all" | "none";
  readonly output: "yaml" | "json";
}

export function register(program: Command, io: CliIo): void {
  const command = program
    .command("capture")
    .argument("<resource...>", "arenas (arena://edge or edge) and prefix-sets (prefixset://edge/blocked)")
    .addOption(new Option("--marks <choice>", "mark tables to read, each once").choices(["all", "none"]).default("all"))
    .addOption(new Option("--output <form>", "form of the state").choices(["yaml", "json"]).default("yaml"));
  addNodeFlags(command, { listsMarks: true }).action((resources: string[], flags: Flags) => run(resources, flags, io));
}

async function run(resources: readonly string[], flags: Flags, io: CliIo): Promise<void> {
  const { marks, output } = flags;
  const node = await nodeOptions(flags, io);
  const warn = (message: string) => io.err(`${visible(message)}\n`);
  const state = await wrongUse(TypeError, () => captureNode(node, { resources, marks, warn, signal: io.stop }));
  io.out(output === "json" ? pretty(state) : toYaml(state));
}
