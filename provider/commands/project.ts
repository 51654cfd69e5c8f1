import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { messageOf } from "../model/errors";
import { type AuditRecord, appendAudit } from "../resources/audit-log";
import type { ConfigKey } from "../resources/config-keys";
import { ConfigError, readSettings, type Settings } from "../resources/settings";
import { type CliIo, UsageError } from "./cli-io";

/** A Pulumi project as commands see it: its settings as far as they can be read without Pulumi. */
export interface Project {
  readonly settings: Settings;
  /** Where it lies; `undefined` where there is none. */
  readonly folder: string | undefined;
  readonly stack: string | undefined;
  /** Settings that are there and encrypted: a sentence about each. */
  readonly unread: readonly string[];
  /** The file that sets a key, for messages. */
  source(key: ConfigKey): string;
}

/** Where a project is looked for, and whose settings hold. */
export interface ProjectPlace {
  /** The search goes from each of these folders upwards until it finds a project. */
  readonly folders: readonly string[];
  /** As `pulumi --stack` takes it, with or without organisation and project; default: `PULUMI_STACK`, else the only one. */
  readonly stack: string | undefined;
}

const STACK_FILE = /^Pulumi\.(.+)\.ya?ml$/;
const PROJECT_FILES = ["Pulumi.yaml", "Pulumi.yml"];
/** What is said of these when it is encrypted: commands go by them. */
const LIMITS: readonly ConfigKey[] = [
  "forbiddenPrefixes",
  "requiredPrefixes",
  "shortestPrefix",
  "maxEntries",
  "maxRemovals",
  "maxChanges",
  "readOnly",
  "auditLog",
];

const values = z.record(z.string(), z.unknown()).nullish();
const projectSchema = z.object({ stackConfigDir: z.string().optional(), config: z.union([z.string(), values]) });
const stackSchema = z.object({ config: values }).nullish();
const secret = z.strictObject({ secure: z.string() });

/**
 * The settings that hold for what a command writes: those of the project, and over them those of the stack, as `up` reads
 * them. Without a project those of the environment hold.
 *
 * @throws {UsageError} when there are several stacks and none is named, or the named one is not there
 * @throws {Error} when a file makes no sense: what it forbids is not known then
 */
export async function readProject({ folders, stack }: ProjectPlace, { env }: CliIo): Promise<Project> {
  const folder = (await Promise.all(folders.map(projectAbove))).find((found) => found !== undefined);
  const unread: string[] = [];
  const found = new Map<string, { readonly value: unknown; readonly file: string }>();
  const keep = (file: string, config: Readonly<Record<string, unknown>>) => {
    for (const [key, value] of Object.entries(config)) {
      const sentences = LIMITS.some((limit) => key === `packetfilter:${limit}`) ? unread : [];
      found.set(key, { value: readable(value, `${file}: ${key}`, sentences), file });
    }
  };
  const project = folder === undefined ? undefined : await readProjectFile(folder);
  if (project) keep(project.file, project.config);
  const place = join(folder ?? folders[0] ?? ".", project?.stackFolder ?? "");
  const chosen = await chooseStack(place, stack, folder === undefined ? undefined : env.PULUMI_STACK);
  if (chosen?.file !== undefined) keep(chosen.file, await readStack(join(place, chosen.file), chosen.file));
  const read = (key: ConfigKey) => found.get(`packetfilter:${key}`)?.value;
  const source = (key: ConfigKey) => found.get(`packetfilter:${key}`)?.file ?? "the environment";
  try {
    const settings = readSettings(read, env);
    for (const limit of ["forbiddenPrefixes", "requiredPrefixes", "shortestPrefix", "maxEntries"] as const)
      settings[limit]();
    return { settings, folder, stack: chosen?.name, unread, source };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const files = [...new Set([project?.file, chosen?.file].flatMap((name) => name ?? []))];
    throw unusable(files.join(" and ") || "The environment", error.message);
  }
}

