import { standardOutput } from "../forwarder/standard-output";
import type { Log } from "../forwarder/telling/troubles";
import { visibleLines } from "../model/foreign-text";
import type { CliIo } from "./cli-io";

/** Writes to standard output; resolves when the text is taken. */
export function stdoutOf(io: CliIo): (text: string) => Promise<void> {
  return io.stdout === undefined ? async (text) => io.out(text) : standardOutput(io.stdout);
}

/** Lines of JSON on standard error, which services collect. */
export async function structured(io: CliIo): Promise<Log> {
  const { pino, stdTimeFunctions } = await import("pino");
  const options = {
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
  };
  const log: Log = pino(options, { write: (line: string) => io.err(line) });
  return log;
}

/** The same for people. */
export function forPeople(say: (line: string) => void): Log {
  const line = (word: string) => (_: object, message: string) =>
    say(visibleLines(word === "" ? message : `${word}: ${message}`));
  return { info: line(""), warn: line("warning"), error: line("error") };
}
