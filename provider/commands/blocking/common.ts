import { dirname } from "node:path";
import { type Command, Option } from "commander";
import { formatUrl, type NodeClient, type PrefixSetUrl } from "../../client";
import { sentPlace } from "../../model/entry";
import type { LockedFile } from "../../prefixes/edit/edit-file";
import { type CliIo, progress } from "../cli-io";
import { addNodeFlags, type NodeFlags, nodeClient } from "../node-options";
import { type Project, readProject, requireWritable } from "../project";
import { readFileName, readSet } from "./given";
import { sendNow, type Wanted } from "./now";

/** What `block` and `unblock` are both told. */
export interface EditFlags extends NodeFlags {
  readonly file: string;
  readonly now?: string;
  readonly stack?: string;
  readonly force?: boolean;
}

/** Adds {@link EditFlags} to a command. */
export function addEditFlags(command: Command): Command {
  return addNodeFlags(
    command
      .addOption(
        new Option(
          "--file <file>",
          "prefix file that a program reads with readPrefixFile: JSON or YAML",
        ).makeOptionMandatory(),
      )
      .option(
        "--now <url>",
        "after the file, also send and commit it to this set of the node, such as prefixset://edge/blocked",
      )
      .option("--force", "with --now: also change and remove what another writer put there")
      .option(
        "--stack <name>",
        "stack whose settings hold (Pulumi.<name>.yaml beside or above the file); default: PULUMI_STACK, else the only one",
      ),
  );
}

/** Where the edit is made, and by which limits. */
export interface Workplace {
  /** The file as it was named, for messages. */
  readonly name: string;
  readonly file: string;
  /** The project beside or above the file. */
  readonly project: Project;
  /** Where policies are looked for. */
  readonly folder: string;
  /** With --now: the set to send to. */
  readonly now?: { readonly client: NodeClient; readonly url: PrefixSetUrl };
}

/** Looks at everything that can be wrong before the file is touched. @throws {UsageError | Error} */
export async function workplace(flags: EditFlags, io: CliIo): Promise<Workplace> {
  const folder = io.folder ?? process.cwd();
  const file = readFileName(flags.file, folder);
  const project = await readProject({ folders: [dirname(file), folder], stack: flags.stack }, io);
  if (flags.now !== undefined) requireWritable(project, "--now");
  for (const sentence of project.unread) io.err(`${sentence}\n`);
  const url = flags.now === undefined ? undefined : readSet(flags.now);
  const now = url && { now: { client: await nodeClient(flags, io), url } };
  return { name: flags.file, file, project, folder: project.folder ?? dirname(file), ...now };
}

/** Where entries are sent, as a prefix file names it; nothing without --now. */
export function sentPlaces({ now }: Workplace): string[] {
  return now ? [sentPlace(now.client.endpoint, formatUrl(now.url))] : [];
}

/**
 * With --now: sends what was written, and says so.
 *
 * @returns sentences about what is not as the command says
 * @throws {Error} with node and remedy; the file stays
 */
export async function send(
  { now, project }: Workplace,
  file: LockedFile,
  wanted: Wanted,
  io: CliIo,
): Promise<readonly string[]> {
  if (!now) return [];
  const { client, url } = now;
  try {
    progress(io, `sending to ${client.endpoint}`);
    const { done, problems } = await sendNow({ client, url, project, file }, wanted, io);
    io.out(`${done}\n`);
    return problems;
  } finally {
    await client.close();
  }
}
