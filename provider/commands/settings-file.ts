import { dirname, resolve } from "node:path";
import { z } from "zod";
import { plainData } from "../model/plain-data";
import { type CliIo, UsageError } from "./cli-io";
import { textOf } from "./failure";

const nodeMembers = z.looseObject({
  endpoint: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  answers: z.unknown().optional(),
});
const both = z.looseObject({ node: z.unknown().optional(), receiver: z.looseObject({}).optional() });

/**
 * Reads the file of `--settings`: the members of a node, alone or under `node`, and those of a receiver under `receiver`.
 * Paths in it are relative to `folder`.
 *
 * @throws {UsageError} if it holds something else
 */
export async function readSettingsFile(file: string | undefined, io: CliIo) {
  const { folder = "." } = io;
  if (file === undefined) return { node: nodeMembers.parse({}), receiver: {}, folder };
  const text = await textOf(file, io);
  try {
    const content: unknown = plainData(text);
    const { node, receiver } = both.parse(content);
    const isAlone = node === undefined && receiver === undefined;
    return {
      node: nodeMembers.parse(isAlone ? content : (node ?? {})),
      receiver: receiver ?? {},
      folder: dirname(resolve(folder, file)),
    };
  } catch {
    throw new UsageError(`--settings ${file} must be a JSON object with members of a node, alone or under "node".`);
  }
}
