import type { Command } from "commander";
import { type CanonicalPrefix, Prefix } from "../model/prefix";
import { PrefixIndex } from "../model/prefix-index";
import { some } from "../model/text";
import type { PrefixEntries } from "../prefixes";
import type { EntryChange } from "../prefixes/edit/edit";
import { editPrefixFile } from "../prefixes/edit/edit-file";
import { addEditFlags, type EditFlags, send, workplace } from "./blocking/common";
import { readPrefixes } from "./blocking/given";
import { withdrawn } from "./blocking/sent";
import type { CliIo } from "./cli-io";
import type { Project } from "./project";

const HELP = `
The exact prefix is taken out, whatever its spelling. One that "block --now" put on a node stays in the file as expired until it
is gone there: the next "pulumi up" removes it, and so does --now, which takes it out of the file, too. Where an entry that is wider still covers it, that one is named and the
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
  const time = (io.now ?? Date.now)();
  const { before, after } = await editPrefixFile(file, (entries) => {
    const gone = names.filter((prefix) => entries[prefix] !== undefined);
    requireStill(entries, gone, project);
    return new Map(
      gone.map((prefix): [CanonicalPrefix, EntryChange | undefined] => [prefix, withdrawn(entries, prefix, time)]),
    );
  });
  const removed = names.filter((prefix) => before[prefix] !== undefined);
  const absent = names.filter((prefix) => before[prefix] === undefined);
  const index = indexOf(without(after, names));
  const covered = prefixes.flatMap((prefix) => {
    const by = [...index.covering(prefix)];
    return by.length > 0 ? [`${prefix} is still covered by ${some(by)}`] : [];
  });
  if (removed.length > 0) io.out(`${name}: ${some(removed)} ${removed.length === 1 ? "is" : "are"} taken out.\n`);
  if (absent.length > 0) io.out(`${name}: ${some(absent)} ${absent.length === 1 ? "was" : "were"} not in it.\n`);
  await send(place, { put: new Map(), remove: new Set(names) }, io);
  const { after: left } = await editPrefixFile(file, () => new Map());
  sayLeft(name, names, left, io);
  if (removed.length > 0 && Object.keys(left).length === 0)
    io.out(`${name} has no prefix any more: a program reads that with allowEmpty: true.\n`);
  if (covered.length > 0)
    throw new Error(`${name}: ${covered.join("; ")}. Unblock that as well, or block the parts of it that are meant.`);
}

/** What "block --now" put somewhere, and what is still to go there. */
function sayLeft(name: string, names: readonly string[], entries: PrefixEntries, io: CliIo): void {
  const left = names.filter((prefix) => entries[prefix] !== undefined);
  if (left.length === 0) return;
  const places = new Set(left.flatMap((prefix) => Object.keys(entries[prefix]?.sent ?? {})));
  const [it, expired] = left.length === 1 ? ["it", "one that has expired"] : ["them", "ones that have expired"];
  io.out(
    `${name} keeps ${some(left)} as ${expired}, since "block --now" put ${it} there: ${some([...places])}. The next "pulumi up" removes ${it}.\n`,
  );
}

function without(entries: PrefixEntries, prefixes: readonly string[]): PrefixEntries {
  return Object.fromEntries(Object.entries(entries).filter(([prefix]) => !prefixes.includes(prefix)));
}

function indexOf(entries: PrefixEntries): PrefixIndex {
  return PrefixIndex.of(Object.keys(entries).map((prefix) => Prefix.parse(prefix)));
}

/** What the stack's configuration requires stays covered, if the file covers it. */
function requireStill(entries: PrefixEntries, gone: readonly string[], { settings, source }: Project): void {
  const required = settings.requiredPrefixes();
  if (required.length === 0 || gone.length === 0) return;
  const [before, after] = [indexOf(entries), indexOf(without(entries, gone))];
  const lost = required.filter((prefix) => before.longestMatch(prefix) && !after.longestMatch(prefix));
  if (lost.length === 0) return;
  throw new Error(
    `No entry would cover ${some(lost)} any more, which packetfilter:requiredPrefixes in ${source("requiredPrefixes")} requires. Nothing was changed.`,
  );
}
