import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { messageOf } from "../model/errors";
import { isObject, type JsonObject } from "../model/json";
import { UsageError } from "./cli-io";
import { shortName } from "./selected-stack";

const STACK_FILE = /^Pulumi\.(.+)\.ya?ml$/;
const PROJECT_FILES = ["Pulumi.yaml", "Pulumi.yml"];

const values = z.record(z.string(), z.unknown()).nullish();
const projectSchema = z.object({
  name: z.string().optional(),
  main: z.string().optional(),
  stackConfigDir: z.string().optional(),
  config: z.union([z.string(), values]),
});
const stackSchema = z.object({ config: values, encryptionsalt: z.unknown().optional() }).nullish();

/** What the file of a stack says. */
interface StackFile {
  readonly config: JsonObject;
  /** Of its secrets, where a passphrase keeps them. */
  readonly salt: unknown;
}

/** The nearest folder with a project; else the nearest with the file of a stack. */
export async function projectAbove(start: string): Promise<string | undefined> {
  let withStack: string | undefined;
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    if (PROJECT_FILES.some((name) => existsSync(join(folder, name)))) return folder;
    if (withStack === undefined && (await stackFiles(folder)).length > 0) withStack = folder;
    if (dirname(folder) === folder) return withStack;
  }
}

async function stackFiles(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).filter((name) => STACK_FILE.test(name)).sort();
}

export async function readProjectFile(folder: string) {
  const file = PROJECT_FILES.find((name) => existsSync(join(folder, name)));
  if (file === undefined) return undefined;
  const parsed = projectSchema.safeParse(document(file, await readFile(join(folder, file), "utf8")) ?? {});
  if (!parsed.success) throw unusable(file, "config is not a map");
  const { name, main, config, stackConfigDir } = parsed.data;
  // Earlier versions of Pulumi named the folder of the stacks' files here.
  if (typeof config === "string") return { name, file, main, stackFolder: stackConfigDir ?? config, config: {} };
  const entries = Object.entries(config ?? {}).map(([key, given]) => [key, declared(given)]);
  return {
    name,
    file,
    main,
    stackFolder: stackConfigDir,
    config: Object.fromEntries(entries) as Record<string, unknown>,
  };
}

/** A project writes a value plainly, or beside what it says about it. */
function declared(given: unknown): unknown {
  if (!isObject(given)) return given;
  return "value" in given ? given.value : "default" in given ? given.default : given;
}

/**
 * The stack that holds: the named one, the selected one, or the only one.
 *
 * @param isOptional True: where that does not say which, none holds.
 * @throws {UsageError} when there are several, or the named one is not there
 */
export async function chooseStack(
  place: string,
  { named, selected, isOptional }: { named: string | undefined; selected: string | undefined; isOptional: boolean },
): Promise<{ readonly name: string | undefined; readonly file: string | undefined }> {
  const files = await stackFiles(place);
  const names = files.map((file) => STACK_FILE.exec(file)?.[1] ?? "");
  const wanted = named === undefined ? selected : shortName(named);
  if (wanted === undefined && names.length > 1) {
    if (isOptional) return { name: undefined, file: undefined };
    throw new UsageError(`Say whose limits hold with --stack: there are ${names.join(", ")}. Nothing was changed.`);
  }
  const file = wanted === undefined ? files[0] : files[names.indexOf(wanted)];
  // A stack that nothing was set for has no file.
  if (file !== undefined || named === undefined) return { name: wanted ?? names[0], file };
  const there = names.length > 0 ? `there are ${names.join(", ")}` : "there is no stack's file";
  throw new UsageError(`--stack ${named}: ${place} has no Pulumi.${wanted}.yaml; ${there}. Nothing was changed.`);
}

export async function readStack(path: string, file: string): Promise<StackFile> {
  const parsed = stackSchema.safeParse(document(file, await readFile(path, "utf8")));
  if (!parsed.success) throw unusable(file, "config is not a map");
  return { config: parsed.data?.config ?? {}, salt: parsed.data?.encryptionsalt };
}

function document(file: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw unusable(file, `it cannot be read as YAML (${messageOf(error).split("\n")[0]})`);
  }
}

export function unusable(file: string, why: string): Error {
  const sentence = why.replace(/\.$/, "");
  return new Error(
    `${file}: ${sentence}. Nothing was changed, since what the stack forbids is not known: put that right.`,
  );
}
