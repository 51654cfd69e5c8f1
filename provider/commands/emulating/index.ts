import type { Command } from "commander";
import type { CliIo } from "../cli-io";
import { addBehaviour } from "./behaviour";
import { callsOf } from "./call";
import { addContents } from "./contents";
import { addJournal } from "./journal";
import { addTraffic } from "./traffic";

/**
 * Adds what one says to an emulator that runs: a command for each theme of the table of operations, which
 * `test/commands/emulator-operations.test.ts` compares with it.
 */
export function addEmulatorCalls(emulator: Command, io: CliIo): void {
  const add = callsOf(emulator, io);
  for (const addTheme of [addContents, addBehaviour, addJournal, addTraffic]) addTheme(add);
}
