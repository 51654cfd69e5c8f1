import { type PrefixLike, prefixText } from "../../model/given-entries";
import { prefixIn } from "../../model/readable";
import type { JournalEntry } from "../answer-types";
import { matchesUrl } from "./address-filter";
import type { JournalFilter } from "./schema-types";

export type { JournalEntry } from "../answer-types";
export type { JournalFilter } from "./schema-types";

/** Which API a request came to; `other` is a path that belongs to none of them. */
export type ApiName = "node" | "signaling" | "test" | "other";

/** Commands of the node API (docs/contributing/contract.md#node-endpoint). */
export type Command = "list" | "insert" | "delete" | "commit";

/** Operations of the signaling API (docs/contributing/contract.md#signaling-operations). */
export type SignalingOperation = "status" | "start" | "stop";

/** An entry until the request is answered. */
export type OpenEntry = { -readonly [Name in keyof JournalEntry]: JournalEntry[Name] };

/** Content of a request, as far as it could be parsed. */
export type RequestSummary = Pick<
  OpenEntry,
  "cmd" | "url" | "rawUrl" | "type" | "tooSoon" | "op" | "client" | "entries" | "data"
>;

/** True if every member of a filter matches an entry. */
export function matches(entry: JournalEntry, filter: JournalFilter): boolean {
  return unlike(entry, filter).length === 0;
}

/** The members of a filter that do not match an entry. */
export function unlike(entry: Partial<JournalEntry>, filter: JournalFilter): (keyof JournalFilter)[] {
  const names = Object.keys(filter) as (keyof JournalFilter)[];
  return names.filter((name) => filter[name] !== undefined && !holds(entry, name, filter));
}

function holds(entry: Partial<JournalEntry>, name: keyof JournalFilter, filter: JournalFilter): boolean {
  if (name === "contains") return contains(entry, filter.contains ?? "");
  if (name === "run" && typeof filter.run === "string") return entry.label === filter.run;
  if (name === "url" && filter.url !== undefined) return matchesUrl(filter.url, entry.url);
  return entry[name] === filter[name];
}

/** True if one of the data items of a request equals or covers a prefix. */
function contains({ data = [] }: Partial<JournalEntry>, text: PrefixLike): boolean {
  const target = prefixOf(prefixText(text));
  return target !== undefined && data.some((item) => prefixOf(textIn(item))?.contains(target));
}

function textIn(item: unknown): unknown {
  if (typeof item !== "object" || item === null) return item;
  return "p" in item ? item.p : "a" in item ? item.a : undefined;
}

const prefixOf = (text: unknown) => prefixIn(text, { hostBits: "mask" });
