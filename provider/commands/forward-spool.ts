import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Command } from "commander";
import { LiveConfig } from "../forwarder/config/config";
import { REJECTED, RejectedFiles } from "../forwarder/delivery/rejected";
import { LeftSpool } from "../forwarder/ledger/left-spool";
import { readBatch } from "../forwarder/record/record";
import { requeue } from "../forwarder/requeue";
import { requeueRejected } from "../forwarder/requeue-rejected";
import { nextTurn } from "../forwarder/slices";
import { forwarderWorld } from "../forwarder/world";
import { attempt } from "../model/errors";
import { type CliIo, UsageError } from "./cli-io";
import { judged, stdoutOf, structured } from "./forward-output";

export function registerSpool(forward: Command, io: CliIo): void {
  const spool = forward.command("spool").description("records that sinks have not accepted yet, or have refused");
  const configOf = (command: Command) => command.optsWithGlobals<{ config?: string }>().config;
  const pathOf = async (path: string | undefined, command: Command): Promise<string> => {
    if (path !== undefined) return path;
    const config = configOf(command);
    if (config === undefined) throw new UsageError("Name a state folder or a file, or --config for its state.");
    return (await judged(() => LiveConfig.ofFile(config, io.env))).stateFolder;
  };
  const named = (name: string, description: string) =>
    spool
      .command(name)
      .description(description)
      .option("--config <file>", "the configuration: a YAML file, or a folder of such files")
      .argument("[path]", "a state folder, or a file that was set aside; default: the state of --config");
  const reading = (name: string, description: string, read: (path: string, io: CliIo) => Promise<void>) =>
    named(name, description).action(async (path: string | undefined, _: object, command: Command) => {
      const from = await pathOf(path, command);
      await judged(() => read(from, io));
    });
  reading("list", "count the records that each sink has not accepted yet, and those that it has refused", list);
  reading("export", "print all these records, one JSON object a line", exported);
  named("requeue", "send refused records, and with a path also the others of that state, to the sinks of --config")
    .option("--sink <name>", "only records that this sink refused")
    .action(async (path: string | undefined, { sink }: { sink?: string }, command: Command) => {
      const config = configOf(command);
      if (config === undefined) throw new UsageError("requeue needs --config, whose sinks get the records.");
      await sent(config, path, sink, io);
    });
}

async function list(path: string, io: CliIo): Promise<void> {
  using left = await LeftSpool.open(path);
  for (const { name, records, bytes, oldest } of left.backlogs()) {
    const since = oldest === undefined ? "" : `, the oldest of ${new Date(oldest).toISOString()}`;
    io.out(`Sink "${name}" has not taken ${records} records (${bytes} bytes)${since}.\n`);
  }
  for (const [name, files] of lettersIn(path)) {
    const { records, bytes } = await files.waiting();
    if (records > 0) io.out(`Sink "${name}" has refused ${records} records (${bytes} bytes).\n`);
  }
  warnUnreadable(left, io);
}

async function exported(path: string, io: CliIo): Promise<void> {
  const stdout = stdoutOf(io);
  const written = (records: readonly object[]) => stdout(records.map((one) => `${JSON.stringify(one)}\n`).join(""));
  using left = await LeftSpool.open(path);
  for (const { body } of left.batches()) {
    await nextTurn();
    await written(readBatch(Buffer.from(body)));
  }
  for (const [, files] of lettersIn(path)) for await (const records of files.records()) await written(records);
  warnUnreadable(left, io);
}

/** Sends refused records; the others of the configuration's own state are delivered by its forwarder. */
async function sent(file: string, path: string | undefined, sink: string | undefined, io: CliIo): Promise<void> {
  const config = await judged(() => LiveConfig.ofFile(file, io.env));
  const log = structured(io);
  const parts = { world: forwarderWorld, stdout: stdoutOf(io), log, signal: io.stop };
  if (path !== undefined && sink !== undefined && !isFolder(path))
    throw new UsageError(`--sink sends what a sink refused, which is in a state folder: ${path} is none.`);
  const isSpool = path !== undefined && sink === undefined;
  const spool = isSpool ? await judged(() => requeue(config, path, parts)) : { delivered: 0, left: 0, isStuck: false };
  let letters = { delivered: 0, left: 0, failures: [] as string[] };
  if (path === undefined || isFolder(path)) {
    const from = path === undefined ? parts : { ...parts, state: path };
    letters = await judged(() => requeueRejected(config, from, sink));
  }
  for (const failure of letters.failures) log.warn({}, failure);
  const left = spool.left + letters.left;
  io.err(`${spool.delivered + letters.delivered} records were delivered, ${left} are left.\n`);
  const failure = `The sinks did not accept all records of ${path ?? config.stateFolder}: run the command again.`;
  if (spool.isStuck) {
    // The signal leaves no time for it afterwards.
    if (left > 0) log.error({}, failure);
    io.end?.();
  }
  if (left > 0) throw new Error(failure);
}

/** Refused records of a state folder, by sink. */
function lettersIn(path: string): [sink: string, files: RejectedFiles][] {
  const folder = join(path, REJECTED);
  const names = attempt(() => readdirSync(folder).sort()) ?? [];
  return names.map((name) => [basename(name), new RejectedFiles(join(folder, name), Date.now)]);
}

function isFolder(path: string): boolean {
  return attempt(() => statSync(path).isDirectory()) ?? false;
}

function warnUnreadable({ unreadable }: LeftSpool, io: CliIo): void {
  if (unreadable > 0) io.err(`${unreadable} places in it cannot be read.\n`);
}
