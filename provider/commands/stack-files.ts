import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { readFound } from "../files/no-links";
import { messageOf } from "../model/errors";
import { isObject } from "../model/json";
import { likelyMeant } from "../model/nearest";
import { readPulumiYaml } from "../model/yaml";
import { type CliIo, UsageError } from "./cli-io";

const STACK_FILE = /^Pulumi\.(.+)\.ya?ml$/;
const PROJECT_FILES = ["Pulumi.yaml", "Pulumi.yml"];
const JSON_PROJECT = "Pulumi.json";

const values = z.record(z.string(), z.unknown()).nullish();
const projectSchema = z.object({
  name: z.string().optional(),
  main: z.string().optional(),
  stackConfigDir: z.string().optional(),
  config: z.union([z.string(), values]),
});
const stackSchema = z
  .object({ config: values, encryptionsalt: z.unknown().optional(), environment: z.unknown().optional() })
  .nullish();

/** The nearest folder above with a project, else with the file of a stack. */
export async function projectAbove(start: string): Promise<string | undefined> {
  let withStack: string | undefined;
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    if ([JSON_PROJECT, ...PROJECT_FILES].some((name) => existsSync(join(folder, name)))) return folder;
    if (withStack === undefined && (await stackFiles(folder)).length > 0) withStack = folder;
    if (dirname(folder) === folder) return withStack;
  }
}

async function stackFiles(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).filter((name) => STACK_FILE.test(name)).sort();
}

/** Names of the stacks that have a file in a folder. */
export async function namesOfStacks(folder: string): Promise<string[]> {
  return (await stackFiles(folder)).map((file) => STACK_FILE.exec(file)?.[1] ?? "");
}

export async function readProjectFile(folder: string) {
  // Pulumi prefers it to the others, and then reads the settings of stacks from files in JSON.
  if (existsSync(join(folder, JSON_PROJECT)))
    throw unusable(JSON_PROJECT, "a project in JSON is not read here: make it Pulumi.yaml");
  const file = PROJECT_FILES.find((name) => existsSync(join(folder, name)));
  if (file === undefined) return undefined;
  const parsed = projectSchema.safeParse(document(file, readFound(join(folder, file))) ?? {});
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

/** The value of a setting of the project, which may be declared as `value` or `default`. */
function declared(given: unknown): unknown {
  if (!isObject(given)) return given;
  return "value" in given ? given.value : "default" in given ? given.default : given;
}

/**
 * Chooses the named stack, that of `PULUMI_STACK`, the selected one, or the only one.
 *
 * @param isOptional True: none, if there are several.
 * @throws {UsageError} if there are several, or the named one is missing, or that of the variable where others have files: the limits
 * of a mistyped name would be none
 */
export async function chooseStack(
  place: string,
  choice: Readonly<Record<"named" | "variable" | "selected", string | undefined>> & { readonly isOptional: boolean },
): Promise<{ readonly name: string | undefined; readonly file: string | undefined }> {
  const files = await stackFiles(place);
  const names = await namesOfStacks(place);
  const { named, variable, selected } = choice;
  const given = named ?? (variable || undefined);
  const requested = given === undefined ? selected : shortName(given);
  if (requested === undefined && names.length > 1) {
    if (choice.isOptional) return { name: undefined, file: undefined };
    throw new UsageError(`Choose a stack with --stack: there are ${names.join(", ")}. Nothing was changed.`);
  }
  const file = requested === undefined ? files[0] : files[names.indexOf(requested)];
  // A stack without settings has no file.
  const hasNoFile = given === undefined || (named === undefined && names.length === 0);
  if (file !== undefined || hasNoFile) return { name: requested ?? names[0], file };
  const there = names.length > 0 ? `there are ${names.join(", ")}` : "there is no stack's file";
  const remedy = named === undefined ? ` Unset it, or make an empty Pulumi.${requested}.yaml.` : "";
  throw new UsageError(
    `${named === undefined ? "PULUMI_STACK=" : "--stack "}${given}: ${place} has no Pulumi.${requested}.yaml; ${there}.${likelyMeant(requested ?? "", names)} Nothing was changed.${remedy}`,
  );
}

/**
 * Reads the file of a stack. `salt` belongs to its secrets, if a passphrase protects them; `imports` names its ESC environments.
 */
export async function readStack(path: string, file: string) {
  const parsed = stackSchema.safeParse(document(file, readFound(path)));
  if (!parsed.success) throw unusable(file, "config is not a map");
  const { config, encryptionsalt, environment } = parsed.data ?? {};
  return { config: config ?? {}, salt: encryptionsalt, imports: importsOf(environment) };
}

/** Names of the environments, in a list or under `imports`; any other value is an environment without a name. */
function importsOf(environment: unknown): string | undefined {
  if (environment === undefined || environment === null) return undefined;
  const list = isObject(environment) && Array.isArray(environment.imports) ? environment.imports : environment;
  if (!Array.isArray(list)) return "one of its own";
  const names = list.map((one) => (typeof one === "string" ? one : Object.keys(isObject(one) ? one : {}).join(", ")));
  return names.length > 0 ? names.join(", ") : undefined;
}

function document(file: string, text: string): unknown {
  try {
    return readPulumiYaml(text);
  } catch (error) {
    throw unusable(file, `it cannot be read as YAML (${messageOf(error).split("\n")[0]})`);
  }
}

export function unusable(file: string, why: string): UsageError {
  const sentence = why.replace(/\.$/, "");
  return new UsageError(
    `${file}: ${sentence}. Nothing was changed, since the limits of the stack are not known: correct the file.`,
  );
}

const workspaceSchema = z.object({
  stack: z.string().optional(),
  stacks: z.record(z.string(), z.string()).optional(),
});
const credentialsSchema = z.object({ current: z.string().optional() });

/**
 * The stack that `pulumi stack select` chose for a project, without organisation and project, as far as
 * Pulumi's files show.
 *
 * @param project Name, and path of its file.
 */
export async function selectedStack(
  project: { readonly name: string; readonly path: string },
  { env }: CliIo,
): Promise<string | undefined> {
  const home = pulumiHome(env);
  if (home === undefined) return undefined;
  const file = `${project.name}-${createHash("sha1").update(project.path).digest("hex")}-workspace.json`;
  const workspace = await contentOf(join(home, "workspaces", file), workspaceSchema);
  const stacks = Object.entries(workspace?.stacks ?? {});
  if (stacks.length === 0) return workspace?.stack === undefined ? undefined : shortName(workspace.stack);
  const backend =
    env.PULUMI_BACKEND_URL || (await contentOf(join(home, "credentials.json"), credentialsSchema))?.current;
  const [, chosen] = stacks.find(([url]) => url === backend) ?? (stacks.length === 1 ? (stacks[0] ?? []) : []);
  return chosen === undefined ? undefined : shortName(chosen);
}

/** Pulumi's own folder of this user; `undefined` if the environment does not tell it. */
export function pulumiHome({ PULUMI_HOME, HOME }: CliIo["env"]): string | undefined {
  return PULUMI_HOME || (HOME ? join(HOME, ".pulumi") : undefined);
}

/** `organization/project/dev` is `dev`. */
function shortName(stack: string): string {
  return stack.split("/").at(-1) ?? stack;
}

async function contentOf<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return undefined;
  }
}
