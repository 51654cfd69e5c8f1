import type { Command } from "commander";
import { formatUrl } from "../client";
import { isEntryValue, MAX_VALUE } from "../model/entry";
import type { CanonicalPrefix, Prefix } from "../model/prefix";
import { some } from "../model/text";
import type { PrefixEntries } from "../prefixes";
import type { EntryChange } from "../prefixes/edit/edit";
import { withPrefixFile } from "../prefixes/edit/edit-file";
import { type ContentLimits, contentLimits, contentProblems, entryProblems } from "../resources/limits/content";
import { addEditFlags, type EditFlags, type Workplace, workplace } from "./blocking/common";
import { addExpire } from "./blocking/expire";
import { PREFIXES, readPrefixes, requireGiven } from "./blocking/given";
import { judgeEntries } from "./blocking/policies";
import { send } from "./blocking/send";
import { expiryOf, HOW_LONG } from "./blocking/until";
import { type CliIo, UsageError } from "./cli-io";
import type { Project } from "./project";

interface Flags extends EditFlags {
  readonly reason: string;
  readonly ticket?: string;
  readonly value?: string;
  readonly for?: string;
  readonly duration?: string;
  readonly until?: string;
  readonly permanent?: boolean;
}

const HELP = `
A prefix that the file has already gets the new reason and time; its value and ticket stay unless they are given. A file
that is missing is made. A default route is refused, and so is what "pulumi up" would refuse: by the settings of
Pulumi.yaml and of the stack, and by the mandatory policies of packetfilter-policies.yaml, beside or above the file. When
the time is over the first "pulumi up" afterwards removes the entry: no earlier, and nothing else does.
With --now the node has the entry at once, and the next "pulumi up" finds it as the program says. The file remembers what was
put there, so that the first "pulumi up" after the time removes it even if no other came before. If the node cannot be
reached the file stays as written, and the command ends with 1. What another writer put there with another value stays, is
named, and the command ends with 1: --force gives it yours.

Examples:
  pulumi-packetfilter block 203.0.113.7 --file blocks.yaml --for 2h --reason "SYN flood" --ticket INC-4711
  pulumi-packetfilter block 203.0.113.0/24 --file blocks.yaml --until 2030-01-31T18:00:00Z --reason scanners
  pulumi-packetfilter block 203.0.113.7 --file blocks.yaml --for 2h --reason "SYN flood" --now prefixset://edge/blocked
  pulumi-packetfilter block 203.0.113.16-203.0.113.40 --file blocks.yaml --for 2h --reason "SYN flood"
  pulumi-packetfilter block - --file blocks.yaml --for 2h --reason "SYN flood" < sources.txt
`;

/** Adds `block` to the command line. */
export function register(program: Command, io: CliIo): void {
  const command = program
    .command("block")
    .description("write prefixes into a prefix file, with the reason and for how long")
    .argument("[prefix...]", PREFIXES)
    .usage("<prefix...> --file <file> --reason <text> (--for <span> | --until <time> | --permanent) [options]")
    .enablePositionalOptions()
    .option("--reason <text>", "why, for people")
    .option("--ticket <text>", "reference into another system, such as INC-4711")
    .option("--value <number>", "value of the entry; default: that of the file, else 1")
    .option("--for <span>", "for so long: 2h, 1h30m, 7d; units w, d, h, m, s")
    .option("--duration <span>", "the same as --for")
    .option("--until <time>", "until then: ISO 8601 with zone")
    .option("--permanent", "until it is taken out");
  addEditFlags(command)
    .addHelpText("after", HELP)
    .action((spellings: string[], flags: Flags) => run(spellings, flags, command, io));
  addExpire(command, io);
}

