import { isDeepStrictEqual } from "node:util";
import type { Command } from "commander";
import { z } from "zod";
import { DEFAULTS, NodeClient, type NodeOptions, OptionsError } from "../client";
import { refusedModule, withReaderIn } from "../client/allowed-code";
import { parseNodeEndpoint } from "../client/endpoint";
import { given, nodeSchema, parseOptions } from "../client/options";
import { jsonIn } from "../model/readable";
import { type CredentialUse, type Environment, strayCredentials } from "../settings/environment-credentials";
import { ConfigError } from "../settings/settings";
import { type CliIo, UsageError } from "./cli-io";
import { textOf } from "./failure";
import { collect, collectNames, wholeNumber, wrongUse } from "./option-values";
import { inParallel } from "./parallel";
import { addStackFlags, type Project, readProject, type StackFlags } from "./project";
import { readSettingsFile } from "./settings-file";
import { readTimeout } from "./time-spans";

export interface NodeFlags extends StackFlags {
  readonly endpoint: readonly string[];
  readonly node: readonly string[];
  readonly allNodes?: boolean;
  /** True: if no node is named, all of the stack: the named ones, and the unnamed one if the files have it. */
  readonly isWhole?: boolean;
  readonly header: readonly string[];
  readonly headerFile?: string;
  readonly userArena?: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly settings?: string;
  readonly timeout?: string;
  readonly markPauseMs?: number;
  readonly markPace?: string;
}

/** Options that concern nodes alone: they have no effect for a command that asks none. `--timeout` has one for some. */
export const OF_NODES = [
  ...["--endpoint", "--node", "--all-nodes", "--header", "--header-file", "--ca", "--cert", "--key"],
  ...["--user-arena", "--mark-pause-ms", "--mark-pace"],
];

export interface ChosenNode {
  /** Name in the stack's configuration. */
  readonly name: string | undefined;
  readonly options: NodeOptions;
}

/** Adds {@link NodeFlags} to a command. `listsMarks`: with those for tables of marks; `timeout`: help text of that option. */
export function addNodeFlags(
  command: Command,
  {
    listsMarks = false,
    severalStacks = false,
    timeout = "time for one request with all its repeats, such as 20s; default: 60s",
  } = {},
): Command {
  command
    .optionsGroup("Nodes and connections:")
    .option(
      "--endpoint <url>",
      "base url of a node; may be repeated; default: that of the stack, else PACKETFILTER_ENDPOINT",
      collect,
      [],
    )
    .option(
      "--node <name>",
      "name in packetfilter:nodes of the stack; may be repeated, or with commas",
      collectNames,
      [],
    )
    .option("--all-nodes", "all nodes in packetfilter:nodes of the stack");
  addStackFlags(command, severalStacks)
    .option("--header <header>", 'request header "Name: value"; also PACKETFILTER_HEADERS', collect, [])
    .option("--header-file <file>", "request headers, one a line; unlike --header, no list of processes shows them")
    .option("--ca <file>", "certificates to trust, PEM")
    .option("--cert <file>", "client certificate, PEM")
    .option("--key <file>", "key of the client certificate, PEM")
    .option(
      "--settings <file>",
      "further members of the node as JSON (answers, commitDelayMs, …), as probe --out writes them",
    );
  command.option("--timeout <span>", timeout);
  if (!listsMarks) return command.optionsGroup("");
  return command
    .option("--user-arena <name>", "value of the header User-Arena; default: the arena")
    .option("--mark-pause-ms <ms>", "pause between two lists of marks; default: 3000", wholeNumber("--mark-pause-ms"))
    .option("--mark-pace <table|node|off>", "keep that pause for each table, for the whole node, or not at all")
    .optionsGroup("");
}

/**
 * The nodes that flags, stack, settings file and environment name, checked; those of one address and the same options once.
 *
 * @param project Default: it is read if it can matter.
 * @throws {UsageError} if they name no node, or cannot be read
 */
