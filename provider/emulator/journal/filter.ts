import { Prefix, PrefixError } from "../../model/prefix";
import type { JournalEntry } from "./entry";

/** Which entries to find: every member given must be equal. */
export interface JournalFilter
  extends Partial<Pick<JournalEntry, "cmd" | "url" | "op" | "api" | "client" | "type" | "status">> {
  /** Number or label of the run. */
  readonly run?: number | string;
  /** A prefix or an address: one of the data items has it, or covers it. */
  readonly contains?: string;
}

/** Whether every member of a filter holds for an entry. */
export function matches(entry: JournalEntry, filter: JournalFilter): boolean {
  return unlike(entry, filter).length === 0;
}

/** The members of a filter that do not hold for an entry. */
export function unlike(entry: JournalEntry, filter: JournalFilter): (keyof JournalFilter)[] {
  const names = Object.keys(filter) as (keyof JournalFilter)[];
  return names.filter((name) => filter[name] !== undefined && !holds(entry, name, filter));
}

function holds(entry: JournalEntry, name: keyof JournalFilter, filter: JournalFilter): boolean {
  if (name === "contains") return contains(entry, filter.contains ?? "");
  if (name === "run" && typeof filter.run === "string") return entry.label === filter.run;
  return entry[name] === filter[name];
}

/** Whether one of the data items of a request is a prefix or covers it. */
function contains({ data = [] }: JournalEntry, text: string): boolean {
  const wanted = prefixOf(text);
  return wanted !== undefined && data.some((item) => prefixOf(textIn(item))?.contains(wanted));
}

function textIn(item: unknown): unknown {
  if (typeof item !== "object" || item === null) return item;
  return "p" in item ? item.p : "a" in item ? item.a : undefined;
}

function prefixOf(text: unknown): Prefix | undefined {
  if (typeof text !== "string") return undefined;
  try {
    return Prefix.parse(text, { hostBits: "mask" });
  } catch (error) {
    if (error instanceof PrefixError) return undefined;
    throw error;
  }
}