/** Writes a mutation to the audit log of a project, as `up` does. */
export function audit({ settings, folder }: Project, record: AuditRecord, io: CliIo): void {
  const { auditLog, actor } = settings;
  if (auditLog === undefined) return;
  const time = new Date((io.now ?? Date.now)()).toISOString();
  appendAudit(resolve(folder ?? ".", auditLog), { time, actor, ...record });
}

/** @throws {Error} where the project lets nothing be changed at a node or receiver */
export function requireWritable({ settings, source }: Project, option: string): void {
  if (!settings.readOnly) return;
  const file = source("readOnly");
  const why = file === "the environment" ? "PACKETFILTER_READ_ONLY" : `packetfilter:readOnly in ${file}`;
  throw new Error(
    `${option}: nothing may be changed at a node or receiver (${why}). Nothing was changed: leave ${option} out, or lift that.`,
  );
}

/** The nearest folder with a project; else the nearest with the file of a stack. */
async function projectAbove(start: string): Promise<string | undefined> {
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

async function readProjectFile(folder: string) {
  const file = PROJECT_FILES.find((name) => existsSync(join(folder, name)));
  if (file === undefined) return undefined;
  const parsed = projectSchema.safeParse(document(file, await readFile(join(folder, file), "utf8")) ?? {});
  if (!parsed.success) throw unusable(file, "config is not a map");
  const { config, stackConfigDir } = parsed.data;
  // Earlier versions of Pulumi named the folder of the stacks' files here.
  if (typeof config === "string") return { file, stackFolder: stackConfigDir ?? config, config: {} };
  const entries = Object.entries(config ?? {}).map(([key, given]) => [key, declared(given)]);
  return { file, stackFolder: stackConfigDir, config: Object.fromEntries(entries) as Record<string, unknown> };
}

/** A project writes a value plainly, or beside what it says about it. */
function declared(given: unknown): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  return "value" in given ? given.value : "default" in given ? given.default : given;
}

async function chooseStack(place: string, named: string | undefined, usual: string | undefined) {
  const files = await stackFiles(place);
  const names = files.map((file) => STACK_FILE.exec(file)?.[1] ?? "");
  const wanted = (named ?? (usual || undefined))?.split("/").at(-1);
  if (wanted === undefined && names.length > 1)
    throw new UsageError(`Say whose limits hold with --stack: there are ${names.join(", ")}. Nothing was changed.`);
  const file = wanted === undefined ? files[0] : files[names.indexOf(wanted)];
  // A stack that nothing was set for has no file.
  if (file !== undefined || named === undefined) return { name: wanted ?? names[0], file };
  const there = names.length > 0 ? `there are ${names.join(", ")}` : "there is no stack's file";
  throw new UsageError(`--stack ${named}: ${place} has no Pulumi.${wanted}.yaml; ${there}. Nothing was changed.`);
}

async function readStack(path: string, file: string): Promise<Readonly<Record<string, unknown>>> {
  const parsed = stackSchema.safeParse(document(file, await readFile(path, "utf8")));
  if (!parsed.success) throw unusable(file, "config is not a map");
  return parsed.data?.config ?? {};
}

/** A value without the members that are encrypted; nothing where all of it is. */
function readable(value: unknown, path: string, unread: string[]): unknown {
  if (secret.safeParse(value).success) {
    unread.push(`${path} is encrypted and was not looked at; the next preview judges by it.`);
    return undefined;
  }
  if (Array.isArray(value)) {
    const members = value.map((member, index) => readable(member, `${path}[${index}]`, unread));
    return members.filter((member) => member !== undefined);
  }
  if (typeof value !== "object" || value === null) return value ?? undefined;
  const members = Object.entries(value).map(([key, member]) => [key, readable(member, `${path}.${key}`, unread)]);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

function document(file: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw unusable(file, `it cannot be read as YAML (${messageOf(error).split("\n")[0]})`);
  }
}

function unusable(file: string, why: string): Error {
  const sentence = why.replace(/\.$/, "");
  return new Error(
    `${file}: ${sentence}. Nothing was changed, since what the stack forbids is not known: put that right.`,
  );
}
