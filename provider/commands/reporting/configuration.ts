import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import { isObject, type JsonObject } from "../../model/json";
import { jsonIn } from "../../model/readable";
import { SECRET_MARK } from "../../resources/secret-names";
import { readSettings, type Settings } from "../../resources/settings";
import { type CliIo, UsageError } from "../cli-io";

const printed = z.record(z.string(), z.object({ value: z.string().optional(), objectValue: z.unknown().optional() }));

/**
 * The stack's configuration: as a preview prints it, where what is secret is left out, or from a file with the output of
 * `pulumi config --show-secrets --json`. What it leaves open comes from the environment, as in the program.
 *
 * @throws {UsageError} when the file is something else
 */
export async function stackSettings(preview: JsonObject, file: string | undefined, io: CliIo): Promise<Settings> {
  const config = file === undefined ? preview : await printedConfig(file, io);
  return readSettings((key) => readable(config[`packetfilter:${key}`]), io.env);
}

/** The values of a file with the output of `pulumi config --show-secrets --json`. @throws {UsageError} when it is something else */
export async function printedConfig(name: string, { folder = "." }: CliIo): Promise<Record<string, unknown>> {
  const text = await readFile(resolve(folder, name), "utf8");
  try {
    const config = printed.parse(JSON.parse(text));
    return Object.fromEntries(
      Object.entries(config).map(([key, { value, objectValue }]) => [key, objectValue ?? value]),
    );
  } catch {
    throw new UsageError(`--config ${name} must be the output of "pulumi config --show-secrets --json".`);
  }
}

/** A value without the members that are secret and not shown; nothing where all of it is. */
function readable(value: unknown): unknown {
  if (value === SECRET_MARK) return undefined;
  if (typeof value === "string") return value.includes(SECRET_MARK) ? readable(jsonIn(value)) : value;
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, member]): [string, unknown] => [key, readable(member)]);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}
