import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import { z } from "zod";
import { type AuditRecord, appendAudit, requireAuditLog } from "../apply/audit-log";
import { caught } from "../model/errors";
import type { JsonObject } from "../model/json";
import { structured } from "../model/readable";
import {
  type ConfigKey,
  FLAT_MEMBERS,
  LIMIT_KEYS,
  unknownKeys,
  unnamedAddress,
  unnamedKeys,
} from "../settings/config-keys";
import { ConfigError, readSettings } from "../settings/settings";
import { type CliIo, timeOf, UsageError } from "./cli-io";
import { collect, collectNames } from "./option-values";
import { printedConfig } from "./printed-config";
import {
  chooseStack,
  namesOfStacks,
  projectAbove,
  readProjectFile,
  readStack,
  selectedStack,
  unusable,
} from "./stack-files";
import { type Decrypt, decrypter } from "./stack-secrets";

/** A Pulumi project, with the settings that can be read without Pulumi. */
export type Project = Awaited<ReturnType<typeof readProject>>;

export interface StackFlags {
  /** With or without organisation and project; default: the selected one, else the only one. */
  readonly stack?: string | undefined;
  /** A file with the output of `pulumi config --show-secrets --json`, which takes precedence over the stack's own. */
  readonly config?: string | undefined;
}

export function addStackFlags(command: Command, several = false): Command {
  const stack = "stack whose Pulumi.<name>.yaml is read; default: the selected one, else the only one";
  const config = 'output of "pulumi config --show-secrets --json", if the stack has secrets';
  if (!several) return command.option("--stack <name>", stack).option("--config <file>", config);
  return command
    .option("--stack <name>", `${stack}; may be repeated, or with commas`, collectNames, [])
    .option("--all-stacks", "all stacks of the project that have a file, each with its own limits and nodes")
    .option("--config <file>", `${config}; for several stacks repeated, each as STACK=FILE`, collect, []);
}

interface ProjectPlace extends StackFlags {
  /** Folders from which a project is searched upwards. Default: the working folder. */
  readonly folders?: readonly string[];
  /** True: if none of several stacks is selected, only the project's settings apply. Default: an error. */
  readonly isOptional?: boolean;
  /** True: encrypted limits that cannot be read are an error. */
  readonly judges?: boolean;
  readonly isOneOfSeveral?: boolean;
}

const secret = z.strictObject({ secure: z.string() });

/**
 * Reads the settings of a project and a stack, as `up` does; without a project, those of the environment.
 *
 * @throws {UsageError} if there are several stacks and none is named, or the named one is missing, or a file is wrong, so that its
 * limits are not known
 */
export async function readProject(where: ProjectPlace, io: CliIo) {
  const { folders = [io.folder ?? process.cwd()], stack: named, config, isOptional = false, judges = false } = where;
  const { isOneOfSeveral = false } = where;
  const { folder, project, place } = await projectPlace(folders);
  const values = new Values(project?.name);
  if (project) values.keep(project.file, project.config, () => undefined);
  const selected =
    folder === undefined
      ? undefined
      : await selectedStack({ name: project?.name ?? "", path: join(folder, project?.file ?? "") }, io);
  const stack = await chooseStack(place, { named, variable: io.env.PULUMI_STACK, selected, isOptional });
  if (stack.file !== undefined) {
    const read = await readStack(join(place, stack.file), stack.file);
    if (read.imports !== undefined && config === undefined)
      throw importing(stack.file, read.imports, configRemedy(stack.name, isOneOfSeveral));
    values.keep(stack.file, read.config, await decrypter(read.salt, read.config, io));
  }
  if (config !== undefined) values.keep(`--config ${config}`, await printedConfig(config, io), () => undefined);
  const files = [project?.file, stack.file].flatMap((name) => name ?? []);
  if (judges) values.requireLimits(configRemedy(stack.name, isOneOfSeveral));
  const program = programFolder(folder, project?.main);
  return {
    ...checked(values, { files, folder: program }, io),
    folder,
    program,
    stack: stack.name,
    isOneOfSeveral,
  };
}

