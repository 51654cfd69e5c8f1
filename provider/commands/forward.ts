import type { Command } from "commander";
import { OptionsError } from "../client";
import { LiveConfig } from "../forwarder/config/config";
import { Forwarder } from "../forwarder/forwarder";
import { systemWorld } from "../forwarder/world";
import { type CliIo, UsageError } from "./cli-io";

interface Flags {
  readonly config: string;
  readonly once?: boolean;
}

/** Adds `forward` to the command line. */
export function register(program: Command, io: CliIo): void {
  program
    .command("forward")
    .description("poll the marks of nodes and forward them to files, services and buses, at least once")
    .requiredOption("--config <file>", "the configuration, YAML")
    .option("--once", "list each table once, wait until the sinks have everything, and end")
    .action((flags: Flags) => run(flags, io));
}

async function run(flags: Flags, io: CliIo): Promise<void> {
  const config = await asUsage(() => LiveConfig.ofFile(flags.config, io.env));
  const say = (level: string) => (_: object, message: string) => io.err(`${level} ${message}\n`);
  const log = { info: say("info"), warn: say("warn"), error: say("error") };
  const forwarder = await asUsage(() =>
    Forwarder.open({ config, log, world: systemWorld, stdout: async (text) => io.out(text) }),
  );
  try {
    if (flags.once) {
      if (!(await forwarder.once(io.stop))) throw new Error("Not everything was read and delivered, see above.");
      return;
    }
    forwarder.start();
    await new Promise<void>((resolve) => {
      if (io.stop.aborted) resolve();
      io.stop.addEventListener("abort", () => resolve(), { once: true });
    });
  } finally {
    await forwarder.stop();
  }
}

async function asUsage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof OptionsError ? new UsageError(error.message) : error;
  }
}
