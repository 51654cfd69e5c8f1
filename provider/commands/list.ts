import { type Command, Option } from "commander";
import {
  formatUrl,
  MARK_TYPES,
  type MarkType,
  type NodeClient,
  Prefix,
  PrefixError,
  parseUrl,
  type ResourceUrl,
} from "../client";
import { messageOf } from "../model/errors";
import { inParallel } from "../model/parallel";
import { type CliIo, progress, UsageError } from "./cli-io";
import { type Listing, listEntries, listMarks, listProfiles, listRules, together } from "./listing/listing";
import { OUTPUTS, type Output, printed } from "./listing/output";
import { AT_ONCE, addNodeFlags, type ChosenNode, chosenNodes, clientOf, type NodeFlags } from "./node-options";
import { wrongUse } from "./wrong-use";

interface Flags extends NodeFlags {
  readonly type?: MarkType;
  readonly contains?: string;
  readonly output: Output;
}

const HELP = `
Resources:
  prefixset://ARENA/SET            entries of a set; prefixset://ARENA/PROFILE/SET: of a local one
  arena://ARENA                    profiles of an arena
  profile://ARENA/PROFILE          rules of a profile
  mark://ARENA/PROFILE             marks of a profile, of one --type

In CSV a text that a spreadsheet would take for a formula begins with an apostrophe.

Examples:
  pulumi-packetfilter list prefixset://edge/blocked --endpoint https://192.0.2.10
  pulumi-packetfilter list prefixset://edge/blocked --contains 203.0.113.7 --all-nodes
  pulumi-packetfilter list mark://edge/web --type shost --output csv
`;

/** Adds `list` to the command line. */
export function register(program: Command, io: CliIo): void {
  const command = program
    .command("list")
    .description("show what a node holds: a set, the profiles of an arena, the rules or the marks of a profile")
    .argument("<url>", "what to list, see below")
    .addOption(new Option("--type <type>", "table of marks").choices(MARK_TYPES))
    .option("--contains <ip>", "of a set: every entry that covers this address or prefix, the longest first")
    .addOption(new Option("--output <form>", "form of the list").choices(OUTPUTS).default("table"));
  addNodeFlags(command, { listsMarks: true })
    .addHelpText("after", HELP)
    .action((url: string, flags: Flags) => run(url, flags, io));
}

async function run(text: string, flags: Flags, io: CliIo): Promise<void> {
  const url = wrongUse(TypeError, () => parseUrl(text));
  const { type } = flags;
  const covered = flags.contains === undefined ? undefined : readAddress(flags.contains);
  if (covered && url.kind !== "prefixset")
    throw new UsageError("--contains looks into a set: name one, such as prefixset://edge/blocked.");
  if (url.kind === "mark" && type === undefined)
    throw new UsageError(`Say which table of marks: --type ${MARK_TYPES.join(", ")}.`);
  if (url.kind !== "mark" && type !== undefined)
    throw new UsageError("--type is a table of marks: it belongs to mark://ARENA/PROFILE.");
  const nodes = await chosenNodes(flags, io);
  const what = { type, covered, signal: io.stop };
  const answers = await inParallel(nodes, AT_ONCE, (node) => asked(node, url, what, io));
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

/** What a node answered, under the name that tells it from the others. */
interface Answer {
  readonly node: string;
  readonly listing: Listing;
  readonly failure?: unknown;
}

async function asked(node: ChosenNode, url: ResourceUrl, what: What, io: CliIo): Promise<Answer> {
  const client = clientOf(node);
  const name = node.name ?? client.endpoint;
  try {
    progress(io, `listing ${formatUrl(url)} on ${client.endpoint}`);
    return { node: name, listing: await listed(client, url, what) };
  } catch (failure) {
    return { node: name, listing: { columns: [], rows: [], summary: "failed." }, failure };
  } finally {
    await client.close();
  }
}

interface What {
  readonly type: MarkType | undefined;
  readonly covered: Prefix | undefined;
  readonly signal: AbortSignal;
}

async function listed(client: NodeClient, url: ResourceUrl, { type, covered, signal }: What): Promise<Listing> {
  const options = { signal };
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

function readAddress(text: string): Prefix {
  try {
    return Prefix.parse(text);
  } catch (error) {
    throw error instanceof PrefixError ? new UsageError(`--contains: ${error.message}`) : error;
  }
}
