import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { type Command, Option } from "commander";
import { formatUrl, type NodeClient, type PrefixSetUrl, parseUrl } from "../client";
import { importFiles } from "../import/import";
import { resourceNames } from "../import/names";
import { importCommand } from "../import/program";
import { type Holdings, heldSet } from "../import/source";
import { writeNew } from "../import/write-new";
import { count } from "../model/text";
import { shellWord } from "./blocking/command-line";
import { requireGiven } from "./blocking/given";
import { type CliIo, UsageError, waiting } from "./cli-io";
import { addNodeFlags, atNodes, chosenNodes, type NodeFlags, OF_NODES } from "./node-options";
import { collect, requireOwner, wrongUse } from "./option-values";
import { readProject } from "./project";
import { addReceiverFlags, OF_RECEIVERS, type ReceiverFlags, signalingClient } from "./receiver-options";

interface Flags extends NodeFlags, ReceiverFlags {
  readonly signaling?: boolean;
  readonly as: "set" | "entries" | "group";
  readonly name: readonly string[];
  readonly unprotected?: boolean;
  readonly native?: boolean;
  readonly out: string;
}

const HELP = `
The node is not changed. The folder gets import.json, index.ts, and a prefix file for each set with more than fifty entries;
existing files are not overwritten. Resources are named after the url: edge-blocked for prefixset://edge/blocked. If the stack
has several nodes, the node follows (edge-blocked-fra1), so that further imports fit into the same stack.
"pulumi import" protects the imported resources from a destroy, and so does the program (protect: true). With --unprotected the
program does not; then use "pulumi import --protect=false".
With --native the folder gets only import.json: "pulumi import" prints the program in the language of the stack.

Examples:
  pulumi-packetfilter import prefixset://edge/blocked --endpoint https://192.0.2.10 --out imported
  pulumi-packetfilter import prefixset://edge/web/blocked --as entries --node fra1 --out imported
  pulumi-packetfilter import prefixset://edge/blocked --all-nodes --stack prod --out imported
  pulumi-packetfilter import prefixset://edge/a prefixset://core/a --signaling --name prefixset://core/a=main --out imported
`;

export function register(program: Command, io: CliIo): void {
  const command = program
    .command("import")
    .argument("[url...]", "prefix-sets, such as prefixset://edge/blocked")
    .option("--out <folder>", "folder of the files; created if it is missing")
    .addOption(
      new Option(
        "--as <form>",
        "a PrefixSet for each set, a PrefixSetEntry for each entry, or a PrefixSetGroup for equal sets of several nodes",
      )
        .choices(["set", "entries", "group"])
        .default("set"),
    )
    .option("--signaling", "also the active prefixes of the receiver, as one CloudSignaling")
    .option("--name <url=name>", "name of the resource of a set, or signaling=NAME", collect, [])
    .option("--unprotected", 'a program without protect: true, for "pulumi import --protect=false"')
    .option("--native", "resources of the plugin, for a program in any language");
  addReceiverFlags(addNodeFlags(command))
    .addHelpText("after", HELP)
    .action((urls: string[], flags: Flags) => run(urls, flags, command, io));
}

async function run(texts: readonly string[], flags: Flags, command: Command, io: CliIo): Promise<void> {
  const isSignaling = flags.signaling === true;
  const nothing = texts.length === 0 && !isSignaling ? "Name at least one set, or give --signaling." : undefined;
  requireGiven([["--out <folder>", flags.out]], nothing);
  requireOwner(command, OF_RECEIVERS, "--signaling", isSignaling);
  requireOwner(command, [...OF_NODES, "--timeout"], "a set", texts.length > 0);
  const urls = wrongUse(TypeError, () => setUrls(texts));
  const names = wrongUse(TypeError, () => resourceNames(urls, chosenNames(flags.name), isSignaling));
  const folder = resolve(io.folder ?? process.cwd(), flags.out);
  refuseExisting(folder, flags.native);
  const holdings = await read(urls, flags, io);
  const { as, receiver } = flags;
  const isProtected = flags.unprotected !== true;
  const isNative = flags.native === true;
  const options = { names, as, isProtected, isNative, ...(receiver !== undefined && { receiver }) };
  const made = wrongUse(TypeError, () => importFiles(holdings, options));
  const empty = as === "entries" ? emptySets(holdings) : undefined;
  if (made.resources === 0) throw new Error(`${empty} Without --as entries the set itself is imported.`);
  if (empty !== undefined) io.err(`${empty}\n`);
  await writeNew(folder, made.files);
  io.out(report(made, flags, holdings));
}

