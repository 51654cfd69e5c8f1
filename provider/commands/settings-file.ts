import { dirname, resolve } from "node:path";
import { z } from "zod";
import { isObject } from "../model/json";
import { plainData } from "../model/plain-data";
import { type CliIo, UsageError } from "./cli-io";
import { textOf } from "./failure";

const nodeMembers = z.looseObject({
  endpoint: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  answers: z.unknown().optional(),
});
const any = z.unknown().optional();
/** The members that `probe --out` writes. */
const both = z.strictObject({
  ...{ node: any, receiver: z.looseObject({}).optional() },
  ...{ dialect: any, known: any, unknown: any },
});

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
    const isAlone = isObject(content) && content.node === undefined && content.receiver === undefined;
    const { node = {}, receiver = {} } = both.parse(isAlone ? { node: content } : content);
    return { node: nodeMembers.parse(node), receiver, folder: dirname(resolve(folder, file)) };
  } catch (error) {
    const odd = error instanceof z.ZodError ? error.issues.flatMap((one) => ("keys" in one ? one.keys : [])) : [];
    const where = odd.length > 0 ? `: move ${odd.join(", ")} into it, or remove it` : "";
    throw new UsageError(
      `--settings ${file} must be a JSON object with members of a node, alone or under "node"${where}.`,
    );
  }
}
