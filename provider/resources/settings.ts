import type { z } from "zod";
import { type NodeOptions, nodeSchema, type ReceiverOptions, receiverSchema } from "../client/options";
import { attempt, caught, PacketFilterError } from "../model/errors";
import type { JsonObject } from "../model/json";
import { Prefix, PrefixError } from "../model/prefix";
import { issuePath, schema, zod } from "../model/schema";
import { receiverAnswersSchema } from "../wire/answers-schema";
import { type ConfigKey, NODE_KEYS, type ReadConfig } from "./config-keys";
import { type CredentialUse, type Environment, strayCredentials } from "./environment-credentials";
import { parseShareLimit, type ShareLimit } from "./limits/removals";

/** A connection, and where it was found. */
export interface Target<O> {
  /** The name in the configuration; `undefined` for an object or the unnamed default. */
  readonly name: string | undefined;
  readonly options: O;
  /** True when the address comes from the environment, which no diff may show. */
  readonly fromEnvironment: boolean;
  /** Where the address is not that of the configuration: what to do when it does not serve. */
  readonly wayOut?: string | undefined;
}

/** What the stack's configuration and the environment say, read once and checked. */
export type Settings = ReturnType<typeof readSettings>;

/**
 * The configuration, the environment or an argument does not say what is needed. Says which key, and how to set it.
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

/** The default node and receiver share these; certificates mean nothing to a receiver without https. */
function receiverKeys(url: unknown): readonly ConfigKey[] {
  const timing = ["timeoutMs", "deadlineMs", "maxTries", "retryPauseMs", "maxRetryPauseMs"] as const;
  return String(url).startsWith("https:") ? ["tls", ...timing] : timing;
}

/**
 * Reads settings with the precedence argument, configuration, environment. A node or receiver that is named or given as
 * an object stands by itself: nothing of the unnamed default is mixed in, so that no secret reaches another address.
 */
export function readSettings(config: ReadConfig, env: Environment) {
  const [nodes, receivers] = [nodeKind(config, env), receiverKind(config, env)];
  const auditLog = config("auditLog");
  return {
    /** The node for an argument `node`: a name, an object, or nothing. @throws {ConfigError} */
    node: (argument: unknown) => resolve(argument, nodes),
    /** The receiver for an argument `receiver`. @throws {ConfigError} */
    receiver: (argument: unknown) => resolve(argument, receivers),
    /** Prefixes that no set of this stack may overlap. @throws {ConfigError} */
    forbiddenPrefixes: () => prefixes("forbiddenPrefixes", config),
    /** Prefixes that every set of this stack must cover. @throws {ConfigError} */
    requiredPrefixes: () => prefixes("requiredPrefixes", config),
    /** Shortest prefix lengths that any set of this stack lets in, by family. @throws {ConfigError} */
    shortestPrefix: () => parse(shortestSchema(), config("shortestPrefix") ?? {}, "packetfilter:shortestPrefix"),
    /** More entries fail in every set of this stack; `undefined`: no such limit. @throws {ConfigError} */
    maxEntries: () => maxEntries(config("maxEntries")),
    /** True: nothing is changed at any node or receiver. */
    readOnly: isTrue("readOnly", config("readOnly") ?? env.PACKETFILTER_READ_ONLY),
    /** File that gets one line for each mutation. */
    auditLog: auditLog === undefined ? undefined : String(auditLog),
    /** Who acts, for the audit log. */
    actor: env.PACKETFILTER_ACTOR,
    /** How much of a set one deployment may remove, all resources together; `undefined`: no such limit. */
    maxRemovals: shareLimit("maxRemovals", config("maxRemovals")),
    /** How many entries of a set one deployment may give another value, all resources together; `undefined`: no such limit. */
    maxChanges: shareLimit("maxChanges", config("maxChanges")),
    /** True: the user says that each address of a node or receiver is a machine of its own. */
    distinctNodes: isTrue("distinctNodes", config("distinctNodes") ?? env.PACKETFILTER_DISTINCT_NODES),
    /** Every node that the configuration and the environment know, as far as they make sense. */
    knownNodes: () => knownNodes(nodes),
    /** True when the limit on removals is lifted for this set in this run. */
    liftsRemovals: (url: string) => names(env.PACKETFILTER_ALLOW_REMOVALS, url),
    /** True when the limit on other values is lifted for this set in this run. */
    liftsChanges: (url: string) => names(env.PACKETFILTER_ALLOW_CHANGES, url),
  };
}

