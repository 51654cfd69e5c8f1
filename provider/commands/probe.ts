import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { formatUrl, OptionsError, parseUrl } from "../client";
import { parseEndpoint, parseNodeEndpoint } from "../client/endpoint";
import { formatDuration } from "../client/pauses";
import { refuseLinks } from "../files/no-links";
import { replaceFile } from "../files/whole-file";
import { visibleJson, visibleLines } from "../model/foreign-text";
import { membersOf } from "../model/json";
import { jsonIn } from "../model/readable";
import { type CheckOptions, type CheckResult, check } from "../probe/check";
import { clean } from "../probe/clean";
import { exitCode, nodeFile, type ProbeResult } from "../probe/finding";
import { probe } from "../probe/probe";
import { LIMITS, TIMING } from "../probe/timing";
import { commandLine } from "./blocking/command-line";
import { readPrefixOption } from "./blocking/given";
import { type CliIo, Ended, progress, UsageError } from "./cli-io";
import { failureText, refuseFolder, textOf } from "./failure";
import { keepsCode, takesBack } from "./interruption";
import { pretty } from "./listing/output";
import { addNodeFlags, type NodeFlags, nodeOptions, OF_NODES } from "./node-options";
import { requireOwner, wrongUse } from "./option-values";
import { checked, table } from "./probing/table";
import { readUndoFile, UndoFile, undoName } from "./probing/undo-file";
import { audit, type Project, readProject, requireWritable } from "./project";
import { addReceiverFlags, OF_RECEIVERS, type ReceiverFlags, receiverOptions } from "./receiver-options";

interface Flags extends NodeFlags, ReceiverFlags {
  readonly signaling?: string;
  readonly write?: boolean;
  readonly keep?: boolean;
  readonly out?: string;
  readonly check?: string;
  readonly clean?: string | true;
  readonly output: "table" | "json";
}

const HELP = `
Resources: prefixset://ARENA/SET, prefixset://ARENA/PROFILE/SET, arena://ARENA, profile://ARENA/PROFILE, mark://ARENA/PROFILE.
The arena of each is listed as well, and if no profile is named, the first one of the arena.

Exit codes: 0 all that could be asked is expressed as settings, 1 the node failed or its answers to a point make no sense, 2 wrong use, 3 a check of --check failed, 4 something was seen that no setting expresses, 5 the node is not as it was: the undo file stays. The highest one holds. After Ctrl-C: 130, or 5.

Examples:
  pulumi-packetfilter probe prefixset://edge/blocked --endpoint https://192.0.2.10
  pulumi-packetfilter probe prefixset://edge/probe arena://edge --write --node fra1 --out node.json
  pulumi-packetfilter probe prefixset://edge/blocked --node fra1 --check node.json
`;

export function register(program: Command, io: CliIo): void {
  const command = program
    .command("probe")
    .argument("[url...]", "resources, see below")
    .option(
      "--write",
      "write documentation prefixes to the first named set, which must be empty, and remove them again",
    )
    .option("--keep", "with --write: the set may hold entries; they stay, and are compared before and after")
    .option("--signaling <prefix>", "also ask a receiver, with a prefix of your own whose signaling is not active")
    .option(
      "--out <file>",
      "write settings, an emulator's dialect and the unknown points as JSON; replaces the file unless the probe ended early",
    )
    .option(
      "--check <file>",
      "check that the settings of this file hold: read all lists, with --write change one entry, with --signaling one signaling; exit code 3 if one fails",
    )
    .option("--clean [file]", "remove what a killed probe has left, by its notes beside --out (default: probe.undo)")
    .addOption(new Option("--output <form>", "form of the result").choices(["table", "json"]).default("table"));
  addReceiverFlags(addNodeFlags(command, { listsMarks: true }))
    .addHelpText("after", HELP)
    .action((urls: string[], flags: Flags, own: Command) => run(urls, flags, own, io));
}

