import { dirname } from "node:path";
import type { Command } from "commander";
import { formatUrl, type NodeClient, type PrefixSetUrl } from "../../client";
import { sentPlace } from "../../model/entry";
import type { CliIo } from "../cli-io";
import { addNodeFlags, chosenNodes, clientOf, type NodeFlags } from "../node-options";
import { collect } from "../option-values";
import { readProject, requireWritable } from "../project";
import { readFileName, readSet } from "./given";

/** What `block` and `unblock` are both told. */
export interface EditFlags extends NodeFlags {
  readonly file: string;
  readonly now: readonly string[];
  readonly force?: boolean;
}

/**
 * Adds {@link EditFlags} to a command.
 *
 * @param now How the option is written: with `[url]` it may stand alone.
 */
export function addEditFlags(command: Command, now = "--now <url>"): Command {
  return addNodeFlags(
    command
      .option("--file <file>", "prefix file that a program reads with readPrefixFile: JSON or YAML")
      .option(
        now,
        "after the file, also send and commit it to this set of each chosen node, such as prefixset://edge/blocked; again for more",
        collect,
        [],
      )
      .option("--force", "with --now: also change and remove what another writer put there"),
  );
}

/** A set of a node that is changed at once. */
export interface NowTarget {
  readonly client: NodeClient;
  readonly url: PrefixSetUrl;
  /** As the stack's configuration calls the node. */
  readonly node: string | undefined;
}

/** Where the edit is made, and by which limits. */
export type Workplace = Awaited<ReturnType<typeof workplace>>;

/**
 * Looks at everything that can be wrong before the file is touched.
 *
 * @param isSending True where nodes are changed, whatever --now says.
 * @throws {UsageError | Error}
 */
export async function workplace(flags: EditFlags, io: CliIo, isSending = flags.now.length > 0) {
  const folder = io.folder ?? process.cwd();
  const file = readFileName(flags.file, folder);
  const { stack, config, now } = flags;
  const project = await readProject({ folders: [dirname(file), folder], stack, config }, io);
  if (isSending) requireWritable(project, "--now");
  for (const sentence of project.unread) io.err(`${sentence}\n`);
  const urls = [...new Map(now.map((text) => [text, readSet(text)])).values()];
  const nodes = urls.length === 0 ? [] : await chosenNodes(flags, io, project);
  const clients = nodes.map((node) => ({ node: node.name, client: clientOf(node) }));
  return {
    /** The file as it was named, for messages. */
    name: flags.file,
    file,
    /** The project beside or above the file. */
    project,
    /** Where policies are looked for. */
    folder: project.folder ?? dirname(file),
    /** With --now: the sets to send to. */
    targets: clients.flatMap(({ node, client }) => urls.map((url): NowTarget => ({ client, url, node }))),
    /** Ends the connections. */
    close: async () => void (await Promise.all(clients.map(({ client }) => client.close()))),
  };
}

/** Where entries are sent, as a prefix file names it; nothing without --now. */
export function sentPlaces({ targets }: Workplace): string[] {
  return targets.map(({ client, url }) => sentPlace(client.endpoint, formatUrl(url)));
}
