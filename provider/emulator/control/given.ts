import { type EntriesOf, type PrefixLike, prefixText, type ValueLike } from "../../model/given-entries";
import { isObject, type JsonObject } from "../../model/json";
import { entriesAsJson } from "../state/given-state";

/** Changes of a set by an operator at the node's console. */
export interface SetChanges {
  /** Entries to insert, in any form of a set's content, also a list of a node. Default: none. */
  readonly insert?: EntriesOf<ValueLike>;
  /** Prefixes to remove. Default: none. */
  readonly delete?: Iterable<PrefixLike> & object;
}

/** Changes of signalings without a request. */
export interface SignalChanges {
  /** Prefixes to start. Default: none. */
  readonly start?: Iterable<PrefixLike> & object;
  /** Prefixes to stop. Default: none. */
  readonly stop?: Iterable<PrefixLike> & object;
}

/** The object with texts in place of parsed prefixes, also in lists within it. */
export function withTexts(given: unknown): unknown {
  if (!isObject(given)) return given;
  return Object.fromEntries(Object.entries(given).map(([name, member]) => [name, textOrTexts(member)]));
}

function textOrTexts(member: unknown): unknown {
  const isList = typeof member === "object" && member !== null && Symbol.iterator in member;
  return isList ? Array.from(member as Iterable<unknown>, prefixText) : prefixText(member);
}

/** Changes of a set as JSON: entries by prefix. Any other form is left unchanged, for the schema to refuse. */
export function setChangesAsJson(given: unknown): unknown {
  if (!isObject(given)) return given;
  const { insert, ...rest } = given;
  const entries = insert === undefined ? {} : { insert: entriesAsJson(insert, "insert") };
  return { ...(withTexts(rest) as JsonObject), ...entries };
}