async function run(texts: readonly string[], flags: Flags, command: Command, io: CliIo): Promise<void> {
  if (flags.clean !== undefined) return cleanAfter(texts, flags, command, io);
  const urls = texts.map((text) => wrongUse(TypeError, () => parseUrl(text)));
  const write = flags.write === true;
  const keep = flags.keep === true;
  requireOwner(command, ["--keep"], "--write", write);
  const written = [...(write ? ["--write"] : []), ...(flags.signaling === undefined ? [] : ["--signaling"])];
  const project = written.length > 0 ? await writableProject(flags, written, io) : undefined;
  if (write && !urls.some(({ kind }) => kind === "prefixset"))
    throw new UsageError(
      "--write needs a set that is empty: name one, such as prefixset://edge/probe, or a filled one with --keep.",
    );
  if (urls.length === 0 && flags.signaling === undefined)
    throw new UsageError("Name a resource, such as prefixset://edge/probe, or a prefix with --signaling.");
  requireOwner(command, OF_RECEIVERS, "--signaling", flags.signaling);
  requireOwner(command, [...OF_NODES, "--timeout"], "a resource", urls.length > 0);
  if (flags.check !== undefined && flags.settings !== undefined)
    throw new UsageError("--check is about the settings of its own file: leave --settings out.");
  if (flags.check !== undefined && flags.out !== undefined)
    throw new UsageError("--check finds no settings to write: leave --out out.");
  if (flags.out !== undefined) refusePlace(flags.out, io);
  const given = flags.check === undefined ? flags : { ...flags, settings: flags.check };
  const node = urls.length === 0 ? undefined : await nodeOptions(given, io);
  const prefix = flags.signaling === undefined ? undefined : readPrefixOption("--signaling", flags.signaling);
  const receiver = prefix && { prefix, options: await receiverOptions(given, io) };
  const watch = (title: string, number: number, total: number) => progress(io, `${number}/${total} ${title}`);
  const notes = undoName(flags.out);
  const undo = written.length > 0 ? new UndoFile(inFolder(notes, io), notes, cleaning(command, notes)) : undefined;
  progress(io, TIME);
  const common = { node, receiver, note: undo?.note, urls, write, signal: io.stop };
  const known = flags.check === undefined ? {} : await knownIn(flags.check, io);
  let result: ProbeResult | CheckResult | undefined;
  if (undo) takesBack(io.stop);
  try {
    result = await wrongUse(
      OptionsError,
      (): Promise<ProbeResult | CheckResult> =>
        flags.check === undefined ? probe({ ...common, keep, watch }) : check({ ...common, ...known }),
    );
  } finally {
    undo?.close(result?.left.length === 0);
  }
  io.out(flags.output === "json" ? visibleJson(pretty(result)) : "rows" in result ? checked(result) : table(result));
  if (project && write) {
    const set = urls.find(({ kind }) => kind === "prefixset");
    recordProbe(project, { node: node?.endpoint, set: set && formatUrl(set), reason: "probe --write" }, result, io);
  }
  if (project && receiver)
    recordProbe(project, { node: receiver.options.url, set: "signaling", reason: "probe --signaling" }, result, io);
  const left = leftBehind(result.left, cleaning(command, notes));
  if ("rows" in result) return endOfCheck(result, left, flags.check ?? "", io);
  const unwritten = flags.out === undefined ? undefined : await writeOut(flags.out, result, io).catch(failureText);
  const sentences = [unwritten, failures(result), beyond(result), left].filter((one) => one !== undefined);
  if (sentences.length > 0) throw ended(sentences, exitCode(result) || 1, io);
}

/** Exit code if changes are left. */
const LEFT = 5;

/** Ends with this code, also after a signal if changes are left. */
function ended(sentences: readonly string[], code: number, { stop }: CliIo): Ended {
  if (code === LEFT) keepsCode(stop);
  return new Ended(sentences.join("\n"), code);
}

function beyond({ findings }: ProbeResult): string | undefined {
  const titles = findings.filter(({ expressed }) => expressed === "beyond").map(({ title }) => title);
  return titles.length === 0 ? undefined : `Seen, cannot be expressed: ${titles.join(", ")}.`;
}

/** The probe that wrote a file of settings, as the file names it. */
async function knownIn(file: string, io: CliIo): Promise<Pick<CheckOptions, "unknown" | "refusesTables">> {
  const { unknown, dialect } = membersOf(jsonIn(await textOf(file, io)));
  return { unknown: Object.keys(membersOf(unknown)), refusesTables: membersOf(dialect).missingTable === "error" };
}

const TIME = `This takes ${LIMITS.wholeMs / 60_000} min at most. Ctrl-C ends it, and its changes are then taken back within ${formatDuration(TIMING.mostCleanUp)}.`;

