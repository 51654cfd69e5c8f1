import { existsSync } from "node:fs";
import type { Command } from "commander";
import { type CanonicalPrefix, Prefix } from "../model/prefix";
import { PrefixIndex } from "../model/prefix-index";
import { some } from "../model/text";
import type { PrefixEntries } from "../prefixes";
import { withPrefixFile } from "../prefixes/edit/edit-file";
import type { PrefixEntry } from "../prefixes/entries";
import { addEditFlags, type EditFlags, sentPlaces, workplace } from "./blocking/common";
import { PREFIXES, readPrefixes, requireGiven } from "./blocking/given";
import { send } from "./blocking/send";
import { withdrawn } from "./blocking/sent";
import type { CliIo } from "./cli-io";
import type { Project } from "./project";

const HELP = `
The exact prefix is taken out, whatever its spelling. One that "block --now" put on a node stays in the file as expired until it
is gone there: the next "pulumi up" removes it, and so does --now, which takes it out of the file, too. Where an entry that is
wider still covers it, in the file or with --now at the node, that one is named and the command ends with 1: unblock that one,
or write narrower ones. Unblocking what nothing covers is fine, and said. With --now an entry of the node that the file never
had, or had with another value, is another writer's: it stays, is named, and the command ends with 1; --force removes it.

Examples:
  pulumi-packetfilter unblock 203.0.113.7 --file blocks.yaml
  pulumi-packetfilter unblock 203.0.113.7 --file blocks.yaml --now prefixset://edge/blocked
`;

/** Adds `unblock` to the command line. */
export function register(program: Command, io: CliIo): void {
  const command = program
    .command("unblock")
    .description("take prefixes out of a prefix file")
    .usage("<prefix...> --file <file> [options]")
    .argument("[prefix...]", `each exactly as it was blocked: ${PREFIXES}`);
  addEditFlags(command)
    .addHelpText("after", HELP)
    .action((spellings: string[], flags: EditFlags) => run(spellings, flags, command, io));
}

async function run(spellings: readonly string[], flags: EditFlags, command: Command, io: CliIo): Promise<void> {
  requireGiven([
    ["<prefix...>", spellings.length > 0],
    ["--file <file>", flags.file],
  ]);
  const prefixes = await readPrefixes(spellings, io);
  const place = await workplace(flags, io);
  const { name, file, project } = place;
  requireThere(name, file);
  const names = prefixes.map((prefix) => prefix.toString());
  const time = (io.now ?? Date.now)();
  const problems = await withPrefixFile(file, async (locked) => {
    const { before, after } = await locked.edit((entries) => {
      const gone = names.flatMap((prefix): [CanonicalPrefix, PrefixEntry][] => {
        const entry = entries[prefix];
        return entry ? [[prefix, entry]] : [];
      });
      requireStill(
        entries,
        gone.map(([prefix]) => prefix),
        project,
      );
      const places = sentPlaces(place);
      return new Map(gone.map(([prefix, entry]) => [prefix, withdrawn(entry, places, time)]));
    });
    sayEdited(name, names, before, io);
    const covered = stillCovered(name, prefixes, without(after, names));
    const put = new Map<CanonicalPrefix, number>();
    const wanted = { put, remove: new Set(names), before, isForced: flags.force === true };
    const given = { command, arguments: names };
    const atNode = await send(place, locked, () => wanted, given, io);
    const { after: left } = await locked.edit(() => new Map());
    sayLeft(name, names, left, io);
    if (Object.keys(before).length > 0 && Object.keys(left).length === 0)
      io.out(`${name} has no prefix any more: a program reads that with allowEmpty: true.\n`);
    return [...covered, ...atNode];
  }).finally(() => place.close());
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

/** A name that was mistyped is no file without the prefix. */
function requireThere(name: string, file: string): void {
  if (existsSync(file)) return;
  throw new Error(`${name}: there is no such file, so that nothing can be taken out of it. Check --file.`);
}

function sayEdited(name: string, names: readonly string[], before: PrefixEntries, io: CliIo): void {
  const removed = names.filter((prefix) => before[prefix] !== undefined);
  const absent = names.filter((prefix) => before[prefix] === undefined);
  if (removed.length > 0) io.out(`${name}: ${some(removed)} ${removed.length === 1 ? "is" : "are"} taken out.\n`);
  if (absent.length > 0) io.out(`${name}: ${some(absent)} ${absent.length === 1 ? "was" : "were"} not in it.\n`);
}

function stillCovered(name: string, prefixes: readonly Prefix[], left: PrefixEntries): string[] {
  const index = indexOf(left);
  const covered = prefixes.flatMap((prefix) => {
    const by = [...index.covering(prefix)];
    return by.length > 0 ? [`${prefix} is still covered by ${some(by)}`] : [];
  });
  if (covered.length === 0) return [];
  return [`${name}: ${covered.join("; ")}. Unblock that as well, or block the parts of it that are meant.`];
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
