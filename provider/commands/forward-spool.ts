import type { Command } from "commander";
import { OptionsError } from "../client";
import { LiveConfig } from "../forwarder/config/config";
import { LeftSpool } from "../forwarder/ledger/left-spool";
import { StoreError } from "../forwarder/ledger/sqlite";
import { readBatch } from "../forwarder/record/record";
import { requeue } from "../forwarder/requeue";
import { nextTurn } from "../forwarder/slices";
import { systemWorld } from "../forwarder/world";
import { type CliIo, UsageError } from "./cli-io";
import { stdoutOf, structured } from "./forward-output";
import { wrongUse } from "./option-values";

/** Adds `spool list`, `spool export` and `spool requeue` to `forward`. */
export function registerSpool(forward: Command, io: CliIo): void {
  const spool = forward.command("spool").description("what a state holds that its sinks had not taken");
  const path = ["<path>", "a state folder, or a file that was set aside"] as const;
  spool
    .command("list")
    .description("say how many records each sink has not taken")
    .argument(...path)
    .action((from: string) => wrongUse(StoreError, () => list(from, io)));
  spool
    .command("export")
    .description("print all records that are kept, one JSON object a line")
    .argument(...path)
    .action((from: string) => wrongUse(StoreError, () => exported(from, io)));
  spool
    .command("requeue")
    .description("send what its sinks had not taken to the sinks of a configuration")
    .option("--config <file>", "the configuration, YAML")
    .argument(...path)
    .action(async (from: string, _: object, command: Command) => {
      const { config } = command.optsWithGlobals<{ config?: string }>();
      if (config === undefined) throw new UsageError("requeue needs --config, whose sinks get the records.");
      await sent(from, config, io);
    });
}

async function list(path: string, io: CliIo): Promise<void> {
  using left = await LeftSpool.open(path);
  for (const { name, records, bytes, oldest } of left.backlogs()) {
    const since = oldest === undefined ? "" : `, the oldest of ${new Date(oldest).toISOString()}`;
    io.out(`Sink "${name}" has not taken ${records} records (${bytes} bytes)${since}.\n`);
  }
  told(left, io);
}

async function exported(path: string, io: CliIo): Promise<void> {
  const stdout = stdoutOf(io);
  using left = await LeftSpool.open(path);
  for (const { body } of left.batches()) {
    await nextTurn();
    await stdout(
      readBatch(Buffer.from(body))
        .map((record) => `${JSON.stringify(record)}\n`)
        .join(""),
    );
  }
  told(left, io);
}

async function sent(path: string, file: string, io: CliIo): Promise<void> {
  const config = await wrongUse(OptionsError, () => LiveConfig.ofFile(file, io.env));
  const parts = { world: systemWorld, stdout: stdoutOf(io), log: await structured(io), signal: io.stop };
  const { delivered, left } = await wrongUse(StoreError, () => requeue(config, path, parts));
  io.err(`${delivered} records were delivered, ${left} are left.\n`);
  if (left > 0) throw new Error(`${path} was not sent as a whole: call it again.`);
}

function told({ unreadable }: LeftSpool, io: CliIo): void {
  if (unreadable > 0) io.err(`${unreadable} places in it cannot be read.\n`);
}
