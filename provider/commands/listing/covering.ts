import { formatUrl, type Prefix, type PrefixSetUrl } from "../../client";
import { given } from "../../client/options";
import { messageOf } from "../../model/errors";
import { count } from "../../model/text";
import { type CliIo, UsageError, waiting } from "../cli-io";
import { atNodes, type ChosenNode } from "../node-options";
import { type Cell, listEntries, withoutEmpty } from "./listing";
import type { StackSet } from "./stack-sets";

interface Search {
  readonly covered: Prefix;
  readonly nodes: readonly ChosenNode[];
  /** Sets to search at each node; `undefined`: those of the stack. */
  readonly urls: readonly PrefixSetUrl[] | undefined;
  /** Sets of the stack, with notes of their entries. */
  readonly known: readonly StackSet[];
  /** Sentences about resources of the stack that could not be read. */
  readonly unreadable: readonly string[];
  /** True if all of them are to be searched. */
  readonly isWhole: boolean;
}

/**
 * Every entry that covers the address, with node, set and its notes in the stack's state; the longest first in each set.
 * `failed` has sentences about nodes and sets that did not answer.
 */
export async function covering({ covered, nodes, urls, known, unreadable, isWhole }: Search, io: CliIo) {
  const failed = urls ? [] : [...unreadable];
  const without: string[] = [];
  const columns = ["node", "set", "prefix", "value", "spelling", "resource", "reason", "ticket", "expires"];
  let sets = 0;
  const asked = new Set<string>();
  const rows = await atNodes(
    nodes,
    async (client, node = client.endpoint): Promise<Readonly<Record<string, Cell>>[]> => {
      asked.add(client.endpoint);
      const here = known.filter(({ endpoint }) => endpoint === client.endpoint);
      const searched = urls ?? here.map(({ url }) => url);
      sets += searched.length;
      if (searched.length === 0 && !isWhole)
        without.push(`${node}: the stack has no set there, and none was searched. ${NAME_ONE}`);
      const found = searched.map(async (url) => {
        const set = formatUrl(url);
        const notes = here.find((one) => formatUrl(one.url) === set)?.notes;
        const text = `listing ${set} on ${client.endpoint}`;
        try {
          const { rows: entries } = listEntries(
            await waiting(io, text, () => client.listPrefixSet(url, { signal: io.stop })),
            covered,
          );
          return entries.map((entry) => ({ node, set, ...entry, ...said(notes, entry.prefix) }));
        } catch (error) {
          failed.push(messageOf(error));
          return [];
        }
      });
      return (await Promise.all(found)).flat();
    },
  );
  for (const { endpoint, url } of isWhole ? known : [])
    if (!asked.has(endpoint))
      failed.push(
        `${formatUrl(url)} on ${endpoint}: no node of the stack has this address, and the set was not searched. Name it with --endpoint.`,
      );
  if (sets === 0 && failed.length === 0) throw new UsageError(`The stack has no set at the chosen nodes. ${NAME_ONE}`);
  const all = rows.flat();
  const found = `${all.length === 0 ? "No entry covers" : count(all.length, "entry covers", "entries cover")} ${covered}`;
  const summary = `${found}, in ${count(sets, "set")} of ${count(nodes.length, "node")}.`;
  return { listing: withoutEmpty({ columns, rows: all, summary }, 4), failed: [...failed, ...without] };
}

const NAME_ONE = "Name one, such as prefixset://edge/blocked.";

function said(notes: StackSet["notes"] | undefined, prefix: Cell): Readonly<Record<string, Cell>> {
  const { resource, reason, ticket, expires } = notes?.get(prefix as never) ?? {};
  return given({ resource, reason, ticket, expires });
}
