import { isEntryValue } from "../model/entry-value";
import { Prefix, PrefixError } from "../model/prefix";
import { readNumber } from "./json";
import { notAList, openEnvelope } from "./node-answer";
import { describe, isRecord, ShapeError, short } from "./shape";

/** One entry of a prefix-set as a node lists it. */
export interface ListedEntry {
  /** What the entry means: canonical, with host bits masked. */
  readonly prefix: Prefix;
  /** 0 to 2³²−1. */
  readonly value: number;
  /** The node's own text of the prefix, which is what deletes it. */
  readonly spelling: string;
}

const PREFIX_KEYS = new Set(["p", "a", "prefix", "addr", "address", "ip", "cidr"]);
const VALUE_KEYS = new Set(["v", "value", "val"]);

/** The contract's value "may always be 1"; a node that lists no values can mean nothing else. */
const DEFAULT_VALUE = 1;

/**
 * Reads the list of a prefix-set in every documented form: records under the usual names, plain strings, or an object
 * keyed by prefix. Every element is returned in its place, also when a prefix occurs twice in two spellings.
 * Elements are checked by hand rather than by zod: lists of 50 000 entries are read on every refresh.
 *
 * @throws {ShapeError} on anything else; never an empty list by default.
 */
export function readPrefixSetList(json: unknown): ListedEntry[] {
  const elements = openEnvelope(json);
  if (elements) return elements.map(readEntry);
  if (!isRecord(json) || !isKeyedByPrefix(json)) throw notAList(json);
  return Object.entries(json).map(([spelling, value], index) => ({
    prefix: readPrefix(spelling, index),
    value: readValue(isRecord(value) ? valueIn(value, index) : value, index),
    spelling,
  }));
}

function isKeyedByPrefix(json: Readonly<Record<string, unknown>>): boolean {
  const keys = Object.keys(json);
  return keys.length > 0 && keys.every((key) => key.includes(".") || key.includes(":"));
}

function readEntry(element: unknown, index: number): ListedEntry {
  if (typeof element === "string") {
    return { prefix: readPrefix(element, index), value: DEFAULT_VALUE, spelling: element };
  }
  if (!isRecord(element)) throw new ShapeError(`element ${index} is ${describe(element)}`);
  let spelling: unknown;
  for (const key in element) {
    if (!PREFIX_KEYS.has(key)) continue;
    if (spelling !== undefined) throw new ShapeError(`element ${index} has two addresses (${describe(element)})`);
    spelling = element[key];
  }
  if (typeof spelling !== "string") throw new ShapeError(`element ${index} has no prefix (${describe(element)})`);
  return { prefix: readPrefix(spelling, index), value: readValue(valueIn(element, index), index), spelling };
}

function valueIn(record: Readonly<Record<string, unknown>>, index: number): unknown {
  let value: unknown;
  for (const key in record) {
    if (!VALUE_KEYS.has(key)) continue;
    if (value !== undefined && value !== record[key]) throw new ShapeError(`element ${index} has two values`);
    value = record[key];
  }
  return value;
}

function readPrefix(spelling: string, index: number): Prefix {
  try {
    return Prefix.parse(spelling, { hostBits: "mask" });
  } catch (error) {
    if (error instanceof PrefixError) throw new ShapeError(`element ${index}: ${error.message.replace(/\.$/, "")}`);
    throw error;
  }
}

function readValue(value: unknown, index: number): number {
  if (value === undefined) return DEFAULT_VALUE;
  const number = readNumber(value)?.number;
  if (isEntryValue(number)) return number;
  const shown = typeof value === "string" ? short(value) : describe(value);
  throw new ShapeError(`element ${index} has the value ${shown}, which is no integer from 0 to 4294967295`);
}
