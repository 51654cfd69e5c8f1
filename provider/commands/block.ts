import { dirname } from "node:path";
import type { Command } from "commander";
import { formatUrl } from "../client";
import { isEntryValue, MAX_VALUE } from "../model/entry";
import type { CanonicalPrefix } from "../model/prefix";
import { some } from "../model/text";
import type { PrefixEntries, PrefixEntry } from "../prefixes";
import type { EntryChange } from "../prefixes/edit/edit";
import { edited } from "../prefixes/edit/edit-file";
import { endOf } from "../prefixes/entries";
import { contentLimits } from "../reconcile/limits/content";
import { addEditFlags, type EditFlags, isInProject, type Workplace, workplace } from "./blocking/common";
import { addExpire } from "./blocking/expire";
import { PREFIXES, readPrefixes, requireFile, requireGiven, requireThere } from "./blocking/given";
import { refuseDefaultRoute, refuseEntries, refuseMore, unexpired } from "./blocking/limits";
import { judgeEntries } from "./blocking/policies";
import { beforehand, orNothing, printResult } from "./blocking/result";
import { type Change, carryOut } from "./blocking/send";
import { type CliIo, timeOf, UsageError } from "./cli-io";
import { OF_NODES } from "./node-options";
import { requireOwner } from "./option-values";
import { expiryOf, HOW_LONG } from "./time-spans";

interface Flags extends EditFlags {
  readonly reason: string;
  readonly ticket?: string;
  readonly value?: string;
  readonly for?: string;
  readonly duration?: string;
  readonly until?: string;
  readonly permanent?: boolean;
  readonly create?: boolean;
}

const HELP = `
A prefix that is already in the file gets the new reason and time, and keeps value and ticket unless you give others. A missing
file is an error without --create. Default routes are refused, and entries that "pulumi up" would refuse: by the settings of
Pulumi.yaml and the stack, or by mandatory policies of packetfilter-policies.yaml beside or above the file. After its time, the
next "pulumi up" or "block expire --now" removes an entry; nothing else does.
With --now the node gets the entry at once, and the next "pulumi up" inserts nothing for it. The file records the entry, so that
the first "pulumi up" after its time removes it from the node. If the node cannot be reached, the file stays as written and the
exit code is 1. An entry of another writer with another value stays and is named, and the exit code is 1; --force changes it. An
entry of the file that ends later keeps its time; --force shortens it.

Examples:
  pulumi-packetfilter block 203.0.113.7 --file blocks.yaml --for 2h --reason "SYN flood" --ticket INC-4711
  pulumi-packetfilter block 203.0.113.0/24 --file blocks.yaml --until 2030-01-31T18:00:00Z --reason scanners
  pulumi-packetfilter block 203.0.113.7 --file blocks.yaml --for 2h --reason "SYN flood" --now prefixset://edge/blocked
  pulumi-packetfilter block 203.0.113.16-203.0.113.40 --file blocks.yaml --for 2h --reason "SYN flood"
  pulumi-packetfilter block - --file blocks.yaml --for 2h --reason "SYN flood" < sources.txt
`;

export function register(program: Command, io: CliIo): void {
  const command = program
    .command("block")
    .argument("[prefix...]", PREFIXES)
    .usage("<prefix...> --file <file> --reason <text> (--for <span> | --until <time> | --permanent) [options]")
    .enablePositionalOptions()
    .option("--reason <text>", "reason, for people")
    .option("--ticket <text>", "reference to another system, such as INC-4711")
    .option("--value <number>", "value of the entry; default: that of the file, else 1")
    .option("--for <span>", "time until the end: 2h, 1h30m, 7d; units w, d, h, m, s")
    .option("--duration <span>", "the same as --for")
    .option("--until <time>", "time of the end: ISO 8601 with zone")
    .option("--permanent", "no end")
    .option("--create", "create the file if it is missing; a program must read it");
  addEditFlags(command)
    .addHelpText("after", HELP)
    .action((spellings: string[], flags: Flags) => run(spellings, flags, command, io));
  addExpire(command, io);
}

