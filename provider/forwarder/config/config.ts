import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { type NodeOptions, OptionsError } from "../../client";
import { refusedModule, withReaderIn } from "../../client/allowed-code";
import { messageOf } from "../../model/errors";
import { issuePath } from "../../model/schema";
import { plainWords } from "../fields";
import { Unavailable } from "../unavailable";
import type { Environment } from "../world";
import { MAX_PROBLEMS, readConfig } from "./config-files";
import { type CheckedConfig, configSchema, wrongNames } from "./schema";

interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A text that a variable or a file gave, with the member that it is in. */
interface GivenText {
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

/** A configuration that was checked, with what its texts were made from. */
interface Checked {
  readonly checked: CheckedConfig;
  readonly files: Map<string, string>;
  readonly texts: readonly GivenText[];
}

/** Source of a configuration, at first and when its secrets change. */
interface Source {
  readonly config: unknown;
  readonly env: Environment;
  /** Relative paths start here. */
  readonly folder: string;
  /** Records that go nowhere are a mistake. */
  readonly needsSinks: boolean;
  /** Place of a member, for messages. */
  place(path: readonly PropertyKey[]): string;
}

/**
 * A configuration: a YAML file, or an object of the same form. A text may be `${VARIABLE}`, also within a longer one, or `{
 * file: path }`, whose content it is then without the line end. Secrets are only there.
 *
 * @example
 * ```ts
 * const config = await LiveConfig.ofFile("forwarder.yaml", process.env);
 * config.current.everyMs;   // 3000
 * ```
 */
export class LiveConfig {
  /** Former nodes, for requests that are still under way. */
  private readonly gone = new Map<string, NodeOptions>();

  private constructor(
    private source: Source,
    /** As it is now. */
    public current: CheckedConfig,
    private files: Map<string, string>,
    private texts: readonly GivenText[],
  ) {}

  /** Relative paths start here. */
  get folder(): string {
    return this.source.folder;
  }

  get env(): Environment {
    return this.source.env;
  }

  get stateFolder(): string {
    return resolve(this.folder, this.current.state);
  }

  /** Texts of a sink's `url` that variables and files gave: each may be a secret. */
  secretsInUrl(sink: string): readonly string[] {
    const index = this.current.sinks.findIndex(({ name }) => name === sink);
    const isIn = ({ path }: GivenText) => isDeepStrictEqual(path, ["sinks", index, "url"]);
    return this.texts.filter(isIn).map(({ text }) => text);
  }

  node(name: string): NodeOptions {
    const options = this.current.nodes[name] ?? this.gone.get(name);
    if (!options) throw new TypeError(`There is no node ${name}.`);
    return withReaderIn(this.folder, options);
  }

  /**
   * Reads a file, or a folder as {@link readConfig} does.
   *
   * @throws {OptionsError} with every problem as `file:line:column`; {@link Unavailable} if only files and
   * variables are missing or unsound
   */
  static async ofFile(path: string, env: Environment): Promise<LiveConfig> {
    return LiveConfig.of({ ...(await readConfig(path)), env, needsSinks: true });
  }

  /** Takes an object. @throws {OptionsError} with every problem. */
  static ofObject(config: unknown, env: Environment, folder: string): Promise<LiveConfig> {
    return LiveConfig.of({ config, env, folder, needsSinks: false, place: () => "configuration" });
  }

  private static async of(source: Source): Promise<LiveConfig> {
    const { checked, files, texts } = await check(source);
    return new LiveConfig(source, checked, files, texts);
  }

  /** Becomes another configuration. Nodes that are equal in both stay the same objects. */
  adopt(next: LiveConfig): void {
    this.source = next.source;
    this.files = next.files;
    this.texts = next.texts;
    this.become(next.current);
  }

  /** Reads the files of secrets again; true when one has changed, and {@link current} with it. */
  async refresh(): Promise<boolean> {
    const { source } = this;
    const now = await Promise.all([...this.files.keys()].map((file) => secretOf(file).catch(() => undefined)));
    // An unreadable file counts as changed: the check reports why.
    if ([...this.files.values()].every((content, index) => content === now[index])) return false;
    const { checked, files, texts } = await check(source);
    // Meanwhile another configuration was adopted, with its own files.
    if (source !== this.source) return false;
    for (const [file, content] of files) this.files.set(file, content);
    this.texts = texts;
    this.become(checked);
    return true;
  }

