import type { z } from "zod";
import { refusedModule, withReaderIn } from "../client/allowed-code";
import { parseEndpoint, parseNodeEndpoint } from "../client/endpoint";
import { type NodeOptions, nodeSchema, receiverSchema } from "../client/options";
import { attempt, caught, PacketFilterError } from "../model/errors";
import type { JsonObject } from "../model/json";
import { parseShareLimit, type ShareLimit } from "../model/limits";
import { likelyMeant } from "../model/nearest";
import { ExcessError, plainData } from "../model/plain-data";
import { Prefix, PrefixError } from "../model/prefix";
import { jsonIn } from "../model/readable";
import { issuePath, schema, zod } from "../model/schema";
import { type ConfigKey, FLAT_MEMBERS, type ReadConfig } from "./config-keys";
import { type Environment, strayCredentials } from "./environment-credentials";
import { knownCredentials } from "./known-credentials";

/** A connection, and where it was found. */
export interface Target<O> {
  /** Name in the configuration; `undefined` for an object or the unnamed default. */
  readonly name: string | undefined;
  readonly options: O;
  /** True when the address comes from the environment, which no diff may show. */
  readonly fromEnvironment: boolean;
  /** Remedy for failures at an address that the configuration does not have. */
  readonly remedy?: string | undefined;
}

/** Settings of the stack's configuration and the environment, read once and checked. */
export type Settings = ReturnType<typeof readSettings>;

/**
 * A setting in the configuration, the environment or an argument is missing or wrong. Names the key and the remedy.
 *
 * @example
 * ```ts
 * if (error instanceof ConfigError) console.log(error.message);   // which key, and how to set it
 * ```
 */
export class ConfigError extends PacketFilterError {
  override readonly name = "ConfigError";

  constructor(message: string) {
    super(message, "invalid-config");
  }
}

/** No such node or receiver: the name left the configuration, or nothing names an unnamed one. */
export class UnknownConnection extends ConfigError {}

/**
 * Reads settings with the precedence argument, configuration, environment. A node or receiver with a name or given as an
 * object takes nothing from the unnamed default, so that no secret reaches another address.
 *
 * @param folder That of the program, which modules of `answers.read` start from. Default: the working folder.
 */
export function readSettings(config: ReadConfig, env: Environment, folder?: string) {
  const nodes = connectionKind("node", nodeSchema, config, env);
  const receivers = connectionKind("receiver", receiverSchema, config, env);
  return {
    /** The node for an argument `node`: a name, an object, or nothing. @throws {ConfigError} */
    node: (argument: unknown) => allowed(readingIn(folder, resolve(argument, nodes))),
    /** The receiver for an argument `receiver`. @throws {ConfigError} */
    receiver: (argument: unknown) => resolve(argument, receivers),
    /** The canonical address of that node or receiver, for a judge: read in the same way, without secrets. @throws {ConfigError} */
    address: (kind: "node" | "receiver", argument: unknown) =>
      kind === "node"
        ? parseNodeEndpoint(resolve(argument, nodes).options.endpoint).shown
        : parseEndpoint(resolve(argument, receivers).options.url, "url").shown,
    /** Prefixes that no set of this stack may overlap. @throws {ConfigError} */
    forbiddenPrefixes: () => prefixes("forbiddenPrefixes", config),
    /** Prefixes that every set of this stack must cover. @throws {ConfigError} */
    requiredPrefixes: () => prefixes("requiredPrefixes", config),
    /** Shortest prefix lengths in any set of this stack, by family. @throws {ConfigError} */
    shortestPrefix: () => parse(shortestSchema(), config("shortestPrefix") ?? {}, "packetfilter:shortestPrefix"),
    /** Maximum of entries in every set of this stack; `undefined`: none. @throws {ConfigError} */
    maxEntries: () => maxEntries(config("maxEntries")),
    /** True: nothing is changed at any node or receiver. */
    readOnly: readOnly(config, env),
    /** File that gets one line for each mutation. */
    auditLog: auditLog(config("auditLog")),
    /** Who acts, for the audit log. */
    actor: env.PACKETFILTER_ACTOR,
    /** Limit on removals from a set in one deployment, all resources together; `undefined`: none. */
    maxRemovals: shareLimit("maxRemovals", config("maxRemovals")),
    /** Limit on entries of a set that get another value in one deployment, all resources together; `undefined`: none. */
    maxChanges: shareLimit("maxChanges", config("maxChanges")),
    /**
     * Look at nodes and receivers before anything is decided: `auto` uses those that answer within two seconds, `require`
     * fails if one cannot be seen, `off` asks nothing.
     */
    detectDrift: detectDrift(config("detectDrift")),
    /** True: the user says that each address of a node or receiver is a machine of its own. */
    distinctNodes: flag("packetfilter:distinctNodes", config("distinctNodes")),
    /** Nodes of the configuration and the environment whose settings are valid. */
    knownNodes: () => knownNodes(nodes, folder),
    /** Credentials of all nodes and receivers, for texts that may repeat them. */
    knownCredentials: () => knownCredentials(config, env),
    /** True when the limits on removals and other values are lifted for this set in this run. */
    lifts: (url: string) => names(env.PACKETFILTER_ALLOW, url),
    /** True when waves of a group with this set pass in this run that did not pass before. */
    passesWave: (url: string) => names(env.PACKETFILTER_ALLOW_WAVE, url),
  };
}

