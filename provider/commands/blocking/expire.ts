import { existsSync } from "node:fs";
import type { Command } from "commander";
import { formatUrl } from "../../client";
import { sentPlace } from "../../model/entry";
import type { CanonicalPrefix } from "../../model/prefix";
import { count, some } from "../../model/text";
import type { PrefixEntries } from "../../prefixes";
import { withPrefixFile } from "../../prefixes/edit/edit-file";
import { isExpired } from "../../resources/entries";
import { type CliIo, UsageError } from "../cli-io";
import { chosenNodes, clientOf } from "../node-options";
import { addEditFlags, type EditFlags, type NowTarget, type Workplace, workplace } from "./common";
import { readSet, requireGiven } from "./given";
import { send } from "./send";

const HELP = `
Entries of the file whose time is over, or that unblock has taken out, are removed from the sets that --now names, at each chosen
node; without a name from every set in which the file remembers that "block --now" put them. What is gone everywhere leaves
the file. Another writer's entries stay. The next "pulumi up" does the same for what its program declares.

Examples:
  pulumi-packetfilter block expire --file blocks.yaml --now
  pulumi-packetfilter block expire --file blocks.yaml --now prefixset://edge/blocked --all-nodes
`;

interface Flags extends Omit<EditFlags, "now"> {
  /** True: --now without a set. */
  readonly now: true | readonly string[];
}

/** Adds `expire` to `block`. */
export function addExpire(block: Command, io: CliIo): void {
  const forms = new Set<boolean>();
  const command = block
    .command("expire")
    .description("remove at once what has expired, from the nodes and from the file")
    // Listens before the option's own reader, which after sets and a bare --now knows only one of both, in either order.
    .on("option:now", (url: string | null) => {
      if (forms.add(url === null).size > 1)
        throw new UsageError(
          "--now is given with a set and without: name the sets, or give it alone for every set of which the file remembers a block.",
        );
    });
  addEditFlags(command, "--now [url]")
    .addHelpText("after", HELP)
    .action((flags: Flags) => run(flags, command, io));
}

async function run(flags: Flags, command: Command, io: CliIo): Promise<void> {
  requireGiven([["--file <file>", flags.file]]);
  const isEverywhere = flags.now === true;
  if (flags.now !== true && flags.now.length === 0)
    throw new UsageError(
      'Say where with --now, or --now prefixset://edge/blocked: without it the next "pulumi up" removes what has expired.',
    );
  const place = await workplace({ ...flags, now: flags.now === true ? [] : flags.now }, io, true);
  if (!existsSync(place.file)) throw new Error(`${place.name}: there is no such file. Check --file.`);
  const now = (io.now ?? Date.now)();
  let close = place.close;
  const problems = await withPrefixFile(place.file, async (locked) => {
    const { before } = await locked.edit(() => new Map());
    const expired = new Map(Object.entries(before).filter(([, { expires }]) => isExpired(expires, now)));
    if (expired.size === 0) {
      io.out(`${place.name}: nothing in it has expired.\n`);
      return [];
    }
    const remembered = isEverywhere ? await rememberedTargets(expired, flags, place, io) : undefined;
    close = remembered?.close ?? close;
    const targets = remembered?.targets ?? place.targets;
    const wanted = (target: NowTarget) => {
      const at = sentPlace(target.client.endpoint, formatUrl(target.url));
      const mine = [...expired].filter(([, { sent }]) => !isEverywhere || sent?.[at] !== undefined);
      const remove = new Set(mine.map(([prefix]) => prefix as CanonicalPrefix));
      return {
        put: new Map<CanonicalPrefix, number>(),
        remove,
        before,
        isForced: flags.force === true,
        isExpired: true,
      };
    };
    const told = await send({ ...place, targets }, locked, wanted, { command, arguments: [] }, io);
    const { after } = await locked.edit((entries) => forgotten(entries, [...expired.keys()]));
    const left = [...expired.keys()].filter((prefix) => after[prefix] !== undefined);
    io.out(
      `${place.name}: ${count(expired.size - left.length, "entry that has", "entries that have")} expired taken out.\n`,
    );
    if (left.length > 0) io.out(`${place.name} keeps ${some(left)} until it is gone everywhere.\n`);
    return [...(remembered?.unknown ?? []), ...told];
  }).finally(() => close());
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

/** What is nowhere any more, and what no command has put anywhere: no reader of the file wants it. */
function forgotten(entries: PrefixEntries, expired: readonly string[]) {
  const gone = expired.filter((prefix) => entries[prefix] !== undefined && entries[prefix]?.sent === undefined);
  return new Map(gone.map((prefix) => [prefix as CanonicalPrefix, undefined] as const));
}

/** The sets that the file remembers, at the nodes that stack and environment know. */
async function rememberedTargets(
  expired: ReadonlyMap<string, PrefixEntries[string]>,
  flags: Flags,
  { project }: Workplace,
  io: CliIo,
) {
  const places = new Set([...expired.values()].flatMap(({ sent }) => Object.keys(sent ?? {})));
  const isUnsaid = flags.node.length === 0 && flags.endpoint.length === 0 && project.nodes.length > 0;
  const nodes =
    places.size === 0
      ? []
      : await chosenNodes(
          { ...flags, now: [], allNodes: isUnsaid || flags.allNodes === true } as EditFlags,
          io,
          project,
        );
  const clients = nodes.map((node) => ({ node: node.name, client: clientOf(node) }));
  const unknown: string[] = [];
  const targets = [...places].flatMap((place): NowTarget[] => {
    const [endpoint = "", url = ""] = place.split(" ");
    const chosen = clients.find(({ client }) => client.endpoint === endpoint);
    if (chosen) return [{ ...chosen, url: readSet(url) }];
    unknown.push(
      `${url} on ${endpoint}: no node that was chosen has this address, and nothing was removed there. Name it with --node or --endpoint.`,
    );
    return [];
  });
  return { targets, unknown, close: async () => void (await Promise.all(clients.map(({ client }) => client.close()))) };
}
