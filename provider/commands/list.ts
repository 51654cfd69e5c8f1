import { type Command, Option } from "commander";
import {
  formatUrl,
  MARK_TYPES,
  type MarkType,
  type NodeClient,
  type Prefix,
  parseUrl,
  type ResourceUrl,
} from "../client";
import { messageOf } from "../model/errors";
import { COMMAND_MS } from "./blocking/deadline";
import { readPrefixOption } from "./blocking/given";
import { type CliIo, UsageError, waiting } from "./cli-io";
import { covering } from "./listing/covering";
import { type Listing, listEntries, listMarks, listProfiles, listRules, together } from "./listing/listing";
import { OUTPUTS, type Output, printed } from "./listing/output";
import { stackSets } from "./listing/stack-sets";
import { addNodeFlags, atNodes, chosenNodes, type NodeFlags } from "./node-options";
import { requireOwner, wrongUse } from "./option-values";
import { readProject } from "./project";

interface Flags extends NodeFlags {
  readonly type?: MarkType;
  readonly contains?: string;
  readonly state?: string;
  readonly output: Output;
}

const HELP = `
Resources:
  prefixset://ARENA/SET            entries of a global set; prefixset://ARENA/PROFILE/SET: of a local one
  arena://ARENA                    profiles of an arena
  profile://ARENA/PROFILE          rules of a profile
  mark://ARENA/PROFILE             marks of a profile, of one --type

Without a resource, --contains searches every set of the stack, as "pulumi stack export" or --state names them.
In CSV, an apostrophe precedes a text that a spreadsheet would read as a formula.

Examples:
  pulumi-packetfilter list prefixset://edge/blocked --endpoint https://192.0.2.10
  pulumi-packetfilter list prefixset://edge/blocked --contains 203.0.113.7 --all-nodes
  pulumi-packetfilter list --contains 203.0.113.7 --stack prod
  pulumi-packetfilter list mark://edge/web --type shost --output csv
`;

/** Time for one of several nodes, as for `block`: a silent one does not delay the others for long. */
const SEVERAL = `${COMMAND_MS / 1_000}s`;

export function register(program: Command, io: CliIo): void {
  const command = program
    .command("list")
    .argument("[url...]", "a resource, see below; with --contains sets, by default all of the stack")
    .addOption(new Option("--type <type>", "table of marks").choices(MARK_TYPES))
    .option("--contains <ip>", "for sets: every entry that covers this address or prefix, the longest first")
    .option(
      "--state <file>",
      'output of "pulumi stack export", which names the sets of the stack; default: the command runs it',
    )
    .addOption(new Option("--output <form>", "form of the list").choices(OUTPUTS).default("table"));
  addNodeFlags(command, {
    listsMarks: true,
    timeout: `time for a list with all its repeats, such as 20s; default: 60s, for several nodes ${SEVERAL}`,
  })
    .addHelpText("after", HELP)
    .action((urls: string[], flags: Flags) => run(urls, flags, command, io));
}

async function run(texts: readonly string[], flags: Flags, command: Command, io: CliIo): Promise<void> {
  requireOwner(command, ["--state"], "--contains", flags.contains);
  const given = texts.map((text) => wrongUse(TypeError, () => parseUrl(text)));
  const [url, ...more] = new Map(given.map((one) => [formatUrl(one), one])).values();
  const { type } = flags;
  const covered = flags.contains === undefined ? undefined : readPrefixOption("--contains", flags.contains);
  if (url?.kind === "mark" && type === undefined)
    throw new UsageError(`Name the table of marks: --type ${MARK_TYPES.join(", ")}.`);
  if (url?.kind !== "mark" && type !== undefined)
    throw new UsageError("--type is a table of marks: it belongs to mark://ARENA/PROFILE.");
  if (covered && (!url || more.length > 0 || flags.state !== undefined))
    return search(covered, url ? [url, ...more] : undefined, flags, io);
  if (!url || more.length > 0)
    throw new UsageError("Name one resource, such as prefixset://edge/blocked; with --contains, several sets.");
  if (covered && url.kind !== "prefixset") throw noSet();
  const nodes = await chosenNodes(inTime(flags), io);
  const what = { type, covered, signal: io.stop };
  const answers = await atNodes(nodes, (client, name) => asked(client, name, url, what, io));
  const only = answers.length === 1 ? answers[0] : undefined;
  if (only) {
    if (only.failure !== undefined) throw only.failure;
    io.out(printed(only.listing, flags.output));
    return;
  }
  io.out(printed(together(answers), flags.output));
  const failed = answers.flatMap(({ node, failure }) =>
    failure === undefined ? [] : [`${node}: ${messageOf(failure)}`],
  );
  if (failed.length > 0) throw new Error(failed.join("\n"));
}

function inTime(flags: Flags, hasNodes = false): Flags {
  const { endpoint, node, allNodes = false, isWhole = false, timeout } = flags;
  const isOfSeveral = allNodes || (isWhole && hasNodes) || endpoint.length + node.length > 1;
  return timeout === undefined && isOfSeveral ? { ...flags, timeout: SEVERAL } : flags;
}

function noSet(): UsageError {
  return new UsageError("--contains looks into a set: name one, such as prefixset://edge/blocked.");
}

/** Finds the entries that cover an address, in the named sets or those of the stack, at the chosen nodes or all of the stack. */
async function search(
  covered: Prefix,
  named: readonly ResourceUrl[] | undefined,
  flags: Flags,
  io: CliIo,
): Promise<void> {
  const urls = named?.map((url) => {
    if (url.kind !== "prefixset") throw noSet();
    return url;
  });
  const { stack, config, state, endpoint, node } = flags;
  const isOptional = urls !== undefined || state !== undefined;
  const project = await readProject({ stack, config, isOptional }, io);
  const isWhole = endpoint.length === 0 && node.length === 0 && urls === undefined;
  const nodes = await chosenNodes(inTime({ ...flags, isWhole }, project.nodes.length > 0), io, project);
  const sets = urls === undefined || state !== undefined ? await stackSets(project, state, io, covered) : NO_SETS;
  const { listing, failed } = await covering({ covered, nodes, urls, ...sets, isWhole }, io);
  io.out(printed(listing, flags.output));
  if (failed.length > 0) throw new Error(failed.join("\n"));
}

const NO_SETS = { known: [], unreadable: [] };

async function asked(client: NodeClient, node = client.endpoint, url: ResourceUrl, what: What, io: CliIo) {
  try {
    const text = `listing ${formatUrl(url)} on ${client.endpoint}`;
    return { node, listing: await waiting(io, text, () => listed(client, url, what)), failure: undefined };
  } catch (failure) {
    return { node, listing: { columns: [], rows: [], summary: "failed." }, failure };
  }
}

interface What {
  readonly type: MarkType | undefined;
  readonly covered: Prefix | undefined;
  readonly signal: AbortSignal;
}

async function listed(client: NodeClient, url: ResourceUrl, { type, covered, ...options }: What): Promise<Listing> {
  switch (url.kind) {
    case "prefixset":
      return listEntries(await client.listPrefixSet(url, options), covered);
    case "arena":
      return listProfiles(await client.listProfiles(url.arena, options));
    case "profile":
      return listRules(await client.listRules(url.arena, url.profile, options));
    case "mark":
      return listMarks(await client.listMarks(url.arena, url.profile, type ?? "shost", options));
  }
}