/** Takes back the changes in the notes of an earlier probe, at its node and receiver. */
async function cleanAfter(texts: readonly string[], flags: Flags, command: Command, io: CliIo): Promise<void> {
  if (texts.length > 0 || flags.write || flags.signaling !== undefined)
    throw new UsageError("--clean takes resources from its file: leave out urls, --write and --signaling.");
  const name = typeof flags.clean === "string" ? flags.clean : undoName(flags.out);
  const file = inFolder(name, io);
  const undo = readUndoFile(file, name);
  const project = await writableProject(flags, ["--clean"], io);
  const node = undo.inserted.length > 0 ? await nodeOptions(flags, io) : undefined;
  const receiver = undo.started.length > 0 ? await receiverOptions(flags, io) : undefined;
  const { endpoint, learnt } = undo;
  if (node) requireSame("node", [endpoint, learnt?.movedTo], parseNodeEndpoint(node.endpoint).shown, name);
  if (receiver) requireSame("receiver", [undo.receiver], parseEndpoint(receiver.url, "url").shown, name);
  takesBack(io.stop);
  const left = await wrongUse(OptionsError, () => clean(undo, { node, receiver, signal: io.stop }));
  const reason = "probe --clean";
  if (node) recordProbe(project, { node: node.endpoint, set: undo.set, reason }, { left }, io);
  if (receiver) recordProbe(project, { node: receiver.url, set: "signaling", reason }, { left }, io);
  const sentence = leftBehind(left, cleaning(command, name));
  if (sentence !== undefined) throw ended([sentence], LEFT, io);
  await rm(file, { force: true });
  io.out(`Everything that the probe of ${name} wrote and started is removed.\n`);
}

/** Changes of a probe are taken back only at the address where they were made. */
function requireSame(who: string, noted: readonly (string | undefined)[], given: string, name: string): void {
  if (noted.includes(given)) return;
  throw new UsageError(`${name} is about the ${who} ${noted[0]}, and ${given} is given: name the same ${who}.`);
}

/** The command that takes back the noted changes. */
function cleaning(command: Command, notes: string): string {
  const { check, settings = check } = command.opts<Flags>();
  const gone = { write: undefined, keep: undefined, signaling: undefined, check: undefined, output: undefined };
  return commandLine(command, [], { ...gone, out: undefined, settings, clean: notes });
}

/** Last lines of the output: the changes that are left, and the command that takes them back. */
function leftBehind(left: ProbeResult["left"], command: string): string | undefined {
  if (left.length === 0) return undefined;
  const remedies = left.map(({ remedy }) => visibleLines(remedy));
  return [...remedies, `Once it answers again: ${command}`].join("\n");
}

/** Refuses a folder or a link in the place of a result, before anything is asked. @throws {UsageError} */
function refusePlace(name: string, io: CliIo): void {
  const file = inFolder(name, io);
  refuseFolder(name, file);
  wrongUse(Error, () => refuseLinks(file));
}

/** An incomplete result does not replace an existing file. */
async function writeOut(name: string, result: ProbeResult, io: CliIo): Promise<undefined> {
  const file = inFolder(name, io);
  if (result.stopped !== undefined && existsSync(file)) {
    io.err(`${name} is unchanged, since the probe ended early.\n`);
  } else await replaceFile(file, pretty(nodeFile(result)));
}

async function writableProject({ stack, config }: Flags, options: readonly string[], io: CliIo): Promise<Project> {
  const project = await readProject({ stack, config, judges: true }, io);
  for (const option of options) requireWritable(project, option);
  return project;
}

/** Writes one record to the audit log for all changes of a probe, with those that may be left. */
function recordProbe(
  project: Project,
  { node = "", set = "", reason }: { node: string | undefined; set: string | undefined; reason: string },
  { left }: Pick<ProbeResult, "left">,
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
  if (stopped !== undefined) return `The probe ended early: ${stopped}`;
  const failed = findings.filter(({ found }) => found === "error");
  return failed.length === 0 ? undefined : `Still unknown: ${failed.map(({ title }) => title).join(", ")}.`;
}

function endOfCheck({ rows, stopped }: CheckResult, left: string | undefined, name: string, io: CliIo): void {
  const failed = rows.filter(({ held }) => !held).length;
  const sentence = failed > 0 ? `${failed} of ${rows.length} do not hold with ${name}.` : undefined;
  const end = stopped && `The check ended early: ${stopped}`;
  const sentences = [sentence, end, left].filter((one) => one !== undefined);
  if (sentences.length > 0) throw ended(sentences, left ? LEFT : sentence ? 3 : 1, io);
}

function inFolder(file: string, { folder }: CliIo): string {
  return folder === undefined ? file : resolve(folder, file);
}
