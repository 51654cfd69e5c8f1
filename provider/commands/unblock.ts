import type { Command } from "commander";
import { type CanonicalPrefix, Prefix } from "../model/prefix";
import { PrefixIndex } from "../model/prefix-index";
import { some } from "../model/text";
import type { PrefixEntries } from "../prefixes";
import { editPrefixFile } from "../prefixes/edit/edit-file";
import { addEditFlags, type EditFlags, send, workplace } from "./blocking/common";
import { readPrefixes } from "./blocking/given";
import type { CliIo } from "./cli-io";
import type { Project } from "./project";

const HELP = `
The exact prefix is taken out, whatever its spelling. Where an entry that is wider still covers it, that one is named and the
command ends with 1: unblock that one, or write narrower ones. Unblocking what nothing covers is fine, and said.

Examples:
  pulumi-packetfilter unblock 203.0.113.7 --file blocks.yaml
  pulumi-packetfilter unblock 203.0.113.7 --file blocks.yaml --now prefixset://edge/blocked
`;

/** Adds `unblock` to the command line. */
export function register(program: Command, io: CliIo): void {
  const command = program
    .command("unblock")
    .description("take prefixes out of a prefix file")
    .argument("<prefix...>", "addresses and prefixes, each exactly as it was blocked");
  addEditFlags(command)
    .addHelpText("after", HELP)
    .action((spellings: string[], flags: EditFlags) => run(spellings, flags, io));
}

async function run(spellings: readonly string[], flags: EditFlags, io: CliIo): Promise<void> {
  const prefixes = readPrefixes(spellings);
  const place = await workplace(flags, io);
  const { name, file, project } = place;
  const names = prefixes.map((prefix) => prefix.toString());
  const { before, after } = await editPrefixFile(file, (entries) => {
    const gone = names.filter((prefix) => entries[prefix] !== undefined);
    requireStill(entries, gone, project);
    return new Map(gone.map((prefix): [CanonicalPrefix, undefined] => [prefix, undefined]));
  });
  const removed = names.filter((prefix) => before[prefix] !== undefined);
  const absent = names.filter((prefix) => before[prefix] === undefined);
  const index = indexOf(after);
  const covered = prefixes.flatMap((prefix) => {
    const by = [...index.covering(prefix)];
    return by.length > 0 ? [`${prefix} is still covered by ${some(by)}`] : [];
  });
  if (removed.length > 0) io.out(`${name}: ${some(removed)} ${removed.length === 1 ? "is" : "are"} taken out.\n`);
  if (absent.length > 0) io.out(`${name}: ${some(absent)} ${absent.length === 1 ? "was" : "were"} not in it.\n`);
  if (removed.length > 0 && Object.keys(after).length === 0)
    io.out(`${name} has no prefix any more: a program reads that with allowEmpty: true.\n`);
  await send(place, { put: new Map(), remove: new Set(names) }, io);
  if (covered.length > 0)
    throw new Error(`${name}: ${covered.join("; ")}. Unblock that as well, or block the parts of it that are meant.`);
}

function indexOf(entries: PrefixEntries): PrefixIndex {
  return PrefixIndex.of(Object.keys(entries).map((prefix) => Prefix.parse(prefix)));
}

/** What the stack's configuration requires stays covered, if the file covers it. */
function requireStill(entries: PrefixEntries, gone: readonly string[], { settings, source }: Project): void {
  const required = settings.requiredPrefixes();
  if (required.length === 0 || gone.length === 0) return;
  const rest = Object.fromEntries(Object.entries(entries).filter(([prefix]) => !gone.includes(prefix)));
  const [before, after] = [indexOf(entries), indexOf(rest)];
  const lost = required.filter((prefix) => before.longestMatch(prefix) && !after.longestMatch(prefix));
  if (lost.length === 0) return;
  throw new Error(
    `No entry would cover ${some(lost)} any more, which packetfilter:requiredPrefixes in ${source("requiredPrefixes")} requires. Nothing was changed.`,
  );
}
