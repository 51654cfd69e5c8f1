import type { Command } from "commander";
import { OptionsError } from "../client";
import { describeConfig } from "../forwarder/check";
import { LiveConfig } from "../forwarder/config/config";
import { Forwarder } from "../forwarder/forwarder";
import { type OperatingServer, serveOperating } from "../forwarder/operating/http-server";
import { LiveTable } from "../forwarder/operating/live-table";
import type { Log } from "../forwarder/operating/troubles";
import { replayRejected } from "../forwarder/replay";
import { standardOutput } from "../forwarder/standard-output";
import { systemWorld } from "../forwarder/world";
import { messageOf } from "../model/errors";
import { visibleLines } from "../model/foreign-text";
import { type CliIo, UsageError } from "./cli-io";
import { wrongUse } from "./wrong-use";

interface Flags {
  readonly config: string;
  readonly once?: boolean;
  readonly check?: boolean;
  readonly replay?: string;
}

const REDRAW_MS = 1_000;

/** Adds `forward` to the command line. */
export function register(program: Command, io: CliIo): void {
  program
    .command("forward")
    .description("poll the marks of nodes and forward them to files, services and buses, at least once")
    .requiredOption("--config <file>", "the configuration, YAML")
    .option("--once", "list each table once, wait until the sinks have everything, and end")
    .option("--check", "check the configuration, say what it means, and send nothing")
    .option("--replay <sink>", "send what a sink refused for good once more, and end")
    .action((flags: Flags) => run(flags, io));
}

async function run(flags: Flags, io: CliIo): Promise<void> {
  const chosen = [flags.once, flags.check, flags.replay !== undefined].filter(Boolean).length;
  if (chosen > 1) throw new UsageError("--once, --check and --replay exclude each other.");
  const config = await wrongUse(OptionsError, () => LiveConfig.ofFile(flags.config, io.env));
  if (flags.once && config.current.cluster) {
    throw new UsageError(
      "--once asks for no lease, and the other forwarders of `cluster` may list the same nodes: take `cluster` out of the configuration for one round, and name another `state` folder.",
    );
  }
  const stdout = io.stdout === undefined ? async (text: string) => io.out(text) : standardOutput(io.stdout);
  if (flags.check) {
    for (const line of await describeConfig(config)) io.out(`${line}\n`);
    io.out("The configuration is sound.\n");
    return;
  }
  if (flags.replay !== undefined) {
    const name = flags.replay;
    const parts = { world: systemWorld, stdout, signal: io.stop };
    const { delivered, kept } = await wrongUse(OptionsError, () => replayRejected(config, name, parts));
    io.err(`${delivered} records were delivered, ${kept} are kept.\n`);
    if (kept > 0) throw new Error(`Sink "${name}" refused records again.`);
    return;
  }
  // Where records go to standard output, people read them there.
  const table =
    io.terminal && !config.current.sinks.some(({ type }) => type === "stdout")
      ? new LiveTable(io.err, io.terminal.columns)
      : undefined;
  const log = table ? forPeople((line) => table.say(line)) : await structured(io);
  const open = (live: LiveConfig) =>
    wrongUse(OptionsError, () => Forwarder.open({ config: live, log, world: systemWorld, stdout }));
  if (flags.once) {
    const forwarder = await open(config);
    try {
      if (!(await forwarder.once(io.stop))) throw new Error("Not everything was read and delivered, see above.");
    } finally {
      await forwarder.stop(0);
    }
    return;
  }
  await serve(flags, config, open, log, table, io);
}

/** Runs until it is told to stop; a hang-up reads the configuration again. */
async function serve(
  flags: Flags,
  config: LiveConfig,
  open: (config: LiveConfig) => Promise<Forwarder>,
  log: Log,
  table: LiveTable | undefined,
  io: CliIo,
): Promise<void> {
  const ended = new AbortController();
  const watched = async (live: LiveConfig): Promise<Forwarder> => {
    const opened = await open(live);
    opened.ended.addEventListener("abort", () => ended.abort());
    return opened;
  };
  let forwarder = await watched(config);
  let listen = config.current.listen;
  let server: OperatingServer | undefined;
  try {
    const address = listen;
    if (address !== undefined) server = await wrongUse(OptionsError, () => serveOperating(address, () => forwarder));
  } catch (error) {
    await forwarder.stop(0);
    throw error;
  }
  forwarder.start();
  if (server) log.info({ url: server.url }, `Answers on ${server.url}/metrics.`);
  const cancelRedraw = table ? every(REDRAW_MS, () => table.draw(forwarder)) : () => {};

  const reload = async (): Promise<void> => {
    let next: LiveConfig;
    try {
      next = await LiveConfig.ofFile(flags.config, io.env);
    } catch (error) {
      log.error({}, `The new configuration is not taken, the old one goes on: ${messageOf(error)}`);
      return;
    }
    // One state folder has one forwarder: the old one goes before the new one comes. Nothing is drained, nothing is lost.
    await forwarder.stop(0);
    forwarder = await watched(next).catch(async (error: unknown) => {
      log.error({}, `The new configuration is not taken, the old one goes on: ${messageOf(error)}`);
      return watched(config);
    });
    if (next.current.listen !== listen) {
      await server?.close();
      listen = next.current.listen;
      server = listen === undefined ? undefined : await serveOperating(listen, () => forwarder);
    }
    forwarder.start();
    log.info({}, "The configuration was read again.");
  };
  let reloading = Promise.resolve();
  const failed = new Promise<never>((_, reject) => {
    io.onHangup?.(() => {
      reloading = reloading.then(reload).catch(reject);
    });
  });
  try {
    await Promise.race([aborted(AbortSignal.any([io.stop, ended.signal])), failed]);
    log.info({}, "Stops: what is in the spool is delivered as far as time allows, and kept.");
  } finally {
    cancelRedraw();
    await reloading;
    await forwarder.stop();
    await server?.close();
  }
}

/** Lines of JSON on standard error, which services collect. */
async function structured(io: CliIo): Promise<Log> {
  const { pino, stdTimeFunctions } = await import("pino");
  const options = {
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
  };
  const logger = pino(options, { write: (line: string) => io.err(line) });
  return {
    info: (members, message) => logger.info(members, message),
    warn: (members, message) => logger.warn(members, message),
    error: (members, message) => logger.error(members, message),
  };
}

/** The same for people. */
function forPeople(say: (line: string) => void): Log {
  const line = (word: string) => (_: object, message: string) =>
    say(visibleLines(word === "" ? message : `${word}: ${message}`));
  return { info: line(""), warn: line("warning"), error: line("error") };
}

function every(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms);
  return () => clearInterval(timer);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
