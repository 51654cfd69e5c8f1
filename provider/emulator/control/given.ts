import { type EntriesOf, type PrefixLike, prefixText, type ValueLike } from "../../model/given-entries";
import { isObject, type JsonObject } from "../../model/json";
import { entriesAsJson } from "../state/given-state";

/** Changes of an operator in a set at the node's console. */
export interface SetChanges {
  /** Entries that the set has afterwards: prefixes or entries in any form of a set's content, also a list of a node. Default: none. */
  readonly insert?: EntriesOf<ValueLike>;
  /** Prefixes that are no entries afterwards. Default: none. */
  readonly delete?: Iterable<PrefixLike> & object;
}

/** Signalings that start and stop without a request. */
export interface SignalChanges {
  /** Prefixes that are active afterwards. Default: none. */
  readonly start?: Iterable<PrefixLike> & object;
  /** Prefixes that are not active afterwards. Default: none. */
  readonly stop?: Iterable<PrefixLike> & object;
}

/** The given object with texts in place of parsed prefixes, as in JSON: its members, and those of a list in it. */
export function withTexts(given: unknown): unknown {
  if (!isObject(given)) return given;
  return Object.fromEntries(Object.entries(given).map(([name, member]) => [name, textOrTexts(member)]));
}

function textOrTexts(member: unknown): unknown {
  const isList = typeof member === "object" && member !== null && Symbol.iterator in member;
  return isList ? Array.from(member as Iterable<unknown>, prefixText) : prefixText(member);
}

/** Changes of a set as JSON: entries by prefix. What is none of the forms stays as it is, for the schema to refuse. */
export function setChangesAsJson(given: unknown): unknown {
  if (!isObject(given)) return given;
  const { insert, ...rest } = given;
  const entries = insert === undefined ? {} : { insert: entriesAsJson(insert, "insert") };
  return { ...(withTexts(rest) as JsonObject), ...entries };
}