/** Names of the stacks that have a file. */
export async function stackNames(folders: readonly string[]): Promise<string[]> {
  const { place } = await projectPlace(folders);
  return namesOfStacks(place);
}

/** Folder of the project, content of its file, and folder of its stacks' files. */
async function projectPlace(folders: readonly string[]) {
  const folder = (await Promise.all(folders.map(projectAbove))).find((found) => found !== undefined);
  const project = folder === undefined ? undefined : await readProjectFile(folder);
  return { folder, project, place: join(folder ?? folders[0] ?? ".", project?.stackFolder ?? "") };
}

/** `main` names a folder, or a file in one; where that is not built, the folder of the project. */
function programFolder(folder: string | undefined, main = "."): string | undefined {
  if (folder === undefined) return undefined;
  const path = resolve(folder, main);
  const at = statSync(path, { throwIfNoEntry: false });
  return at?.isDirectory() ? path : at ? dirname(path) : folder;
}

/** @throws {UsageError} for a wrong limit or a misspelt key */
function checked(
  values: Values,
  { files, folder }: { readonly files: readonly string[]; readonly folder: string | undefined },
  { env }: CliIo,
) {
  const read = () => {
    const { refused } = unknownKeys(values.keys);
    if (refused.length > 0) throw new ConfigError(refused.join(" "));
    const settings = readSettings((key) => values.of(key), env, folder);
    for (const limit of ["forbiddenPrefixes", "requiredPrefixes", "shortestPrefix", "maxEntries"] as const)
      settings[limit]();
    return settings;
  };
  const refuse = ({ message }: ConfigError) => {
    throw unusable(files.join(" and ") || "The environment", message);
  };
  const names = { nodes: namesOf(values.of("nodes")), receivers: namesOf(values.of("receivers")) };
  const hidden = (path: string) => {
    const [at] = values.hidden(path);
    return (
      at &&
      `${at} and cannot be read here: set PULUMI_CONFIG_PASSPHRASE if a passphrase protects it, or give --config with the output of "pulumi config --show-secrets --json".`
    );
  };
  return {
    settings: caught(read, ConfigError, refuse),
    ...names,
    /** Message about an encrypted part of a setting that cannot be read here. */
    hidden,
    /** The same for the members of a connection. */
    hiddenIn: (kind: "node" | "receiver", name: string | undefined) => {
      const all = names[`${kind}s`].length === 0 ? [`${kind}s`] : [];
      const paths = name === undefined ? unnamedKeys(kind) : [`${kind}s.${name}`, ...all];
      return paths.flatMap((path) => hidden(path) ?? [])[0];
    },
    /** The address of the unnamed node or receiver in the files, as far as it can be read, and whether they have one. */
    unnamed: (kind: "node" | "receiver") => {
      const found = unnamedAddress(kind, (key) => values.of(key));
      const { key } = FLAT_MEMBERS[kind].address;
      return { address: found?.address, isConfigured: found !== undefined || values.source(key) !== undefined };
    },
    /** The file that sets a key, for messages. */
    source: (key: ConfigKey) => values.source(key) ?? "the environment",
  };
}

/** Settings from the files of a project; later files take precedence. */
class Values {
  private readonly found = new Map<string, { readonly value: unknown; readonly file: string }>();
  /** Paths of values that cannot be read, each with the beginning of a sentence about it. */
  private readonly encrypted = new Map<string, string>();

  /** @param project Namespace of a key that has none, as in Pulumi. */
  constructor(private readonly project = "") {}

  keep(file: string, config: JsonObject, decrypt: Decrypt): void {
    for (const [written, value] of Object.entries(config)) {
      const name = written.includes(":") ? written : `${this.project}:${written}`;
      // Pulumi reads its older form of a key, too.
      const key = name.replace(/^([^:]*):config:/, "$1:");
      for (const path of this.encrypted.keys()) if (isWithin(path, key)) this.encrypted.delete(path);
      // The engine gives a key without a value as an empty text.
      this.found.set(key, { value: this.readable(value ?? "", { path: key, file, decrypt }), file });
    }
  }