  private become(next: CheckedConfig): void {
    const { nodes: before } = this.current;
    for (const [name, options] of Object.entries(before)) this.gone.set(name, options);
    const nodes = Object.entries(next.nodes).map(([name, options]) => {
      const former = before[name];
      return [name, isDeepStrictEqual(former, options) ? (former ?? options) : options];
    });
    this.current = { ...next, nodes: Object.fromEntries(nodes) };
  }
}

async function check(source: Source): Promise<Checked> {
  const files = new Map<string, string>();
  const problems: Problem[] = [];
  const outside: (readonly PropertyKey[])[] = [];
  const texts: GivenText[] = [];
  const filled = await fill(source.config, [], { ...source, problems, files, outside, texts });
  const result = configSchema.safeParse(filled, { error: plainWords });
  // A text that could not be filled in is reported already.
  const isNew = ({ path }: Problem) => !problems.some((problem) => isDeepStrictEqual(problem.path, path));
  const nowhere = source.needsSinks && namesNoSink.safeParse(filled).success ? [NO_SINKS] : [];
  const modules = refusedModules(result.data?.nodes ?? {}, source.folder);
  outside.push(...modules.map(({ path }) => path));
  const wrong: Problem[] = [
    ...(result.error?.issues ?? []),
    ...wrongNames(filled, source.folder),
    ...nowhere,
    ...modules,
  ];
  const found = [...problems, ...wrong.filter(isNew)];
  if (found.length === 0 && result.success) return { checked: result.data, files, texts };
  const lines = found.slice(0, MAX_PROBLEMS).map((problem) => {
    const { path, message } = problem;
    const name = issuePath(path);
    return `${source.place(placeOf(problem))}: ${name === "" ? "" : `\`${name}\` `}${message}`;
  });
  if (found.length > MAX_PROBLEMS) lines.push(`and ${found.length - MAX_PROBLEMS} more`);
  // A file may be written later, or again, and a variable be set.
  const passes = ({ path }: Problem) => outside.some((one) => isDeepStrictEqual(one, path));
  throw new (found.every(passes) ? Unavailable : OptionsError)(lines.join("\n"));
}

/** Modules of `answers.read` that the operator did not allow. */
function refusedModules(nodes: CheckedConfig["nodes"], folder: string): Problem[] {
  return Object.entries(nodes).flatMap(([name, options]) => {
    const { read } = withReaderIn(folder, options).answers ?? {};
    const message = read === undefined ? undefined : refusedModule(read);
    return message === undefined ? [] : [{ path: ["nodes", name, "answers", "read"], message }];
  });
}

const namesNoSink = z.object({ sinks: z.array(z.unknown()).max(0).optional() });
const NO_SINKS: Problem = { path: ["sinks"], message: "names none, so that records would go nowhere" };
const unknownKeys = z.object({ keys: z.tuple([z.string()], z.string()) });

/** An unknown member has a line of its own, within the object that does not know it. */
function placeOf({ path, ...problem }: Problem): readonly PropertyKey[] {
  const { data } = unknownKeys.safeParse("params" in problem ? problem.params : problem);
  return data ? [...path, data.keys[0]] : path;
}

interface Filling extends Source {
  readonly problems: Problem[];
  readonly files: Map<string, string>;
  /** The members that also need something else than the configuration: a file, or the environment. */
  readonly outside: (readonly PropertyKey[])[];
  readonly texts: GivenText[];
}

/** Replaces variables of the environment and references to files by their texts. */
async function fill(value: unknown, path: readonly PropertyKey[], to: Filling): Promise<unknown> {
  if (typeof value === "string") return fillText(value, path, to, to.texts);
  if (Array.isArray(value)) return Promise.all(value.map((element, index) => fill(element, [...path, index], to)));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only?.[0] === "file" && typeof only[1] === "string") return contentOf(only[1], path, to);
  const filled = await Promise.all(entries.map(async ([name, one]) => [name, await fill(one, [...path, name], to)]));
  return Object.fromEntries(filled);
}

/** @param texts Gets what variables gave. */
function fillText(
  text: string,
  path: readonly PropertyKey[],
  { env, problems, outside }: Filling,
  texts: GivenText[] = [],
): string {
  return text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    outside.push(path);
    const value = env[name];
    if (value) texts.push({ path, text: value });
    if (value === undefined) problems.push({ path, message: `needs the variable ${name}, which is not set` });
    return value ?? "";
  });
}

async function contentOf(name: string, path: readonly PropertyKey[], to: Filling): Promise<string> {
  const before = to.problems.length;
  const file = resolve(to.folder, fillText(name, path, to));
  // A file whose name lacks a variable is no such file.
  if (to.problems.length > before) return "";
  to.outside.push(path);
  try {
    const content = await secretOf(file);
    to.files.set(file, content);
    to.texts.push({ path, text: content });
    return content;
  } catch (error) {
    to.problems.push({ path, message: `needs the file ${file}: ${messageOf(error)}` });
    return "";
  }
}

async function secretOf(file: string): Promise<string> {
  return (await readFile(file, "utf8")).replace(/\r?\n$/, "");
}