export async function chosenNodes(flags: NodeFlags, io: CliIo, project?: Project): Promise<ChosenNode[]> {
  const { endpoint, node, allNodes = false } = flags;
  const ofStack = endpoint.length === 0 || node.length > 0 || allNodes;
  const stack = project ?? (ofStack ? await projectOf(flags, io) : undefined);
  const members = await givenMembers(flags, io);
  const isWhole = flags.isWhole === true && endpoint.length === 0 && node.length === 0;
  const names = new Set([...node, ...(allNodes ? allNames(stack) : isWhole ? (stack?.nodes ?? []) : [])]);
  const named = [...names].map((name) => ofStackNode(name, stack as Project, members));
  const unnamed = isWhole && stack?.unnamed("node").isConfigured ? [standardNode(flags, stack, members, io)] : [];
  const chosen = [...named, ...unnamed, ...endpoint.map((address) => ofAddress(address, "--endpoint", members, io))];
  const nodes = chosen.length > 0 ? chosen : [standardNode(flags, stack as Project, members, io)];
  const all = nodes.map(({ name, options }) => ({ name, options: complete(options, members) }));
  const places = all.map(({ options }) => ({ ...options, endpoint: parseNodeEndpoint(options.endpoint) }));
  return all.filter((_, index) => places.findIndex((place) => isDeepStrictEqual(place, places[index])) === index);
}

/** The node of a command that takes one. @throws {UsageError} as {@link chosenNodes}, and if there are several */
export async function nodeOptions(flags: NodeFlags, io: CliIo): Promise<NodeOptions> {
  const [first, ...more] = await chosenNodes(flags, io);
  if (first && more.length === 0) return first.options;
  throw new UsageError(`This command takes one node, and ${more.length + 1} are named: keep one of them.`);
}

/** A client of a node; `stop` ends its requests. @throws {UsageError} */
export function clientOf({ name, options }: ChosenNode, stop?: AbortSignal): NodeClient {
  return wrongUse(OptionsError, () => new NodeClient(options, stop && { stop }, name));
}

/** Works with a client for each node, many at the same time, and closes it. */
export function atNodes<T>(
  nodes: readonly ChosenNode[],
  work: (client: NodeClient, name: string | undefined) => Promise<T>,
): Promise<T[]> {
  return inParallel(nodes, (node) => {
    const client = clientOf(node);
    return work(client, node.name).finally(() => client.close());
  });
}

function projectOf(flags: NodeFlags, io: CliIo): Promise<Project> {
  const isSaid = flags.node.length > 0 || flags.allNodes === true;
  const isOptional = !isSaid && io.env.PACKETFILTER_ENDPOINT !== undefined;
  const { stack, config } = flags;
  return readProject({ stack, config, isOptional }, io);
}

function allNames(stack: Project | undefined): readonly string[] {
  if (stack && stack.nodes.length > 0) return stack.nodes;
  const place =
    stack?.stack === undefined ? "There is no stack here" : `The stack ${stack.stack} has no packetfilter:nodes`;
  throw new UsageError(`--all-nodes: ${place}. Name nodes with --endpoint URL, or a stack with --stack.`);
}

function ofStackNode(name: string | undefined, stack: Project, { file }: Members): ChosenNode {
  const hidden = stack.hiddenIn("node", name);
  if (hidden !== undefined) throw new UsageError(hidden);
  const { options } = wrongUse(ConfigError, () => stack.settings.node(name));
  return { name, options: { ...options, headers: { ...options.headers, ...file.headers } } };
}

/** A node by its address, with the credentials of the environment if they belong to it. */
function ofAddress(endpoint: string, namedBy: string, { file }: Members, { env }: CliIo): ChosenNode {
  requireOwnAddress(env, {
    variables: env.PACKETFILTER_HEADERS ? ["PACKETFILTER_HEADERS"] : [],
    address: endpoint,
    namedBy,
    variable: "PACKETFILTER_ENDPOINT",
  });
  const headers = { ...file.headers, ...headersOf(env.PACKETFILTER_HEADERS) };
  return { name: undefined, options: { endpoint, headers } };
}

/** The default node: the unnamed one of the stack, that of the environment or of --settings, or the only one of the stack. */
function standardNode(flags: NodeFlags, stack: Project, members: Members, io: CliIo): ChosenNode {
  const { env } = io;
  const { address, isConfigured } = stack.unnamed("node");
  // If the environment names the same node, it supplies the secrets of the stack.
  const isHidden = (stack.hidden("headers") ?? stack.hidden("node.headers")) !== undefined;
  const isOfEnvironment = isHidden && address === env.PACKETFILTER_ENDPOINT;
  if (isConfigured && !isOfEnvironment) return ofStackNode(undefined, stack, members);
  const endpoint = env.PACKETFILTER_ENDPOINT || members.file.endpoint;
  if (endpoint) return ofAddress(endpoint, `--settings ${flags.settings}`, members, io);
  const [only, ...others] = stack.nodes;
  if (only !== undefined && others.length === 0) return ofStackNode(only, stack, members);
  const hidden = stack.hidden("nodes") ?? stack.hidden("endpoint") ?? stack.hidden("node");
  if (hidden !== undefined) throw new UsageError(hidden);
  const choice =
    only === undefined
      ? ""
      : ` The stack ${stack.stack} knows ${stack.nodes.join(", ")}: --node ${only}, or --all-nodes.`;
  throw new UsageError(`Name the node: --endpoint URL, or PACKETFILTER_ENDPOINT.${choice}`);
}