async function run(spellings: readonly string[], flags: Flags, command: Command, io: CliIo): Promise<void> {
  const { for: span, duration, until, permanent } = flags;
  requireGiven(
    [
      ["<prefix...>", spellings.length > 0],
      ["--file <file>", flags.file],
      ["--reason <text>", flags.reason],
    ],
    (span ?? duration ?? until ?? permanent) === undefined ? HOW_LONG : undefined,
  );
  const prefixes = await readPrefixes(spellings, io);
  refuseDefaultRoute(prefixes);
  const change = readChange(flags, (io.now ?? Date.now)());
  const place = await workplace(flags, io);
  const { name, file, project } = place;
  const names = prefixes.map((prefix) => prefix.toString());
  const limits = contentLimits({}, project.settings);
  refuseEntries(names, limits, project);
  const problems = await withPrefixFile(file, async (locked) => {
    const { before, after } = await locked.edit((entries) => {
      refuseMore(entries, names, limits, project);
      sayPolicies(place, entriesAfter(entries, names, change), io);
      return new Map(names.map((prefix): [CanonicalPrefix, EntryChange] => [prefix, change]));
    });
    const [are, them] = names.length === 1 ? ["is", "it"] : ["are", "them"];
    io.out(`${name}: ${some(names)} ${are} in it ${change.expires ? `until ${change.expires}` : "for good"}.\n`);
    if (change.expires) io.out(`The first "pulumi up" after that time removes ${them}.\n`);
    const put = new Map(names.map((prefix) => [prefix, after[prefix]?.value ?? 1]));
    const wanted = {
      put,
      remove: new Set<CanonicalPrefix>(),
      before,
      isForced: flags.force === true,
      reason: flags.reason,
    };
    const until = change.expires ?? undefined;
    const given = { command, arguments: names, instead: { for: undefined, duration: undefined, until } };
    return send(place, locked, () => wanted, given, io);
  }).finally(() => place.close());
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

function readChange(flags: Flags, now: number): EntryChange {
  if (flags.reason.trim() === "") throw new UsageError("--reason says why, for people: it must not be empty.");
  if (flags.ticket?.trim() === "") throw new UsageError("--ticket must not be empty: leave it out.");
  if (flags.for !== undefined && flags.duration !== undefined)
    throw new UsageError("--duration is the same as --for: give one of them.");
  const { until, permanent, ticket } = flags;
  const expires = expiryOf({ for: flags.for ?? flags.duration, until, permanent }, now);
  return { ...(flags.value !== undefined && { value: readValue(flags.value) }), reason: flags.reason, ticket, expires };
}

function readValue(text: string): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (isEntryValue(value)) return value;
  throw new UsageError(`--value ${JSON.stringify(text)} is no integer from 0 to ${MAX_VALUE}.`);
}

function refuseDefaultRoute(prefixes: readonly Prefix[]): void {
  const routes = prefixes.filter(({ length }) => length === 0);
  if (routes.length === 0) return;
  throw new UsageError(
    `${some(routes)} is everything that there is, and is never blocked by a command. Nothing was changed.`,
  );
}

function refuseEntries(names: readonly CanonicalPrefix[], limits: ContentLimits, { source }: Project): void {
  const problems = entryProblems(names, limits);
  if (problems.length === 0) return;
  const keys = (["forbiddenPrefixes", "shortestPrefix"] as const).filter((key) => source(key) !== "the environment");
  const files = keys.map((key) => `packetfilter:${key} in ${source(key)}`);
  throw new Error(`${problems.join(" ")} Limits: ${files.join(", ")}. Nothing was changed.`);
}

/** No set of the stack may hold so many, so neither may the file that one is read from. */
function refuseMore(before: PrefixEntries, names: readonly string[], limits: ContentLimits, { source }: Project): void {
  const after = new Set([...Object.keys(before), ...names]);
  if (after.size === Object.keys(before).length) return;
  const problems = contentProblems([...after] as CanonicalPrefix[], { required: [], maxEntries: limits.maxEntries });
  if (problems.length === 0) return;
  throw new Error(
    `${problems.join(" ")} Limits: packetfilter:maxEntries in ${source("maxEntries")}. Nothing was changed.`,
  );
}

function sayPolicies({ name, folder, project, targets }: Workplace, entries: PrefixEntries, io: CliIo): void {
  const urls = new Map(targets.map(({ url }) => [formatUrl(url), url]));
  for (const url of urls.size > 0 ? urls.values() : [undefined]) {
    const judged = { name, folder, stack: project.stack, url, entries };
    for (const sentence of judgeEntries(judged, io)) io.err(`${sentence}\n`);
  }
}

/** What the file says of these prefixes after the change. */
function entriesAfter(before: PrefixEntries, names: readonly string[], change: EntryChange): PrefixEntries {
  const { value, reason, ticket, expires } = change;
  const entries = names.map((prefix) => {
    const former = before[prefix];
    const note = { reason, ticket: ticket ?? former?.ticket, ...(expires && { expires }) };
    return [prefix, { value: value ?? former?.value ?? 1, ...note }];
  });
  return Object.fromEntries(entries);
}
