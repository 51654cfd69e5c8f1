import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { type Command, Option } from "commander";
import { formatUrl, type NodeClient, type PrefixSetUrl } from "../../client";
import { sharedFolder } from "../../deployment/other-processes";
import type { SentNotes } from "../../deployment/sent-before";
import { SentFiles } from "../../deployment/sent-files";
import { sentPlace } from "../../model/entry";
import { likelyMeant } from "../../model/nearest";
import { prefixFileEditor } from "../../prefixes/edit/edit-file";
import { type CliIo, UsageError } from "../cli-io";
import { addNodeFlags, chosenNodes, clientOf, type NodeFlags } from "../node-options";
import { collect } from "../option-values";
import { type Project, readProject, requireWritable, stackNames } from "../project";
import { pulumiHome } from "../stack-files";
import { COMMAND_MS, type Deadline, deadlineOf } from "./deadline";
import { readFileName, readSet } from "./given";

export interface EditFlags extends Omit<NodeFlags, "stack" | "config"> {
  readonly file: string;
  readonly now: readonly string[];
  readonly force?: boolean;
  readonly stack: readonly string[];
  readonly allStacks?: boolean;
  /** A file, or `STACK=FILE` for each of several stacks. */
  readonly config: readonly string[];
  readonly output: "text" | "json";
}

/**
 * Adds {@link EditFlags} to a command.
 *
 * @param now Form of the option: with `[url]` it needs no value.
 */
export function addEditFlags(command: Command, now = "--now <url>"): Command {
  command
    .option("--file <file>", "prefix file that a program reads with readPrefixFile: JSON or YAML")
    .option(
      now,
      "also send and commit it to this set of each chosen node, such as prefixset://edge/blocked; again for more",
      collect,
      [],
    )
    .option("--force", "shorten a longer time; with --now: also change and remove entries of another writer")
    .addOption(new Option("--output <form>", "form of the result").choices(["text", "json"]).default("text"));
  return addNodeFlags(command, {
    severalStacks: true,
    timeout: `time for the whole command and each node, such as 20s; default: ${COMMAND_MS / 1_000}s`,
  });
}

/** A set of a node that is changed at once. */
export interface NowTarget {
  readonly client: NodeClient;
  readonly url: PrefixSetUrl;
  /** Name in the stack's configuration. */
  readonly node: string | undefined;
  /** The project with the limits and the audit log. */
  readonly project: Project;
}

export type Workplace = Awaited<ReturnType<typeof workplace>>;

/**
 * Reads and checks all settings before the file is changed.
 *
 * @param isSending True if nodes are changed, whatever --now says.
 * @throws {UsageError | Error}
 */
export async function workplace(flags: EditFlags, io: CliIo, isSending = flags.now.length > 0) {
  const folder = io.folder ?? process.cwd();
  const file = readFileName(flags.file, folder);
  const deadline = deadlineOf(flags.timeout, io);
  try {
    const projects = await projectsOf(flags, [dirname(file), folder], io);
    for (const project of projects) if (isSending) requireWritable(project, "--now");
    const urls = [...new Map(flags.now.map(readSet).map((url) => [formatUrl(url), url])).values()];
    const clients = urls.length === 0 ? [] : await clientsOf(flags, projects, deadline, io);
    const notes = { say: (text: string) => io.err(text) };
    const sent = new SentFiles(process.pid, sharedFolder(pulumiHome(io.env)));
    const editor = prefixFileEditor(file, {
      stop: io.stop,
      until: deadline.stop,
      say: (sentence) => notes.say(`${sentence}\n`),
    });
    return {
      /** The file as it was named, for messages. */
      name: flags.file,
      file,
      isThere: existsSync(file),
      output: flags.output,
      editor,
      /** Prints notes: above the progress line, if there is one. */
      notes,
      /** The project beside or above the file, once for each stack. */
      projects,
      /** Folder of the policies. */
      folder: projects[0]?.folder ?? dirname(file),
      deadline,
      /** Notes of removals that runs of this user left staged, which runs of Pulumi share. */
      sent: sent as SentNotes,
      /** Sets of --now. */
      targets: clients.flatMap((client) => urls.map((url): NowTarget => ({ ...client, url }))),
      close: async () => {
        deadline.close();
        sent.end();
        await Promise.all(clients.map(({ client }) => client.close()));
      },
    };
  } catch (error) {
    deadline.close();
    throw error;
  }
}