/** The unnamed default of a kind. */
interface Standard {
  readonly value: Record<string, unknown>;
  readonly fromEnvironment: boolean;
  /** Sources of members other than `packetfilter:node` or `packetfilter:receiver`. */
  readonly sources: Sources;
}

type Sources = Readonly<Record<string, string>>;

/** Differences between connections to nodes and to receivers. */
interface ConnectionKind<O> {
  readonly argument: "node" | "receiver";
  /** Named connections. Read once: reading a thousand for each of them takes seconds. @throws {ConfigError} */
  readonly members: () => JsonObject;
  readonly schema: () => z.ZodType<O>;
  /** Checked options of named connections. */
  readonly checked: Map<string, O>;
  readonly standard: () => Standard | undefined;
}

/** Remedies for an argument without a default. */
const REMEDIES = {
  node: 'set "packetfilter:endpoint", name one of "packetfilter:nodes", or set PACKETFILTER_ENDPOINT',
  receiver:
    'set "packetfilter:signalingUrl", "clientId" and "secretKey", name one of "packetfilter:receivers", or set PACKETFILTER_SIGNALING_URL, PACKETFILTER_CLIENT_ID and PACKETFILTER_SECRET_KEY',
} as const;

function connectionKind<O>(
  argument: "node" | "receiver",
  schema: () => z.ZodType<O>,
  config: ReadConfig,
  env: Environment,
): ConnectionKind<O> {
  const key = `${argument}s` as const;
  let read: JsonObject | undefined;
  const members = () => {
    read ??= parse(membersSchema(), config(key) ?? {}, `packetfilter:${key}`);
    return read;
  };
  return { argument, schema, members, checked: new Map(), standard: () => standard(argument, config, env) };
}

/** The unnamed connection of a kind, by its flat keys, its own key and the environment. @throws {ConfigError} */
function standard(kind: "node" | "receiver", config: ReadConfig, env: Environment): Standard | undefined {
  const { address, credentials } = FLAT_MEMBERS[kind];
  const value: Record<string, unknown> = { ...parse(membersSchema(), config(kind) ?? {}, `packetfilter:${kind}`) };
  const sources: Record<string, string> = {};
  const variables: string[] = [];
  for (const { member, key, variable } of [address, ...credentials]) {
    const own = config(key);
    if (own !== undefined && value[member] !== undefined) throw new ConfigError(saidTwice(key, `${kind}.${member}`));
    if (value[member] !== undefined) continue;
    sources[member] = `packetfilter:${key}`;
    if (own !== undefined) value[member] = own;
    else if (env[variable] !== undefined) {
      value[member] = env[variable];
      sources[member] = variable;
      variables.push(variable);
    }
  }
  if (value[address.member] === undefined) return undefined;
  const problem = strayCredentials(env, {
    variables: variables.filter((name) => name !== address.variable),
    address: value[address.member],
    namedBy: sources[address.member] ?? `packetfilter:${kind}.${address.member}`,
    variable: address.variable,
  });
  if (problem !== undefined) throw new ConfigError(problem);
  return { value, fromEnvironment: variables.includes(address.variable), sources };
}