  /** @throws {UsageError} if a limit cannot be read */
  requireLimits(remedy: string): void {
    const [at] = LIMIT_KEYS.flatMap((key) => this.hidden(key));
    if (at === undefined) return;
    throw new UsageError(
      `${at} and cannot be read here, so its limit is not known. Nothing was changed: set PULUMI_CONFIG_PASSPHRASE if a passphrase protects it, or ${remedy}.`,
    );
  }

  get keys(): string[] {
    return [...this.found.keys()];
  }

  of(key: ConfigKey): unknown {
    return this.found.get(`packetfilter:${key}`)?.value;
  }

  source(key: ConfigKey): string | undefined {
    return this.found.get(`packetfilter:${key}`)?.file;
  }

  /** Settings at or below a path that cannot be read. */
  hidden(path: string): string[] {
    return [...this.encrypted].flatMap(([at, text]) => (isWithin(at, `packetfilter:${path}`) ? text : []));
  }

  /** Removes the members that cannot be read. */
  private readable(value: unknown, at: { path: string; file: string; decrypt: Decrypt }): unknown {
    const { path, file, decrypt } = at;
    const encrypted = secret.safeParse(value);
    if (encrypted.success) {
      const text = decrypt(encrypted.data.secure);
      if (text === undefined) this.encrypted.set(path, `${file}: ${path} is encrypted`);
      return text;
    }
    if (Array.isArray(value)) {
      const members = value.map((member, index) => this.readable(member, { ...at, path: `${path}[${index}]` }));
      return members.filter((member) => member !== undefined);
    }
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value).map(([key, member]) => [
      key,
      this.readable(member, { ...at, path: `${path}.${key}` }),
    ]);
    return Object.fromEntries(members.filter(([, member]) => member !== undefined));
  }
}

/** Error for environments of ESC, which only Pulumi can read. */
function importing(file: string, environments: string, remedy: string): UsageError {
  return new UsageError(
    `${file} imports environments (${environments}), whose settings and limits are not known here. Nothing was changed or asked: ${remedy}.`,
  );
}

function configRemedy(stack: string | undefined, isOneOfSeveral: boolean): string {
  const named = stack === undefined ? "" : `--stack ${stack} `;
  return `give --config ${isOneOfSeveral ? `${stack}=` : ""}FILE with the output of "pulumi config ${named}--show-secrets --json"`;
}

/** True for a path and those below it. */
function isWithin(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}.`) || path.startsWith(`${above}[`);
}

/** The names of connections, which may be one JSON text. */
function namesOf(value: unknown): string[] {
  const names = z.record(z.string(), z.unknown()).safeParse(structured(value));
  return names.success ? Object.keys(names.data) : [];
}

/** Writes a change to the audit log of a project, as `up` does. */
export function audit({ settings, program = "." }: Project, record: AuditRecord, io: CliIo): void {
  const { auditLog, actor } = settings;
  if (auditLog === undefined) return;
  const time = new Date(timeOf(io)).toISOString();
  const file = resolve(program, auditLog);
  caught(
    () => appendAudit(file, { time, actor, ...record }),
    Error,
    ({ message }) => io.err(`Warning: the change at ${record.node} is not in the audit log ${file}: ${message}.\n`),
  );
}

/** @throws {Error} if the project forbids changes at nodes and receivers, or its audit log cannot be written */
export function requireWritable({ settings, source, program = "." }: Project, option: string): void {
  const { readOnly, auditLog } = settings;
  if (!readOnly) {
    if (auditLog !== undefined) requireAuditLog(resolve(program, auditLog), option);
    return;
  }
  const file = source("readOnly");
  const why = file === "the environment" ? "PACKETFILTER_READ_ONLY" : `packetfilter:readOnly in ${file}`;
  throw new Error(
    `${option}: nothing may be changed at a node or receiver (${why}). Nothing was changed: leave out ${option}, or allow changes.`,
  );
}
