import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { formatUrl, OptionsError, parseUrl } from "../client";
import { parseEndpoint } from "../client/endpoint";
import { replaceFile } from "../files/whole-file";
import { messageOf } from "../model/errors";
import { visibleJson } from "../model/foreign-text";
import type { ProbeResult } from "../probe/finding";
import { differences, type NodeFile, nodeFile, parseNodeFile } from "../probe/node-file";
import { probe } from "../probe/probe";
import { readPrefixOption } from "./blocking/given";
import { type CliIo, Ended, progress, UsageError } from "./cli-io";
import { pretty } from "./listing/output";
import { addNodeFlags, type NodeFlags, nodeOptions } from "./node-options";
import { wrongUse } from "./option-values";
import { table } from "./probing/table";
import { audit, type Project, readProject, requireWritable } from "./project";
import { addReceiverFlags, type ReceiverFlags, receiverOptions } from "./receiver-options";

interface Flags extends NodeFlags, ReceiverFlags {
  readonly signaling?: string;
  readonly write?: boolean;
  readonly keep?: boolean;
  readonly out?: string;
  readonly check?: string;
  readonly output: "table" | "json";
}

const HELP = `
Resources: prefixset://ARENA/SET, prefixset://ARENA/PROFILE/SET, arena://ARENA, profile://ARENA/PROFILE, mark://ARENA/PROFILE.
The arena of each is listed, too, and where no profile is named the first one of the arena.

Exit codes: 0 all was asked, 1 the node failed or a point could not be asked, 2 wrong use, 3 --check found a difference.
`;

/** Adds `probe` to the command line. */
export function register(program: Command, io: CliIo): void {
  const command = program
    .command("probe")
    .description("ask a node about every open point of its API, and say what to set for it")
    .argument("[url...]", "what to ask about, see below")
    .option("--write", "try the first named set, which must be empty, with documentation prefixes, and leave it empty")
    .option("--keep", "with --write: the set may hold entries; they stay, and are compared before and after")
    .option("--signaling <prefix>", "ask a receiver, too, with a prefix of your own whose signaling is not active")
    .option(
      "--out <file>",
      "write settings, an emulator's dialect and what is not known as JSON; a file that is there is replaced, unless the probe ended before its time",
    )
    .option("--check <file>", "compare with what --out wrote before: exit code 3 when the node has changed")
    .addOption(new Option("--output <form>", "form of the result").choices(["table", "json"]).default("table"));
  addReceiverFlags(addNodeFlags(command, { listsMarks: true }))
    .addHelpText("after", HELP)
    .action((urls: string[], flags: Flags) => run(urls, flags, io));
}

async function run(texts: readonly string[], flags: Flags, io: CliIo): Promise<void> {
  const urls = texts.map((text) => wrongUse(TypeError, () => parseUrl(text)));
  const before = flags.check === undefined ? undefined : await readBefore(flags.check, io);
  const write = flags.write === true;
  const keep = flags.keep === true;
  if (keep && !write) throw new UsageError("--keep goes with --write.");
  const written = [...(write ? ["--write"] : []), ...(flags.signaling === undefined ? [] : ["--signaling"])];
  const project = written.length > 0 ? await writableProject(flags, written, io) : undefined;
  if (write && !urls.some(({ kind }) => kind === "prefixset"))
    throw new UsageError(
      "--write needs a set that is empty: name one, such as prefixset://edge/probe, or a filled one with --keep.",
    );
  if (urls.length === 0 && flags.signaling === undefined)
    throw new UsageError("Say what to ask about: a url, such as prefixset://edge/probe, or --signaling PREFIX.");
  const node = urls.length === 0 ? undefined : await nodeOptions(flags, io);
  const prefix = flags.signaling === undefined ? undefined : readPrefixOption("--signaling", flags.signaling);
  const receiver = prefix && { prefix, options: await receiverOptions(flags, io) };
  const watch = (title: string, number: number, total: number) => progress(io, `${number}/${total} ${title}`);
  const result = await wrongUse(OptionsError, () =>
    probe({ ...(node && { node }), ...(receiver && { receiver }), urls, write, keep, signal: io.stop, watch }),
  );
  io.out(flags.output === "json" ? visibleJson(pretty(result)) : table(result));
  if (project && write) {
    const set = urls.find(({ kind }) => kind === "prefixset");
    recordProbe(project, { node: node?.endpoint, set: set && formatUrl(set), reason: "probe --write" }, result, io);
  }
  if (project && receiver)
    recordProbe(project, { node: receiver.options.url, set: "signaling", reason: "probe --signaling" }, result, io);
  if (flags.out !== undefined) await writeOut(flags.out, result, io);
  const failed = failures(result);
  const changed = before ? changes(before, result, flags.check ?? "") : undefined;
  const sentences = [failed, changed].filter((one) => one !== undefined);
  if (sentences.length === 0) return;
  throw new Ended(sentences.join("\n"), changed === undefined || result.stopped !== undefined ? 1 : 3);
}

/** A result that ended before its time must not take the place of a whole one. */
async function writeOut(name: string, result: ProbeResult, io: CliIo): Promise<void> {
  const file = inFolder(name, io);
  if (result.stopped !== undefined && existsSync(file)) {
    io.err(`${name} is left as it is, since the probe ended before its time.\n`);
    return;
  }
  await replaceFile(file, pretty(nodeFile(result)));
}

async function writableProject({ stack }: Flags, options: readonly string[], io: CliIo): Promise<Project> {
  const project = await readProject({ stack }, io);
  for (const option of options) requireWritable(project, option);
  for (const sentence of project.unread) io.err(`${sentence}\n`);
  return project;
}

/** One line for all that a probe wrote: in the end nothing is there that was not before, or what may be left is named. */
function recordProbe(
  project: Project,
  { node = "", set = "", reason }: { node: string | undefined; set: string | undefined; reason: string },
  { left }: ProbeResult,
  io: CliIo,
): void {
  const shown = parseEndpoint(node, "endpoint").shown;
  const mine = left.filter(({ where }) =>
    set === "signaling" ? !where.includes("prefixset://") : where.includes(set),
  );
  const prefixes = mine.flatMap((one) => one.prefixes.map((prefix) => [prefix, { old: null, new: "unknown" }]));
  const outcome = mine.length > 0 ? "something may be left" : "left as it was";
  audit(project, { node: shown, set, prefixes: Object.fromEntries(prefixes), reason, outcome }, io);
}

function failures({ findings, stopped }: ProbeResult): string | undefined {
  if (stopped !== undefined) return `The probe ended before its time: ${stopped}`;
  const failed = findings.filter(({ found }) => found === "error");
  return failed.length === 0 ? undefined : `Could not be found out: ${failed.map(({ title }) => title).join(", ")}.`;
}

function changes(before: NodeFile, result: ProbeResult, name: string): string | undefined {
  const changed = differences(before, nodeFile(result));
  if (changed.length === 0) return undefined;
  return `The node does not do what ${name} says:\n${changed.map((line) => `  ${line}`).join("\n")}`;
}

async function readBefore(file: string, io: CliIo): Promise<NodeFile> {
  const text = await readFile(inFolder(file, io), "utf8");
  try {
    return parseNodeFile(text);
  } catch (error) {
    throw new UsageError(`--check ${file}: ${messageOf(error)}.`);
  }
}

function inFolder(file: string, { folder }: CliIo): string {
  return folder === undefined ? file : resolve(folder, file);
}