function saidTwice(key: string, path: string): string {
  return `packetfilter:${key} and packetfilter:${path} are the same setting: keep one, and remove the other with pulumi config rm 'packetfilter:${key}' or pulumi config rm --path 'packetfilter:${path}'.`;
}

function resolve<O>(argument: unknown, kind: ConnectionKind<O>): Target<O> {
  if (argument === undefined || argument === null) {
    const standard = kind.standard();
    if (!standard) throw new UnknownConnection(`No ${kind.argument} is given: ${REMEDIES[kind.argument]}.`);
    return {
      name: undefined,
      options: parse(kind.schema(), standard.value, `packetfilter:${kind.argument}`, standard.sources),
      fromEnvironment: standard.fromEnvironment,
    };
  }
  if (typeof argument !== "string") {
    return { name: undefined, options: parse(kind.schema(), argument, kind.argument), fromEnvironment: false };
  }
  const all = kind.members();
  if (!Object.hasOwn(all, argument)) {
    const names = Object.keys(all);
    const choice = names.length > 0 ? `it knows ${names.join(", ")}` : "it is not set";
    throw new UnknownConnection(
      `${kind.argument} "${argument}" is not in "packetfilter:${kind.argument}s" (${choice}): add it with pulumi config set --path 'packetfilter:${kind.argument}s.${argument}.${kind.argument === "node" ? "endpoint" : "url"}' URL.${likelyMeant(argument, names)}`,
    );
  }
  const path = `packetfilter:${kind.argument}s.${argument}`;
  const options = kind.checked.get(argument) ?? parse(kind.schema(), all[argument], path);
  kind.checked.set(argument, options);
  return { name: argument, options, fromEnvironment: false };
}

/** The node with its module of `answers.read` in the folder of the program. */
function readingIn(folder: string | undefined, target: Target<NodeOptions>): Target<NodeOptions> {
  return folder === undefined ? target : { ...target, options: withReaderIn(folder, target.options) };
}

/** @throws {ConfigError} for a module of `answers.read` that the operator did not allow */
function allowed(target: Target<NodeOptions>): Target<NodeOptions> {
  const { read } = target.options.answers ?? {};
  const refused = read === undefined ? undefined : refusedModule(read);
  if (refused === undefined) return target;
  throw new ConfigError(`${target.name === undefined ? "The node" : `node "${target.name}"`}: ${refused}.`);
}

/** Leaves out connections with invalid members: their use reports them, and modules that are not allowed. */
function knownNodes(kind: ConnectionKind<NodeOptions>, folder: string | undefined): Target<NodeOptions>[] {
  const found = (argument: unknown) => attempt(() => readingIn(folder, resolve(argument, kind)), ConfigError) ?? [];
  return [undefined, ...Object.keys(kind.members())].flatMap(found);
}

/** Parses a value that may be structured or one JSON string. Messages name the path and never show the value. */
function parse<T>(schema: z.ZodType<T>, value: unknown, path: string, sources: Sources = {}): T {
  const given = structured(value, path);
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const sentences = result.error.issues.map((issue) => {
    const [member, ...within] = issue.path;
    const source = sources[String(member)];
    const inside = `${path}.${issuePath(issue.path)}`;
    const at = member === undefined ? path : source === undefined ? inside : issuePath([source, ...within]);
    const isAbsent = issue.path.length > 0 && memberAt(given, issue.path) === undefined;
    return isAbsent ? `${at} is missing${remedyFor(at)}` : `${at}: ${issue.message}`;
  });
  throw new ConfigError(sentences.join("; "));
}

function memberAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => {
    // Headers may be one JSON text.
    const within = typeof at === "string" ? jsonIn(at) : at;
    return typeof within === "object" && within !== null ? Reflect.get(within, key) : undefined;
  }, value);
}

/** Remedy for a missing member; empty for one of an object in the program. */
function remedyFor(at: string): string {
  if (!at.startsWith("packetfilter:")) return "";
  const isSecret = at.endsWith("secretKey");
  const variable = FLAT_MEMBERS.receiver.credentials.find(({ key }) => at === `packetfilter:${key}`)?.variable;
  // A secret typed after the command would stay in the shell's history; without a value the command asks for it.
  const command = `pulumi config set${variable ? "" : " --path"}${isSecret ? " --secret" : ""} '${at}'${isSecret ? "" : " VALUE"}`;
  return `: set it with ${command}${variable ? `, or with the environment variable ${variable}` : ""}`;
}

function structured(value: unknown, path: string): unknown {
  if (typeof value !== "string") return value;
  try {
    return plainData(value);
  } catch (error) {
    const problem = error instanceof ExcessError ? error.message : "is not JSON";
    throw new ConfigError(`${path} ${problem}: set it as one JSON text, or member by member with --path.`);
  }
}

function prefixes(key: ConfigKey, config: ReadConfig): readonly Prefix[] {
  const value = config(key);
  if (value === undefined) return [];
  const spellings = parse(zod().array(zod().string()), value, `packetfilter:${key}`);
  return spellings.map((spelling, index) => {
    const refuse = ({ message }: PrefixError) => {
      throw new ConfigError(`packetfilter:${key}[${index}]: ${message}`);
    };
    return caught(() => Prefix.parse(spelling), PrefixError, refuse);
  });
}

const membersSchema = schema(() => zod().record(zod().string(), zod().unknown()));
const shortestSchema = schema(() => zod().strictObject({ ipv4: length(32), ipv6: length(128) }));

function length(bits: number) {
  const error = `is not a length from 0 to ${bits}`;
  const text = zod()
    .string()
    .regex(/^\d{1,3}$/, error)
    .transform(Number);
  const number = zod().number(error).int(error).min(0, error).max(bits, error);
  return zod().union([zod().number(), text], error).pipe(number).optional();
}

function maxEntries(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const text = String(value);
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new ConfigError("packetfilter:maxEntries is not a number of entries: set it to one such as 5000.");
}

/** True if a variable names the set. */
function names(variable: string | undefined, url: string): boolean {
  return url !== "" && (variable ?? "").split(/[\s,]+/).includes(url);
}

function shareLimit(key: ConfigKey, value: unknown): ShareLimit | undefined {
  if (value === undefined) return undefined;
  const parsed = parseShareLimit(String(value).trim());
  if (parsed) return parsed;
  throw new ConfigError(
    `packetfilter:${key} is neither a number of entries nor a percentage: set it to one such as 500 or "20%".`,
  );
}

function auditLog(value: unknown): string | undefined {
  if (value === undefined || (typeof value === "string" && value.trim() !== "")) return value;
  throw new ConfigError("packetfilter:auditLog is not the name of a file: set it to one such as audit.ndjson.");
}

const DETECT_DRIFT = ["auto", "off", "require"] as const;

function detectDrift(value: unknown): (typeof DETECT_DRIFT)[number] {
  const found = DETECT_DRIFT.find((way) => way === (value ?? "auto"));
  if (found) return found;
  throw new ConfigError('packetfilter:detectDrift is not one of "auto", "off", "require": set it to one of them.');
}

function readOnly(config: ReadConfig, env: Environment): boolean {
  const own = config("readOnly");
  if (own !== undefined) return flag("packetfilter:readOnly", own);
  return flag("PACKETFILTER_READ_ONLY", env.PACKETFILTER_READ_ONLY || undefined);
}

function flag(source: string, value: unknown): boolean {
  if ([undefined, false, "false", "0", 0].some((no) => no === value)) return false;
  if ([true, "true", "1", 1].some((yes) => yes === value)) return true;
  throw new ConfigError(`${source} is neither true nor false: set it to one of them.`);
}
