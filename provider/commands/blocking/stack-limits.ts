import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { messageOf } from "../../model/errors";
import { Prefix, PrefixError } from "../../model/prefix";
import type { ContentLimits } from "../../resources/limits/content";
import { UsageError } from "../cli-io";

/** What a stack's configuration forbids and requires, as far as it can be read without Pulumi. */
export interface StackLimits extends Pick<ContentLimits, "forbidden" | "required"> {
  /** The file that says so; `undefined` where there is none. */
  readonly file?: string;
  readonly readOnly: boolean;
  /** Keys that are there and encrypted: a sentence about each. */
  readonly unread: readonly string[];
}

const NONE: StackLimits = { forbidden: [], required: [], readOnly: false, unread: [] };
const STACK_FILE = /^Pulumi\.(.+)\.ya?ml$/;

const projectSchema = z.object({ stackConfigDir: z.string().optional().catch(undefined) }).catch({});
const configSchema = z.object({ config: z.record(z.string(), z.unknown()).nullish() }).nullish();
const secret = z.strictObject({ secure: z.string() });
const listSchema = z.array(z.union([z.string(), secret]));

/**
 * The limits of a stack: of the one that is named, else of the only one whose file lies in the folder.
 *
 * @param stack as `pulumi --stack` takes it, with or without organisation and project
 * @throws {UsageError} when there are several and none is named, or the named one is not there
 * @throws {Error} when the file makes no sense: what it forbids is not known then
 */
export async function stackLimits(folder: string, stack: string | undefined): Promise<StackLimits> {
  const place = join(folder, (await project(folder)).stackConfigDir ?? "");
  const files = (await readdir(place).catch(() => [])).filter((name) => STACK_FILE.test(name)).sort();
  const names = files.map((file) => STACK_FILE.exec(file)?.[1] ?? "");
  const wanted = stack?.split("/").at(-1);
  if (wanted === undefined && names.length > 1)
    throw new UsageError(`Say whose limits hold with --stack: there are ${names.join(", ")}. Nothing was changed.`);
  const file = wanted === undefined ? files[0] : files[names.indexOf(wanted)];
  if (file !== undefined) return readLimits(join(place, file), file);
  if (wanted === undefined) return NONE;
  const there = names.length > 0 ? `there are ${names.join(", ")}` : "there is no stack's file";
  throw new UsageError(`--stack ${stack}: ${place} has no Pulumi.${wanted}.yaml; ${there}. Nothing was changed.`);
}

async function project(folder: string): Promise<z.infer<typeof projectSchema>> {
  for (const name of ["Pulumi.yaml", "Pulumi.yml"]) {
    const text = await readFile(join(folder, name), "utf8").catch(() => undefined);
    if (text !== undefined) return projectSchema.parse(document(name, text));
  }
  return {};
}

async function readLimits(path: string, file: string): Promise<StackLimits> {
  const parsed = configSchema.safeParse(document(file, await readFile(path, "utf8")));
  if (!parsed.success) throw unusable(file, "config is not a map");
  const config = parsed.data?.config ?? {};
  const unread: string[] = [];
  const prefixes = (name: string) => {
    const key = `packetfilter:${name}`;
    const value = config[key];
    if (value === undefined || value === null) return [];
    if (secret.safeParse(value).success) {
      unread.push(`${file}: ${key} is encrypted and was not looked at; the next preview judges by it.`);
      return [];
    }
    const list = listSchema.safeParse(structured(value));
    if (!list.success) throw unusable(file, `${key} is not a list of prefixes`);
    return list.data.flatMap((spelling, index) => {
      if (typeof spelling === "string") return [prefixAt(file, `${key}[${index}]`, spelling)];
      unread.push(`${file}: ${key}[${index}] is encrypted and was not looked at; the next preview judges by it.`);
      return [];
    });
  };
  const readOnly = String(config["packetfilter:readOnly"] ?? "");
  return {
    file,
    forbidden: prefixes("forbiddenPrefixes"),
    required: prefixes("requiredPrefixes"),
    readOnly: readOnly === "true" || readOnly === "1",
    unread,
  };
}

function document(file: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw unusable(file, `it cannot be read as YAML (${messageOf(error).split("\n")[0]})`);
  }
}

/** Objects in a configuration may be one JSON text. */
function structured(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function prefixAt(file: string, path: string, spelling: string): Prefix {
  try {
    return Prefix.parse(spelling);
  } catch (error) {
    throw error instanceof PrefixError ? unusable(file, `${path}: ${error.message.replace(/\.$/, "")}`) : error;
  }
}

function unusable(file: string, why: string): Error {
  return new Error(`${file}: ${why}. Nothing was changed, since what the stack forbids is not known: put that right.`);
}
