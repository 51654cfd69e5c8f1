import type { ListedValue } from "../model/entry";
import type { MarkType } from "../model/mark";
import { formatUrl, nameProblem, type PrefixSetUrl, type ResourceUrl } from "../model/resource-url";

/** Path of the one endpoint of a node, below its base url (docs/contributing/contract.md#node-endpoint). */
export const NODE_PATH = "/fapi";

/** The header that goes with a list of marks (docs/contributing/contract.md#marks). */
export const USER_ARENA = "user-arena";

/** The four commands (docs/contributing/contract.md#node-endpoint). */
export type Command = "list" | "insert" | "delete" | "commit";

/** The body of a list; `type` only for marks. @param markTypes The node's own words for types. */
export function listCommand(
  url: ResourceUrl,
  type?: MarkType,
  markTypes: Readonly<Partial<Record<MarkType, string>>> = {},
): string {
  return JSON.stringify({ url: requestUrl(url), cmd: "list", type: type && (markTypes[type] ?? type) });
}

/**
 * The body of a commit. The contract shows a trailing slash for global sets, and only there.
 *
 * @param commitUrl Another url, with `{arena}`, `{profile}` and `{set}`.
 */
export function commitCommand(url: PrefixSetUrl, commitUrl?: string): string {
  return JSON.stringify({ url: urlOfCommit(url, commitUrl), cmd: "commit" });
}

/** The url of a commit. A name that the set does not have is left out with the `/` before it. */
export function urlOfCommit(url: PrefixSetUrl, commitUrl?: string): string {
  const text = requestUrl(url);
  if (commitUrl === undefined) return url.profile === undefined ? `${text}/` : text;
  const names: Readonly<Record<string, string | undefined>> = { arena: url.arena, profile: url.profile, set: url.set };
  return commitUrl.replace(/(\/?)\{(\w+)\}/g, (_, slash: string, name: string) => {
    const own = names[name];
    return own === undefined ? "" : slash + own;
  });
}

/** The two parts of an insert or delete around its entries, which are joined once their number is known. */
export function dataCommand(url: PrefixSetUrl, cmd: "insert" | "delete"): { head: string; tail: string } {
  const body = JSON.stringify({ url: requestUrl(url), cmd, data: [] });
  return { head: body.slice(0, -2), tail: "]}" };
}

/**
 * One entry of an insert as JSON (docs/contributing/contract.md#set-entries).
 *
 * @param v An integer from 0 to 2³²−1, or the value that the node listed, to restore it.
 */
export function insertEntry(p: string, v: ListedValue): string {
  // A text of digits that a double would round was a number in the list.
  if (typeof v === "string" && LONG_INTEGER.test(v)) return `{"p":${JSON.stringify(p)},"v":${v}}`;
  return JSON.stringify({ p, v });
}

const LONG_INTEGER = /^-?[1-9]\d{15,30}$/;

/** One entry of a delete as JSON (docs/contributing/contract.md#set-entries). @param a The prefix as the node spells it. */
export function deleteEntry(a: string): string {
  return JSON.stringify({ a });
}

/** @throws {TypeError} if a name would end or split the address. */
function requestUrl(url: ResourceUrl): string {
  const names = {
    arena: url.arena,
    profile: "profile" in url ? url.profile : undefined,
    set: "set" in url ? url.set : undefined,
  };
  for (const [part, name] of Object.entries(names)) {
    const problem = name === undefined ? undefined : nameProblem(name);
    if (problem) throw new TypeError(`\`${part}\` ${JSON.stringify(name)} ${problem}.`);
  }
  return formatUrl(url);
}
