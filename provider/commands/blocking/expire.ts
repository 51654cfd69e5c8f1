import type { Command } from "commander";
import { formatUrl } from "../../client";
import { sentIn, sentPlace } from "../../model/entry";
import { messageOf } from "../../model/errors";
import type { CanonicalPrefix } from "../../model/prefix";
import { some } from "../../model/text";
import type { PrefixEntries } from "../../prefixes";
import { isExpired } from "../../reconcile/entries";
import { type CliIo, timeOf, UsageError } from "../cli-io";
import { addEditFlags, clientsOf, type EditFlags, type NowTarget, type Workplace, workplace } from "./common";
import { readSet, requireFile, requireGiven } from "./given";
import { beforehand, orNothing, printResult } from "./result";
import { carryOut } from "./send";
import { sentTo, tidied } from "./sent";

const HELP = `
Removes entries of the file that have expired, or that unblock has removed, from the sets of --now at each chosen node; without
a set, from every set to which "block --now" sent them, as the file records. Entries that are gone everywhere are removed from
the file. Entries of another writer stay. The next "pulumi up" does the same for the sets of its program.

Examples:
  pulumi-packetfilter block expire --file blocks.yaml --now
  pulumi-packetfilter block expire --file blocks.yaml --now prefixset://edge/blocked --all-nodes
`;

interface Flags extends Omit<EditFlags, "now"> {
  /** True: --now without a set. */
  readonly now: true | readonly string[];
}

export function addExpire(block: Command, io: CliIo): void {
  const forms = new Set<boolean>();
  const command = block
    .command("expire")
    .description("remove expired entries at once, from the nodes and from the file")
    // The option's own reader keeps only the last of both forms.
    .on("option:now", (url: string | null) => {
      if (forms.add(url === null).size > 1)
        throw new UsageError(
          "--now is given with a set and without: name the sets, or give it alone for every set that the file records.",
        );
    });
  addEditFlags(command, "--now [url]")
    .addHelpText("after", HELP)
    .action((flags: Flags) => run(flags, command, io));
}

async function run(flags: Flags, command: Command, io: CliIo): Promise<void> {
  const isEverywhere = flags.now === true;
  const edit: EditFlags = { ...flags, now: flags.now === true ? [] : flags.now };
  const place = await orNothing(beforehand(edit), { expired: [] }, io, () => {
    requireGiven([["--file <file>", flags.file]]);
    if (!isEverywhere && edit.now.length === 0)
      throw new UsageError(
        'Give --now, or --now prefixset://edge/blocked: without it the next "pulumi up" removes expired entries.',
      );
    return workplace(edit, io, true);
  });
  const now = timeOf(io);
  let close = place.close;
  try {
    const before = await orNothing(place, { expired: [] }, io, () => {
      requireFile(place.name, place.file);
      return place.editor.read();
    });
    const expired = new Map(Object.entries(before).filter(([, { expires }]) => isExpired(expires, now)));
    const gone = { expired: [...expired.keys()] };
    const remembered =
      isEverywhere && expired.size > 0
        ? await orNothing(place, gone, io, () => rememberedTargets(expired, flags, place, io))
        : undefined;
    const targets = remembered?.targets ?? (expired.size > 0 ? place.targets : []);
    close = async () => void (await Promise.all([place.close(), remembered?.close()]));
    const names = (target: NowTarget) => {
      const at = sentPlace(target.client.endpoint, formatUrl(target.url));
      const mine = [...expired].filter(([, entry]) => !isEverywhere || sentTo(entry)[at] !== undefined);
      return mine.map(([prefix]) => prefix as CanonicalPrefix);
    };
    const isForced = flags.force === true;
    const change = { names, isForced, isExpired: true, decide: () => new Map(), written: () => {} };
    const ended = await orNothing(place, gone, io, () =>
      carryOut({ ...place, targets }, change, { command, arguments: [] }, io),
    );
    // A set of --now that could not be changed may hold entries that the file does not record as sent.
    const isComplete = isEverywhere || ended.outcomes.every(({ outcome }) => ["done", "not all"].includes(outcome));
    const goneEverywhere = isComplete ? gone.expired : [];
    // What was done is shown, though another writer may have broken the file meanwhile.
    const unread: string[] = [];
    const after = await tidied(place.editor, (entries) => forgotten(entries, goneEverywhere, now), io).catch(
      (error) => {
        unread.push(messageOf(error));
        return ended.edit.after;
      },
    );
    const left = gone.expired.filter((prefix) => after[prefix] !== undefined);
    const sentences = endSentences(place.name, gone.expired, { after, now });
    const problems = [...new Set([...(remembered?.unknown ?? []), ...ended.problems, ...unread])];
    const more = { ...gone, kept: left };
    printResult({ ...ended, problems }, place, { more, sentences }, io);
  } finally {
    await close();
  }
}

function endSentences(
  name: string,
  expired: readonly string[],
  { after, now }: { readonly after: PrefixEntries; readonly now: number },
): string[] {
  if (expired.length === 0) return [`${name}: nothing in it has expired.`];
  const outcomeOf = (prefix: string) =>
    after[prefix] === undefined ? "gone" : isExpired(after[prefix].expires, now) ? "left" : "renewed";
  const outcomes = [
    ["gone", "is taken out.", "are taken out."],
    [
      "left",
      "stays in it until it is gone from every set that may hold it.",
      "stay in it until they are gone from every set that may hold them.",
    ],
    ["renewed", "stays in it: another command gave it more.", "stay in it: another command gave them more."],
  ] as const;
  return outcomes.flatMap(([outcome, one, many]) => {
    const prefixes = expired.filter((prefix) => outcomeOf(prefix) === outcome);
    const was = outcome === "renewed" ? "was" : "is";
    return prefixes.length === 0
      ? []
      : `${name}: ${some(prefixes)}, whose time ${was} over, ${prefixes.length === 1 ? one : many}`;
  });
}

/** Removes expired entries that are in no set any more. */
function forgotten(entries: PrefixEntries, prefixes: readonly string[], now: number) {
  // Another command may have blocked one again meanwhile.
  const isGone = (entry: PrefixEntries[string] | undefined) =>
    entry !== undefined && isExpired(entry.expires, now) && sentIn(entry) === undefined;
  const gone = prefixes.filter((prefix) => isGone(entries[prefix]));
  return new Map(gone.map((prefix) => [prefix as CanonicalPrefix, undefined] as const));
}

/** The sets that the file records, at the nodes of stacks and environment. */
async function rememberedTargets(
  expired: ReadonlyMap<string, PrefixEntries[string]>,
  flags: Flags,
  { projects, deadline }: Workplace,
  io: CliIo,
) {
  const places = new Set([...expired.values()].flatMap((entry) => Object.keys(sentTo(entry))));
  const chosen: EditFlags = { ...flags, now: [], isWhole: true };
  const clients = places.size === 0 ? [] : await clientsOf(chosen, projects, deadline, io);
  const unknown: string[] = [];
  const targets = [...places].flatMap((place): NowTarget[] => {
    const [endpoint = "", url = ""] = place.split(" ");
    const found = clients.find(({ client }) => client.endpoint === endpoint);
    if (found) return [{ ...found, url: readSet(url) }];
    unknown.push(
      `${url} on ${endpoint}: no node that was chosen has this address, and nothing was removed there. Name it with --node or --endpoint.`,
    );
    return [];
  });
  return { targets, unknown, close: async () => void (await Promise.all(clients.map(({ client }) => client.close()))) };
}