/** What the connections to nodes and those to receivers differ in. */
interface ConnectionKind<O> {
  readonly argument: "node" | "receiver";
  /** All that have a name. Read once: reading the text of a thousand for each of them takes seconds. @throws {ConfigError} */
  readonly members: () => JsonObject;
  readonly schema: () => z.ZodType<O>;
  /** The unnamed default: its members, and whether its address comes from the environment. */
  readonly standard: () => { readonly value: Record<string, unknown>; readonly fromEnvironment: boolean } | undefined;
  readonly remedy: string;
}

function nodeKind(config: ReadConfig, env: Environment): ConnectionKind<NodeOptions> {
  return {
    argument: "node",
    members: named("nodes", config),
    schema: nodeSchema,
    remedy: 'set "packetfilter:endpoint", name one of "packetfilter:nodes", or set PACKETFILTER_ENDPOINT',
    standard: () => {
      const endpoint = config("endpoint") ?? env.PACKETFILTER_ENDPOINT;
      if (endpoint === undefined) return undefined;
      const value = pick(NODE_KEYS, config);
      const takesHeaders = value.headers === undefined && env.PACKETFILTER_HEADERS !== undefined;
      requireOwnAddress(env, {
        variables: takesHeaders ? ["PACKETFILTER_HEADERS"] : [],
        address: endpoint,
        namedBy: "packetfilter:endpoint",
        variable: "PACKETFILTER_ENDPOINT",
      });
      if (takesHeaders) value.headers = env.PACKETFILTER_HEADERS;
      return { value: { endpoint, ...value }, fromEnvironment: config("endpoint") === undefined };
    },
  };
}

function receiverKind(config: ReadConfig, env: Environment): ConnectionKind<ReceiverOptions> {
  return {
    argument: "receiver",
    members: named("receivers", config),
    schema: receiverSchema,
    remedy:
      'set "packetfilter:signalingUrl", "clientId" and "secretKey", name one of "packetfilter:receivers", or set PACKETFILTER_SIGNALING_URL, PACKETFILTER_CLIENT_ID and PACKETFILTER_SECRET_KEY',
    standard: () => {
      const url = config("signalingUrl") ?? env.PACKETFILTER_SIGNALING_URL;
      if (url === undefined) return undefined;
      const clientId = config("clientId") ?? env.PACKETFILTER_CLIENT_ID;
      const secretKey = config("secretKey") ?? env.PACKETFILTER_SECRET_KEY;
      const taken = (["clientId", "secretKey"] as const).flatMap((key) => (config(key) === undefined ? key : []));
      requireOwnAddress(env, {
        variables: taken.map((key) => VARIABLES[key]).filter((name) => env[name] !== undefined),
        address: url,
        namedBy: "packetfilter:signalingUrl",
        variable: "PACKETFILTER_SIGNALING_URL",
      });
      return {
        value: { url, clientId, secretKey, ...signalingAnswers(config), ...pick(receiverKeys(url), config) },
        fromEnvironment: config("signalingUrl") === undefined,
      };
    },
  };
}

/** Of the unnamed receiver: its `answers` would be those of the unnamed node. */
function signalingAnswers(config: ReadConfig): Pick<ReceiverOptions, "answers"> {
  const given = config("signalingAnswers");
  return given === undefined ? {} : { answers: parse(receiverAnswersSchema(), given, "packetfilter:signalingAnswers") };
}

/** Connections by name, read once. Only a success is kept. */
function named(key: "nodes" | "receivers", config: ReadConfig): () => JsonObject {
  let read: JsonObject | undefined;
  return () => {
    read ??= parse(membersSchema(), config(key) ?? {}, `packetfilter:${key}`);
    return read;
  };
}

function resolve<O>(argument: unknown, kind: ConnectionKind<O>): Target<O> {
  if (argument === undefined || argument === null) {
    const standard = kind.standard();
    if (!standard) throw new UnknownConnection(`No ${kind.argument} is given: ${kind.remedy}.`);
    return {
      name: undefined,
      options: parse(kind.schema(), standard.value, "packetfilter"),
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
      `${kind.argument} "${argument}" is not in "packetfilter:${kind.argument}s" (${choice}): add it with pulumi config set --path 'packetfilter:${kind.argument}s.${argument}.${kind.argument === "node" ? "endpoint" : "url"}' URL.`,
    );
  }
  return {
    name: argument,
    options: parse(kind.schema(), all[argument], `packetfilter:${kind.argument}s.${argument}`),
    fromEnvironment: false,
  };
}