async function run(spellings: readonly string[], flags: Flags, command: Command, io: CliIo): Promise<void> {
  const now = timeOf(io);
  const started = await orNothing(beforehand(flags), { made: false, prefixes: [] }, io, async () => {
    const { for: span, duration, until, permanent } = flags;
    requireGiven(
      [
        ["<prefix...>", spellings.length > 0],
        ["--file <file>", flags.file],
        ["--reason <text>", flags.reason],
      ],
      (span ?? duration ?? until ?? permanent) === undefined ? HOW_LONG : undefined,
    );
    requireOwner(command, [...OF_NODES, "--settings"], "--now", flags.now.length > 0);
    const prefixes = await readPrefixes(spellings, io);
    refuseDefaultRoute(prefixes);
    const change = readChange(flags, now);
    return { names: prefixes.map((prefix) => prefix.toString()), change, place: await workplace(flags, io) };
  });
  const { names, change, place } = started;
  const { name, projects } = place;
  try {
    const warned = new Set<string>();
    const say = flags.output === "json" ? () => {} : io.out;
    const until = change.expires ?? undefined;
    const longer = new Map<CanonicalPrefix, string>();
    const intent: Change = {
      names: () => names,
      isForced: flags.force === true,
      reason: flags.reason,
      decide: (entries) => {
        const before = unexpired(entries, now);
        for (const project of projects) refuseMore(before, names, contentLimits({}, project.settings), project);
        longer.clear();
        for (const prefix of flags.force === true ? [] : names) {
          const end = longerEnd(entries[prefix], change, now);
          if (end !== undefined) longer.set(prefix, end);
        }
        const changes = new Map(
          names.map((prefix) => [prefix, longer.has(prefix) ? { ...change, expires: undefined } : change]),
        );
        const { after } = edited(entries, () => changes);
        const written = Object.entries(after).filter(([prefix]) => changes.has(prefix as CanonicalPrefix));
        sayPolicies(place, Object.fromEntries(written), warned, io);
        return changes;
      },
      written: () => {
        if (!place.isThere) say(`${name} was created. It takes effect once a program reads it with readPrefixFile.\n`);
        const others = names.filter((prefix) => !longer.has(prefix));
        if (others.length > 0) {
          const are = others.length === 1 ? "is" : "are";
          say(`${name}: ${some(others)} ${are} in it ${until ? `until ${until}` : "for good"}.\n`);
          if (until) say(`${endSentence(others.length, place)}\n`);
        }
        for (const [prefix, end] of longer)
          say(`${name}: ${prefix} is in it ${end}, and keeps that longer time: --force shortens it.\n`);
      },
    };
    const said = { prefixes: names, ...(until && { expires: until }) };
    const ended = await orNothing(place, { made: false, ...said }, io, () => {
      if (flags.create)
        requireThere(dirname(name), dirname(place.file), "Folders are not created: make it first, or check --file.");
      if (!flags.create || place.isThere) requireFile(name, place.file, MISSING);
      for (const project of projects) refuseEntries(names, contentLimits({}, project.settings), project);
      const again = { command, arguments: names, instead: { for: undefined, duration: undefined, until } };
      return carryOut(place, intent, again, io);
    });
    const more = { made: !place.isThere, ...said, ...(longer.size > 0 && { kept: Object.fromEntries(longer) }) };
    printResult(ended, place, { more }, io);
  } finally {
    await place.close();
  }
}

function endSentence(number: number, place: Workplace): string {
  const them = number === 1 ? "it" : "them";
  if (!isInProject(place))
    return `There is no Pulumi project here whose program could read the file: after that time only "block expire --now" removes ${them}.`;
  return `After that time the first "pulumi up" of a program that reads the file removes ${them}, or "block expire --now".`;
}

/** A mistyped name would be a file that no program reads, and a block that ends with the next `up --refresh`. */
const MISSING = "Nothing was changed: check --file, or make it with --create, for a program that reads it.";

function readChange(flags: Flags, now: number): EntryChange {
  if (flags.for !== undefined && flags.duration !== undefined)
    throw new UsageError("--duration is the same as --for: give one of them.");
  const { until, permanent, ticket } = flags;
  const expires = expiryOf(
    { for: flags.for ?? flags.duration, until, permanent },
    now,
    flags.for === undefined ? "--duration" : "--for",
  );
  return { ...(flags.value !== undefined && { value: readValue(flags.value) }), reason: flags.reason, ticket, expires };
}

function readValue(text: string): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (isEntryValue(value)) return value;
  throw new UsageError(`--value must be an integer from 0 to ${MAX_VALUE}, not ${JSON.stringify(text)}.`);
}

/** Says each sentence once, whatever the number of stacks and tries. */
function sayPolicies(
  { name, folder, projects, targets, notes }: Workplace,
  entries: PrefixEntries,
  said: Set<string>,
  io: CliIo,
): void {
  const urls = new Map(targets.map(({ url }) => [formatUrl(url), url]));
  for (const { stack } of projects)
    for (const url of urls.size > 0 ? urls.values() : [undefined])
      for (const sentence of judgeEntries({ name, folder, stack, url, entries }, io)) {
        if (!said.has(sentence)) notes.say(`${sentence}\n`);
        said.add(sentence);
      }
}

/** The end of an entry that lives longer than a change would let it: `for good`, `until 2030-01-31T18:00:00Z`. */
function longerEnd(former: PrefixEntry | undefined, { expires }: EntryChange, now: number): string | undefined {
  if (former === undefined || typeof expires !== "string") return undefined;
  if (endOf(former) <= now || endOf(former) <= endOf({ expires })) return undefined;
  return former.expires === undefined ? "for good" : `until ${former.expires}`;
}
