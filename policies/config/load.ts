import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { z } from "zod";
import { readFound } from "../../provider/files/no-links";
import { isObject } from "../../provider/model/json";
import { ExcessError } from "../../provider/model/plain-data";
import { readYaml } from "../../provider/model/yaml";
import { formatPath, PolicyConfigError, type PolicyConfigIssue } from "./errors";
import type { RuleSettings } from "./rule-settings";
import { type Configurable, type PolicyConfig, type PolicyConfigInput, policyConfigSchema } from "./schema";

/** The name of the configuration file in the folder of a program. */
const CONFIG_FILE = "packetfilter-policies.yaml";

/** Accepted names of the file. */
const CONFIG_FILES = [CONFIG_FILE, "packetfilter-policies.yml"] as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** Place of the configuration; the defaults are those of this process. */
export interface LoadOptions {
  /** Variables that say where the file is; default: those of this process. */
  readonly environment?: Environment;
  /** Folder in which the search for the file begins; default: the working directory. */
  readonly folder?: string;
}

/**
 * Reads the configuration for a pack of these rules: the file that `PACKETFILTER_POLICIES` names, else
 * `packetfilter-policies.yaml` (or `.yml`) in the program's folder, else nothing but defaults.
 *
 * @throws {PolicyConfigError} naming the file and the path within it.
 * @example
 * ```ts
 * const config = loadPolicyConfig(rules, { folder: "infrastructure" });
 * ```
 */
export function loadPolicyConfig(rules: readonly Configurable[], options: LoadOptions = {}): PolicyConfig {
  const { environment = process.env } = options;
  const file = findPolicyConfig(options);
  return parsePolicyConfig(file === undefined ? {} : readConfigFile(file, environment), rules, file);
}

/**
 * Reads a configuration that is already an object, for packs that bring their own.
 *
 * @throws {PolicyConfigError} naming the path within it.
 * @example
 * ```ts
 * const config = parsePolicyConfig({ ownedPrefixes: ["198.51.100.0/24"] }, rules);
 * ```
 */
export function parsePolicyConfig(
  input: PolicyConfigInput,
  rules: readonly Configurable[],
  source: string = CONFIG_FILE,
): PolicyConfig {
  const result = policyConfigSchema(rules).safeParse(input);
  if (!result.success) throw new PolicyConfigError(source, toIssues(result.error));
  // Settings stay as they were written: those of the command line are laid over them before a rule reads them.
  return { ...result.data, rules: (input.rules ?? {}) as RuleSettings };
}

/** The issues of a failed parse; for a union, those of the likeliest branch. */
export function toIssues(error: z.ZodError, prefix: readonly PropertyKey[] = []): PolicyConfigIssue[] {
  return error.issues.flatMap((issue) => {
    const path = [...prefix, ...issue.path];
    if (issue.code === "invalid_union") {
      // The input is a level or settings: the branch that got furthest has the best message.
      const branches = issue.errors.map((issues) => ({
        issues,
        depth: Math.max(...issues.map((one) => one.path.length)),
      }));
      branches.sort((a, b) => b.depth - a.depth || Number(isTypeOnly(a.issues)) - Number(isTypeOnly(b.issues)));
      const best = branches[0]?.issues ?? [];
      return best.map((one) => ({ path: formatPath([...path, ...one.path]), message: one.message }));
    }
    return [{ path: formatPath(path), message: issue.message }];
  });
}

function isTypeOnly(issues: readonly { readonly code?: string }[]): boolean {
  return issues.every((issue) => issue.code === "invalid_type");
}

function readConfigFile(file: string, { PACKETFILTER_POLICIES: named }: Environment): PolicyConfigInput {
  let text: string;
  let read: unknown;
  try {
    text = named ? readFileSync(file, "utf8") : readFound(file);
  } catch (error) {
    throw new PolicyConfigError(file, [{ path: "", message: `cannot be read: ${(error as Error).message}` }]);
  }
  try {
    read = readYaml(text);
  } catch (error) {
    if (error instanceof ExcessError) throw new PolicyConfigError(file, [{ path: "", message: error.message }]);
    throw new PolicyConfigError(file, [{ path: "", message: `is not YAML: ${(error as Error).message}` }]);
  }
  // What failed to write the file leaves this: the defaults are not what was meant.
  if (read === null || read === undefined)
    throw new PolicyConfigError(file, [{ path: "", message: "is empty: write at least {}" }]);
  return read as PolicyConfigInput;
}

/** The file that {@link loadPolicyConfig} reads; `undefined` where there is none. */
export function findPolicyConfig(options: LoadOptions): string | undefined {
  const { environment = process.env, folder = process.cwd() } = options;
  const programFolder = environment.PACKETFILTER_PROGRAM_FOLDER;
  const named = environment.PACKETFILTER_POLICIES;
  if (named) return resolve(programFolder ?? environment.PWD ?? folder, named);
  // The engine starts a pack in the pack's folder and does not name the program's. Searched in this order: the folder given
  // to `policies/run`, the folder of the command, the folders above the pack (it may be in the program's node_modules).
  for (const start of [programFolder, environment.PWD, folder]) {
    const found = start === undefined ? undefined : searchUpwards(start, environment);
    if (found !== undefined) return found;
  }
  return undefined;
}

function searchUpwards(start: string, environment: Environment): string | undefined {
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    const project = ["Pulumi.yaml", "Pulumi.yml"].map((name) => join(folder, name)).find((file) => existsSync(file));
    if (project !== undefined && !isProject(project, environment)) return undefined;
    const [file, other] = CONFIG_FILES.map((name) => join(folder, name)).filter((name) => existsSync(name));
    if (file !== undefined && other !== undefined) throw twoFiles(file, other);
    if (file !== undefined) return file;
    // The folder with Pulumi.yaml is the program's; folders above it do not belong to the program.
    if (project !== undefined || basename(folder) === "") return undefined;
  }
}

/** Refuses two files, since the rules of one of them would be ignored. */
function twoFiles(file: string, other: string): PolicyConfigError {
  return new PolicyConfigError(file, [
    {
      path: "",
      message: `${basename(other)} is in the same folder, and only one file can apply: merge them into ${CONFIG_FILE}`,
    },
  ]);
}

// With `pulumi -C elsewhere` the command may run in the folder of another program, whose rules do not apply.
function isProject(file: string, environment: Environment): boolean {
  const wanted = environment.PULUMI_NODEJS_PROJECT ?? environment.PULUMI_PROJECT;
  if (!wanted) return true;
  try {
    const project = readYaml(readFileSync(file, "utf8"));
    return isObject(project) && project.name === wanted;
  } catch {
    return true;
  }
}
