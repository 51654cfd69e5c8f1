import { OptionsError } from "../client";
import { standardOutput } from "../forwarder/standard-output";
import type { Log } from "../forwarder/telling/troubles";
import { Unavailable } from "../forwarder/unavailable";
import { visibleJson, visibleLines } from "../model/foreign-text";
import type { CliIo } from "./cli-io";
import { wrongUse } from "./option-values";

/** Writes to standard output; resolves once the text is written. */
export function stdoutOf(io: CliIo): (text: string) => Promise<void> {
  return io.stdout === undefined ? async (text) => io.out(text) : standardOutput(io.stdout);
}

/** Lines of JSON on standard error, which services collect. */
export function structured(io: CliIo): Log {
  let made: Log | undefined;
  const log = (): Log => {
    // Loaded at the first line: a round without troubles has none.
    const { pino, stdTimeFunctions } = require("pino") as typeof import("pino");
    const formatters = { level: (level: string) => ({ level }) };
    const options = { base: null, timestamp: stdTimeFunctions.isoTime, formatters };
    made ??= pino(options, { write: (line: string) => io.err(visibleJson(line)) }) satisfies Log;
    return made;
  };
  return {
    info: (members, message) => log().info(members, message),
    warn: (members, message) => log().warn(members, message),
    error: (members, message) => log().error(members, message),
  };
}

/** Plain lines, for people. */
export function forPeople(say: (line: string) => void): Log {
  const line = (word: string) => (_: object, message: string) =>
    say(visibleLines(word === "" ? message : `${word}: ${message}`));
  return { info: line(""), warn: line("warning"), error: line("error") };
}

/**
 * Decides the exit code of a failure of `forward`: 2 for what the configuration file itself proves wrong, and which no further
 * try makes right; 1 for what the machine lacks at present, such as a file, a variable or a package. Service managers try again after 1.
 *
 * @throws {UsageError} for an {@link OptionsError}; any other error, and {@link Unavailable}, as a failure
 */
export function judged<T>(work: () => Promise<T>): Promise<T> {
  const unlessItPasses = (error: unknown): never => {
    throw error instanceof Unavailable ? new Error(error.message) : error;
  };
  return wrongUse(OptionsError, () => work().catch(unlessItPasses));
}
