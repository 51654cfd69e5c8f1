import { type EntriesOf, type PrefixLike, prefixText, type ValueLike } from "../../model/given-entries";
import { isObject, type JsonObject } from "../../model/json";
import { entriesAsJson } from "../state/given-state";

/** What an operator changes in a set at the node's console. */
export interface SetChanges {
  /** What is an entry afterwards: prefixes or entries in any form that a set's content has, a list of a node among them. Default: nothing. */
  readonly insert?: EntriesOf<ValueLike>;
  /** What is none. Default: nothing. */
  readonly delete?: Iterable<PrefixLike> & object;
}

/** Signalings that start and stop without a request. */
export interface SignalChanges {
  /** What is active afterwards. Default: nothing. */
  readonly start?: Iterable<PrefixLike> & object;
  /** What is not. Default: nothing. */
  readonly stop?: Iterable<PrefixLike> & object;
}

/** What people give, with texts in place of parsed prefixes, as JSON has them: its members, and those of a list in it. */
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