/** A connection whose members do not parse is reported where it is used, and is none here. */
function knownNodes(kind: ConnectionKind<NodeOptions>): Target<NodeOptions>[] {
  const found = (argument: unknown) => attempt(() => resolve(argument, kind), ConfigError) ?? [];
  return [undefined, ...Object.keys(kind.members())].flatMap(found);
}

/** Parses a value that may be structured or one JSON string. Messages name the path and never show the value. */
function parse<T>(schema: z.ZodType<T>, value: unknown, path: string): T {
  const given = structured(value, path);
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const sentences = result.error.issues.map((issue) => {
    const at = issue.path.length > 0 ? `${path}${path === "packetfilter" ? ":" : "."}${issuePath(issue.path)}` : path;
    const isAbsent = issue.path.length > 0 && memberAt(given, issue.path) === undefined;
    return isAbsent ? `${at} is missing${remedyFor(at)}` : `${at}: ${issue.message}`;
  });
  throw new ConfigError(sentences.join("; "));
}

function memberAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
}

/** @throws {ConfigError} before anything is sent */
function requireOwnAddress(env: Environment, use: CredentialUse): void {
  if (use.variables.length === 0 && env[use.variable] === undefined) return;
  const problem = strayCredentials(env, use);
  if (problem !== undefined) throw new ConfigError(problem);
}

/** Members that may also come from the environment, in the unnamed receiver. */
const VARIABLES = { clientId: "PACKETFILTER_CLIENT_ID", secretKey: "PACKETFILTER_SECRET_KEY" } as const;

/** How a missing member is set; nothing for one of an object in the program. */
function remedyFor(at: string): string {
  if (!at.startsWith("packetfilter:")) return "";
  const isSecret = at.endsWith("secretKey");
  const variable = Object.entries(VARIABLES).find(([key]) => at === `packetfilter:${key}`)?.[1];
  // A secret that is typed behind the command stays in the shell's history; without a value the command asks for it.
  const command = `pulumi config set${variable ? "" : " --path"}${isSecret ? " --secret" : ""} '${at}'${isSecret ? "" : " VALUE"}`;
  return `: set it with ${command}${variable ? `, or with the environment variable ${variable}` : ""}`;
}

function structured(value: unknown, path: string): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    throw new ConfigError(`${path} is not JSON: set it as one JSON text, or member by member with --path.`);
  }
}

function pick(keys: readonly ConfigKey[], config: ReadConfig): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const key of keys) {
    const value = config(key);
    if (value !== undefined) values[key] = key === "tls" ? structured(value, `packetfilter:${key}`) : value;
  }
  return values;
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
  const message = `is no length from 0 to ${bits}`;
  return zod().coerce.number({ error: message }).int(message).min(0, message).max(bits, message).optional();
}

function maxEntries(value: unknown): number | undefined {
  if (value === undefined || value === "") return undefined;
  if (/^\d{1,9}$/.test(String(value))) return Number(value);
  throw new ConfigError("packetfilter:maxEntries is not a number of entries: set it to one such as 5000.");
}

/** Whether a variable names a set. */
function names(variable: string | undefined, url: string): boolean {
  return url !== "" && (variable ?? "").split(/[\s,]+/).includes(url);
}

function shareLimit(key: ConfigKey, value: unknown): ShareLimit | undefined {
  if (value === undefined || value === "") return undefined;
  const parsed = parseShareLimit(String(value).trim());
  if (parsed) return parsed;
  throw new ConfigError(
    `packetfilter:${key} is neither a number of entries nor a percentage: set it to one such as 500 or "20%".`,
  );
}

function isTrue(key: string, value: unknown): boolean {
  if (value === undefined || value === false || value === "false" || value === "0" || value === "") return false;
  if (value === true || value === "true" || value === "1") return true;
  throw new ConfigError(
    `${key} is neither true nor false: set packetfilter:${key} or its environment variable to one of them.`,
  );
}