/** The project with the settings of each named stack. @throws {UsageError} */
async function projectsOf(flags: EditFlags, folders: readonly string[], io: CliIo): Promise<Project[]> {
  const { stack, allStacks = false, config } = flags;
  if (allStacks && stack.length > 0) throw new UsageError("--all-stacks and --stack exclude each other.");
  const names = allStacks ? await stackNames(folders) : [...new Set(stack)];
  if (allStacks && names.length === 0) throw new UsageError("--all-stacks: there is no file of a stack here.");
  const files = configFiles(config, names);
  const more = { folders, judges: true, isOneOfSeveral: names.length > 1 };
  const chosen = names.length > 0 ? names : [undefined];
  const projects: Project[] = [];
  // One after the other: of several that fail, the first is named.
  for (const stack of chosen) projects.push(await readProject({ ...more, stack, config: files.get(stack) }, io));
  return projects;
}

/** The file of --config for each stack; a single stack needs no name. @throws {UsageError} */
function configFiles(given: readonly string[], stacks: readonly string[]): Map<string | undefined, string> {
  const files = new Map<string | undefined, string>();
  for (const text of given) {
    const at = text.indexOf("=");
    const [name, file] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
    const named = stacks.find((stack) => stack === name || stack.endsWith(`/${name}`));
    if (named === undefined && stacks.length > 1)
      throw new UsageError(
        `--config ${text}: each of several stacks has its own: give it as STACK=FILE, for ${stacks.join(", ")}.${likelyMeant(name, stacks)}`,
      );
    const stack = named ?? stacks[0];
    if (files.has(stack)) throw new UsageError("--config is given twice for one stack: keep one of them.");
    files.set(stack, named === undefined ? text : file);
  }
  return files;
}

/** The nodes that a command line chose in each of its stacks. @throws {UsageError} */
export async function clientsOf(
  flags: EditFlags,
  projects: readonly Project[],
  { stop }: Deadline,
  io: CliIo,
): Promise<Omit<NowTarget, "url">[]> {
  const isOfSeveral = projects.length > 1;
  if (isOfSeveral && flags.endpoint.length > 0)
    throw new UsageError("--endpoint belongs to one stack: for several stacks name nodes with --node, or --all-nodes.");
  const unknown = flags.node.filter((name) => !projects.some(({ nodes }) => nodes.includes(name)));
  const known = [...new Set(projects.flatMap(({ nodes }) => nodes))];
  const meant = unknown.map((name) => likelyMeant(name, known)).join("");
  if (isOfSeveral && unknown.length > 0)
    throw new UsageError(`--node ${unknown.join(",")}: none of the chosen stacks knows it.${meant}`);
  const found: Omit<NowTarget, "url">[] = [];
  for (const project of projects) {
    const own = isOfSeveral ? flags.node.filter((name) => project.nodes.includes(name)) : flags.node;
    if (isOfSeveral && own.length === 0 && flags.node.length > 0) continue;
    const chosen = await chosenNodes({ ...flags, stack: project.stack, config: undefined, node: own }, io, project);
    found.push(...chosen.map((node) => ({ node: node.name, client: clientOf(node, stop), project })));
  }
  return found;
}

/** True if there is a project, whose program may read the file. */
export function isInProject({ projects }: Pick<Workplace, "projects">): boolean {
  return projects.some(({ folder }) => folder !== undefined);
}

/** Places to which entries are sent, as a prefix file names them. */
export function sentPlaces({ targets }: Pick<Workplace, "targets">): string[] {
  return targets.map(({ client, url }) => sentPlace(client.endpoint, formatUrl(url)));
}
