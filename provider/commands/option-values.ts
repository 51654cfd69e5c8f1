import type { Command } from "commander";
import { streamText } from "../prefixes/source";
import { type CliIo, UsageError } from "./cli-io";
import { unlessStopped } from "./interruption";

/**
 * Returns the result of the work, and turns errors of one kind into wrong use (exit code 2).
 *
 * @param about Beginning of the message, such as `--now: `.
 * @throws {UsageError} with the message of an error of that kind
 */
export function wrongUse<T>(kind: abstract new (...args: never[]) => Error, work: () => T, about = ""): T {
  const judged = (error: unknown): never => {
    throw error instanceof kind ? new UsageError(`${about}${error.message}`) : error;
  };
  try {
    const result = work();
    return result instanceof Promise ? (result.catch(judged) as T) : result;
  } catch (error) {
    return judged(error);
  }
}

/** Reads an option that is a whole number. @throws {UsageError} with the range */
export function wholeNumber(option: string, least?: number, most = Number.POSITIVE_INFINITY): (text: string) => number {
  return (text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= (least ?? 0) && number <= most) return number;
    const sentence =
      least === undefined
        ? `must be a whole number, it is ${JSON.stringify(text)}`
        : `is an integer from ${least} to ${most}`;
    throw new UsageError(`${option} ${sentence}.`);
  };
}

/**
 * Refuses options that would have no effect.
 *
 * @param owner The option or argument that they belong to, if `isGiven` is false.
 * @throws {UsageError} naming the first of them that the command line has
 */
export function requireOwner(command: Command, options: readonly string[], owner: string, isGiven: unknown): void {
  const isThere = (name: string) =>
    command.options.some((one) => one.long === name && command.getOptionValueSource(one.attributeName()) === "cli");
  const found = isGiven ? undefined : options.find(isThere);
  if (found !== undefined) throw new UsageError(`${found} goes with ${owner}. Add it, or leave ${found} out.`);
}

export function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

/** The same for names, which commas may separate. */
export function collectNames(value: string, before: readonly string[]): string[] {
  return [...before, ...value.split(",").map((name) => name.trim())];
}

/**
 * Reads standard input as a file is read.
 *
 * @throws {UsageError} with the message `otherwise` if there is none, or if it is a terminal
 * @throws {PrefixFileError} for one that is too large, or no UTF-8 text
 */
export function standardInput({ stdin, stop }: CliIo, otherwise: string): Promise<string> {
  if (!stdin || stdin.isTTY) throw new UsageError(otherwise);
  return unlessStopped(stop, streamText("standard input", stdin));
}
