import { text } from "node:stream/consumers";
import { type CliIo, UsageError } from "./cli-io";

/**
 * All of standard input.
 *
 * @throws {UsageError} with `otherwise` where there is none, or where it is a terminal at which a person would wait.
 */
export function standardInput({ stdin }: CliIo, otherwise: string): Promise<string> {
  if (!stdin || stdin.isTTY) throw new UsageError(otherwise);
  return text(stdin);
}