/** @throws {UsageError} if credentials of the environment would go to another address than theirs */
export function requireOwnAddress(env: Environment, use: CredentialUse): void {
  const problem = strayCredentials(env, use);
  if (problem !== undefined) throw new UsageError(problem);
}

/** Members of a node from the settings file and from options; `folder` is that of the file. */
type Members = Awaited<ReturnType<typeof givenMembers>>;

async function givenMembers(flags: NodeFlags, io: CliIo) {
  if (flags.header.some((text) => SECRET_NAME.test(headerOf(text)[0])))
    io.err(
      "--header: every user of this machine can read the arguments of a process. --header-file keeps a secret from them.\n",
    );
  const { userArena, markPauseMs, markPace } = flags;
  const [ca, cert, key] = await Promise.all([flags.ca, flags.cert, flags.key].map((file) => file && textOf(file, io)));
  const tls = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  const options = {
    headers: Object.fromEntries([...(await headersOfFile(flags.headerFile, io)), ...flags.header.map(headerOf)]),
    ...(flags.timeout !== undefined && within(readTimeout(flags.timeout))),
    ...(Object.keys(tls).length > 0 && { tls }),
    ...given({ userArena, markPauseMs, markPace }),
  };
  const { node, folder } = await readSettingsFile(flags.settings, io);
  return { file: node, folder, options };
}

/** Limits one try to the time of all. */
function within(deadlineMs: number) {
  return { deadlineMs, timeoutMs: Math.min(deadlineMs, DEFAULTS.timeoutMs) };
}

/** @throws {UsageError} if the file has credentials of another node */
function complete(node: NodeOptions, { file, folder, options }: Members): NodeOptions {
  const { endpoint = node.endpoint, headers = {}, ...members } = file;
  const placeOf = (at: string) => wrongUse(OptionsError, () => parseNodeEndpoint(at));
  const [own, chosen] = [placeOf(endpoint), placeOf(node.endpoint)];
  const isSecret = Object.keys(headers).length > 0 || "tls" in members || own.secrets.length > 0;
  if (isSecret && own.shown !== chosen.shown)
    throw new UsageError(
      `--settings has credentials of ${own.shown}, and the chosen node is ${chosen.shown}: choose that one, or another file.`,
    );
  const all = { ...node, ...members, ...options, headers: { ...node.headers, ...options.headers } };
  const checked = wrongUse(OptionsError, () => parseOptions(nodeSchema(), all, "node"));
  return file.answers === undefined ? checked : withAllowedReader(folder, checked);
}

/** @throws {UsageError} for a module of `answers.read` that the operator did not allow */
function withAllowedReader(folder: string, checked: NodeOptions): NodeOptions {
  const options = withReaderIn(folder, checked);
  const { read } = options.answers ?? {};
  const refused = read === undefined ? undefined : refusedModule(read);
  if (refused !== undefined) throw new UsageError(`--settings: ${refused}.`);
  return options;
}

function headersOf(text: string | undefined): Record<string, string> {
  if (!text) return {};
  const headers = z.record(z.string(), z.string()).safeParse(jsonIn(text));
  if (headers.success) return headers.data;
  throw new UsageError("PACKETFILTER_HEADERS must be a JSON object of texts.");
}

/** Names of headers that carry credentials. */
const SECRET_NAME = /auth|cookie|key|token|secret|password/i;

/** Reads headers, one a line; empty lines and those with "#" in front are ignored. */
async function headersOfFile(file: string | undefined, io: CliIo) {
  if (file === undefined) return [];
  const lines = (await textOf(file, io)).split(/\r?\n/).map((line) => line.trim());
  return lines.filter((line) => line !== "" && !line.startsWith("#")).map(headerOf);
}

function headerOf(text: string): [name: string, value: string] {
  const colon = text.indexOf(":");
  if (colon <= 0) throw new UsageError('A header of --header or --header-file is written "Name: value".');
  return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
}