/** Lists all sets at once; the client limits the requests at each node. */
async function read(urls: readonly PrefixSetUrl[], flags: Flags, io: CliIo): Promise<Holdings> {
  const options = { signal: io.stop };
  const { chosen, argument, isNamed } = await connections(flags, io);
  const nodes = urls.length > 0 ? await chosenNodes(chosen, io) : [];
  if (nodes.length > 1 && nodes.some(({ name }) => name === undefined))
    throw new UsageError(
      "With several nodes each needs a name in the program: give them as --node NAME, or --all-nodes.",
    );
  const signaling = flags.signaling ? await signalingClient(chosen, io) : undefined;
  try {
    const ofNode = async (client: NodeClient, name = argument) => {
      const at = { endpoint: client.endpoint, ...(name !== undefined && { node: name }) };
      const sets = urls.map(async (url) => {
        const text = `listing ${formatUrl(url)} on ${client.endpoint}`;
        return heldSet(url, at, (await waiting(io, text, () => client.set(url).observe(options))).values);
      });
      return Promise.all(sets);
    };
    const active = (async () => signaling?.status(options))();
    const [held, prefixes] = await Promise.all([atNodes(nodes, ofNode), active]);
    if (prefixes?.length === 0 && held.length === 0) throw new Error(nothingActive(signaling?.endpoint));
    if (prefixes?.length === 0) io.err(`${nothingActive(signaling?.endpoint)}\n`);
    return {
      sets: held.flat(),
      isOfSeveral: isNamed || nodes.length > 1,
      ...(signaling && prefixes && prefixes.length > 0 && { signaling: { endpoint: signaling.endpoint, prefixes } }),
    };
  } finally {
    await signaling?.close();
  }
}

/**
 * Names of the connections. A name beside an address that the stack does not know is used only in the program: the stack may
 * not exist yet.
 */
async function connections(flags: Flags, io: CliIo) {
  const { env } = io;
  const { endpoint, node, receiver, stack, config, allNodes } = flags;
  const hasNode = endpoint.length > 0 || Boolean(env.PACKETFILTER_ENDPOINT);
  const hasReceiver = Boolean(flags.signalingUrl ?? env.PACKETFILTER_SIGNALING_URL);
  if (node.length === 0 && receiver === undefined && !allNodes)
    return { chosen: flags, argument: undefined, isNamed: false };
  const project = await readProject({ stack, config, isOptional: hasNode || hasReceiver }, io);
  const [name, ...more] = node;
  const isKnown = node.every((one) => project.nodes.includes(one));
  const isProgramsAlone = more.length === 0 && name !== undefined && (endpoint.length > 0 || (hasNode && !isKnown));
  const { receiver: _, ...others } = flags;
  const isReceiverKnown = receiver !== undefined && (!hasReceiver || project.receivers.includes(receiver));
  return {
    chosen: { ...others, ...(isReceiverKnown && { receiver }), node: isProgramsAlone ? [] : node },
    /** The argument `node` of the program, if it is not a name of the stack. */
    argument: isProgramsAlone ? name : undefined,
    /** True if names of resources carry the node: another import may bring the same set of another node. */
    isNamed: node.length > 0 && isKnown && project.nodes.length > 1,
  };
}

function nothingActive(endpoint: string | undefined): string {
  return `Nothing is active at ${endpoint}: there is no signaling to import.`;
}

/** A sentence about the sets that have no entries to import. */
function emptySets({ sets }: Holdings): string | undefined {
  const empty = sets.filter(({ entries }) => entries.size === 0);
  if (empty.length === 0) return undefined;
  return `There are no entries to import in ${empty.map(({ url, endpoint, node }) => `${formatUrl(url)} on ${node ?? endpoint}`).join(", ")}.`;
}

function report(
  { files, resources }: ReturnType<typeof importFiles>,
  flags: Flags,
  { sets, signaling }: Holdings,
): string {
  const lines = [
    `Wrote ${[...files.keys()].map((name) => join(flags.out, name)).join(", ")}: ${count(resources, "resource")}.`,
    "",
    flags.native
      ? "Next; the first command prints the program:"
      : "Next, with index.ts as the program of your stack (a prefix file stays beside it):",
    `  ${importCommand(shellWord(relative(".", join(flags.out, "import.json"))), flags.unprotected !== true, !flags.native)}`,
    "  pulumi preview --refresh --expect-no-changes",
    "",
    flags.unprotected
      ? "Nothing is protected: a destroy removes everything."
      : "Everything is protected (protect: true): a destroy refuses it until the program removes that option. --unprotected writes a program without it.",
  ];
  if (sets.some(({ node }) => node === undefined))
    lines.push("The program takes its node from packetfilter:endpoint of the stack, or from PACKETFILTER_ENDPOINT.");
  if (signaling) lines.push("The signalings were active before: a destroy of their resource leaves them active.");
  return `${lines.join("\n")}\n`;
}

/** Checks before the first request; `writeNew` refuses files that appear meanwhile. */
function refuseExisting(folder: string, isNative = false): void {
  const names = ["import.json", ...(isNative ? [] : ["index.ts"])];
  const found = names.map((name) => join(folder, name)).find((file) => existsSync(file));
  if (found === undefined) return;
  throw new Error(`${found} exists, and is not overwritten: name another folder with --out, or move the file away.`);
}

function setUrls(texts: readonly string[]): PrefixSetUrl[] {
  const urls = new Map<string, PrefixSetUrl>();
  for (const text of texts) {
    const url = parseUrl(text);
    if (url.kind !== "prefixset")
      throw new TypeError(`${text} is not a set: name one such as prefixset://edge/blocked.`);
    urls.set(formatUrl(url), url);
  }
  return [...urls.values()];
}

function chosenNames(pairs: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const pair of pairs) {
    const at = pair.indexOf("=", 1);
    const [subject, name] = [pair.slice(0, at), pair.slice(at + 1)];
    if (at < 0 || name === "") throw new TypeError(`--name is written URL=NAME, not ${JSON.stringify(pair)}.`);
    if (names.has(subject)) throw new TypeError(`--name names ${subject} twice: give it one name.`);
    names.set(subject, name);
  }
  return names;
}
