import type { Command } from "commander";
import { packageVersion } from "../files/package-version";
import { checkedConfig, describeConfig, watchedBy } from "../forwarder/check";
import { LiveConfig } from "../forwarder/config/config";
import { Forwarder } from "../forwarder/forwarder";
import { LiveTable } from "../forwarder/operating/live-table";
import { Service } from "../forwarder/operating/service";
import { ServiceManager } from "../forwarder/operating/service-manager";
import type { Log } from "../forwarder/telling/troubles";
import { forwarderWorld } from "../forwarder/world";
import { messageOf } from "../model/errors";
import { type CliIo, repeatedly, UsageError } from "./cli-io";
import { forPeople, judged, stdoutOf, structured } from "./forward-output";
import { registerSpool } from "./forward-spool";
import { stopped } from "./interruption";

interface Flags {
  readonly config: string;
  readonly once?: boolean;
  readonly check?: boolean;
}

const REDRAW_MS = 1_000;

/** Takes the function that runs at each SIGHUP; earlier signals count as one. */
function hangupsOf(io: Pick<CliIo, "onHangup">): (run: () => void) => void {
  let missed = false;
  let react = () => {
    missed = true;
  };
  io.onHangup?.(() => react());
  return (run) => {
    react = run;
    if (missed) run();
  };
}

export function register(program: Command, io: CliIo): void {
  const forward = program
    .command("forward")
    .option("--config <file>", "the configuration: a YAML file, or a folder of such files")
    .option("--once", "list each table once, wait until the sinks have all records, and end")
    .option("--check", "check and describe the configuration, and send nothing")
    .action(({ config, ...flags }: Partial<Flags>) => {
      if (config === undefined) throw new UsageError("forward needs --config <file>.");
      return run({ ...flags, config }, io);
    });
  registerSpool(forward, io);
}

async function run(flags: Flags, io: CliIo): Promise<void> {
  if (flags.once && flags.check) throw new UsageError("--once and --check exclude each other.");
  // SIGHUP ends a process that does not listen for it.
  const onHangup = hangupsOf(flags.once || flags.check ? {} : io);
  if (flags.check) {
    const checked = await judged(() => checkedConfig(flags.config, io.env));
    for (const line of await describeConfig(checked)) io.out(`${line}\n`);
    io.out("The configuration is valid.\n");
    return;
  }
  const config = await judged(() => LiveConfig.ofFile(flags.config, io.env));
  if (flags.once && config.current.cluster) {
    throw new UsageError(
      "--once asks for no lease, and the other forwarders of `cluster` may list the same nodes: remove `cluster` from the configuration for one round, and name another `state` folder.",
    );
  }
  const stdout = stdoutOf(io);
  // Records on standard output take the place of the table.
  const table =
    io.terminal && !config.current.sinks.some(({ type }) => type === "stdout")
      ? new LiveTable(io.err, io.terminal.columns)
      : undefined;
  const log = table ? forPeople((line) => table.say(line)) : structured(io);
  // One round answers nothing else meanwhile, and a thread takes a sixth of its processor time.
  const thread = !flags.once;
  const open = (live: LiveConfig) =>
    judged(() => Forwarder.open({ config: live, log, world: forwarderWorld, stdout, thread }));
  if (flags.once) {
    const forwarder = await open(config);
    try {
      if (!(await forwarder.once(io.stop))) throw new Error("Some lists or deliveries failed, see above.");
    } finally {
      await forwarder.stop(0);
      if (forwarder.isStuck) io.end?.();
    }
    return;
  }
  const opened = () => {
    const version = packageVersion();
    const sinks = config.current.sinks.map(({ name, type }) => `${name} (${type})`).join(", ");
    const watches = watchedBy(config).join(" ");
    log.info(
      { version, config: flags.config },
      `pulumi-packetfilter ${version} forwards with ${flags.config}. ${watches} Sinks: ${sinks}. State: ${config.stateFolder}.`,
    );
  };
  const { env, execute } = io;
  const manager = execute && ServiceManager.of({ env, execute, log, clock: forwarderWorld });
  const service = await judged(() => Service.start(config, { open, opened, log, manager }));
  await serve(flags, service, { log, table, onHangup }, io);
}

/** Runs until the process is asked to end; SIGHUP reloads the configuration, also one that came during the start. */
async function serve(
  flags: Flags,
  service: Service,
  outputs: { log: Log; table: LiveTable | undefined; onHangup: ReturnType<typeof hangupsOf> },
  io: CliIo,
): Promise<void> {
  const { log, table, onHangup } = outputs;
  const cancelRedraw = table ? repeatedly(REDRAW_MS, () => table.draw(service.forwarder)) : () => {};
  onHangup(() => service.reload(() => LiveConfig.ofFile(flags.config, io.env)));
  await Promise.race([stopped(io.stop), stopped(service.ended)]);
  const isLost = (reason: unknown) => reason instanceof Error && reason.name !== "AbortError";
  if (!isLost(service.ended.reason))
    log.info({}, "Stopping: records in the spool are delivered while time allows, and the rest is kept.");
  cancelRedraw();
  try {
    await service.stop();
    const { reason } = service.ended;
    if (isLost(reason)) throw reason;
  } catch (error) {
    // The signal leaves no time for it afterwards.
    if (service.isStuck) log.error({}, messageOf(error));
    throw error;
  } finally {
    // If a thread waits for a reader, only a signal ends the process.
    if (service.isStuck) io.end?.();
  }
}
