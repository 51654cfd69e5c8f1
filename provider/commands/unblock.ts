import type { Command } from "commander";
import { type CanonicalPrefix, Prefix } from "../model/prefix";
import { PrefixIndex } from "../model/prefix-index";
import { count, some } from "../model/text";
import type { PrefixEntries } from "../prefixes";
import type { PrefixEntry } from "../prefixes/entries";
import { addEditFlags, type EditFlags, isInProject, sentPlaces, type Workplace, workplace } from "./blocking/common";
import { PREFIXES, readPrefixes, requireFile, requireGiven } from "./blocking/given";
import { unexpired } from "./blocking/limits";
import { beforehand, orNothing, printResult } from "./blocking/result";
import { type Change, carryOut } from "./blocking/send";
import { sentTo, withdrawn } from "./blocking/sent";
import { type CliIo, timeOf } from "./cli-io";
import { OF_NODES } from "./node-options";
import { requireOwner } from "./option-values";
import type { Project } from "./project";

const HELP = `
The exact prefix is removed from the file, whatever its spelling. If "block --now" put it on a node, it stays in the file as
expired until the next "pulumi up" removes it there; --now removes it from both at once. If a wider entry still covers the
prefix, in the file or with --now at the node, that entry is named and the exit code is 1: unblock it, or write narrower ones.
A prefix that is not in the file is reported, and is not an error. With --now an entry of the node that the file never had, or had
with another value, belongs to another writer: it stays and is named, and the exit code is 1; --force removes it.

Examples:
  pulumi-packetfilter unblock 203.0.113.7 --file blocks.yaml
  pulumi-packetfilter unblock 203.0.113.7 --file blocks.yaml --now prefixset://edge/blocked
`;

export function register(program: Command, io: CliIo): void {
  const command = program
    .command("unblock")
    .usage("<prefix...> --file <file> [options]")
    .argument("[prefix...]", `each exactly as it was blocked: ${PREFIXES}`);
  addEditFlags(command)
    .addHelpText("after", HELP)
    .action((spellings: string[], flags: EditFlags) => run(spellings, flags, command, io));
}

async function run(spellings: readonly string[], flags: EditFlags, command: Command, io: CliIo): Promise<void> {
  const { prefixes, place } = await orNothing(beforehand(flags), { prefixes: [] }, io, async () => {
    requireGiven([
      ["<prefix...>", spellings.length > 0],
      ["--file <file>", flags.file],
    ]);
    requireOwner(command, [...OF_NODES, "--settings", "--force"], "--now", flags.now.length > 0);
    return { prefixes: await readPrefixes(spellings, io), place: await workplace(flags, io) };
  });
  const { name, file, projects } = place;
  try {
    const names = prefixes.map((prefix) => prefix.toString());
    const time = timeOf(io);
    const places = sentPlaces(place);
    const change: Change = {
      names: () => names,
      isForced: flags.force === true,
      decide: (entries) => {
        const gone = names.flatMap((prefix): [CanonicalPrefix, PrefixEntry][] => {
          const entry = entries[prefix];
          return entry ? [[prefix, entry]] : [];
        });
        const taken = gone.map(([prefix]) => prefix);
        for (const project of projects) requireStill(unexpired(entries, time), taken, project);
        return new Map(gone.map(([prefix, entry]) => [prefix, withdrawn(entry, places, time)]));
      },
      written: () => {},
    };
    const ended = await orNothing(place, { prefixes: names }, io, () => {
      requireFile(name, file);
      return carryOut(place, change, { command, arguments: names }, io);
    });
    // What was done is shown, though another writer may have broken the file meanwhile.
    const left = await place.editor.read().catch(() => ended.edit.after);
    const { before, after } = ended.edit;
    const problems = [...stillCovered(name, prefixes, without(unexpired(after, time), names)), ...ended.problems];
    const isEmpty = Object.keys(before).length > 0 && Object.keys(left).length === 0;
    const sentences = [
      ...editSentences(place, names, before, left),
      ...(isEmpty ? [`${name} has no prefix any more: a program needs allowEmpty: true to read it.`] : []),
    ];
    const more = { prefixes: names, kept: names.filter((prefix) => left[prefix] !== undefined) };
    printResult({ ...ended, problems }, place, { more, sentences }, io);
  } finally {
    await place.close();
  }
}

/** Sentences about prefixes that were removed, were not there, or stay until they are gone from the nodes. */
function editSentences(
  place: Workplace,
  names: readonly string[],
  before: PrefixEntries,
  left: PrefixEntries,
): string[] {
  const { name } = place;
  const kept = names.filter((prefix) => left[prefix] !== undefined);
  const removed = names.filter((prefix) => before[prefix] !== undefined && left[prefix] === undefined);
  const absent = names.filter((prefix) => before[prefix] === undefined && left[prefix] === undefined);
  const is = (some: readonly string[], one: string, many: string) => (some.length === 1 ? one : many);
  const sentences = [];
  if (removed.length > 0) sentences.push(`${name}: ${some(removed)} ${is(removed, "is", "are")} removed.`);
  if (absent.length > 0) sentences.push(`${name}: ${some(absent)} ${is(absent, "was", "were")} not in it.`);
  if (kept.length === 0) return sentences;
  const places = new Set(kept.flatMap((prefix) => Object.keys(sentTo(left[prefix])))).size;
  const them = is(kept, "it", "them");
  const remedy = isInProject(place)
    ? `The next "pulumi up" of a program that reads the file removes ${them} there, or the same command with --now`
    : `The same command with --now removes ${them} there`;
  sentences.push(
    `${name}: ${some(kept)} ${is(kept, "is", "are")} no longer wanted, and ${is(kept, "stays in it as one that has", "stay in it as ones that have")} expired until ${is(kept, "it is", "they are")} gone from ${count(places, "set")} into which "block --now" put ${them}. ${remedy}.`,
  );
  return sentences;
}

function stillCovered(name: string, prefixes: readonly Prefix[], left: PrefixEntries): string[] {
  const index = indexOf(left);
  const covered = prefixes.flatMap((prefix) => {
    const by = [...index.covering(prefix)];
    return by.length > 0 ? [`${prefix} is still covered by ${some(by)}`] : [];
  });
  if (covered.length === 0) return [];
  return [`${name}: ${covered.join("; ")}. Unblock that as well, or block only the intended parts of it.`];
}

function without(entries: PrefixEntries, prefixes: readonly string[]): PrefixEntries {
  return Object.fromEntries(Object.entries(entries).filter(([prefix]) => !prefixes.includes(prefix)));
}

function indexOf(entries: PrefixEntries): PrefixIndex {
  return PrefixIndex.of(Object.keys(entries).map((prefix) => Prefix.parse(prefix)));
}

/** Refuses to uncover prefixes that the stack requires. */
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
