import { z } from "zod";
import { plainData } from "../model/plain-data";
import { type CliIo, UsageError } from "./cli-io";
import { textOf } from "./failure";

const printed = z.record(z.string(), z.object({ value: z.string().optional(), objectValue: z.unknown().optional() }));

/** Reads a file with the output of `pulumi config --show-secrets --json`. @throws {UsageError} if it holds something else */
export async function printedConfig(name: string, io: CliIo): Promise<Record<string, unknown>> {
  const text = await textOf(name, io);
  try {
    const config = printed.parse(plainData(text));
    return Object.fromEntries(
      Object.entries(config).map(([key, { value, objectValue }]) => [key, objectValue ?? value]),
    );
  } catch {
    throw new UsageError(`--config ${name} must be the output of "pulumi config --show-secrets --json".`);
  }
}
