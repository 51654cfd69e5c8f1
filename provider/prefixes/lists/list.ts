import { isObject, type JsonObject } from "../../model/json";
import type { Part } from "../problems";

/** Path of an element in a JSON or YAML document: member names and indexes from the root. */
export type Path = readonly (string | number)[];

/** An element of a document from which an entry comes: a text with a prefix, or an object with members. */
export interface Element {
  readonly path: Path;
  readonly record: unknown;
}

/** Form of the records of a list: lines of NDJSON, rows of CSV, elements of JSON. */
export interface RecordShape {
  recognises(members: JsonObject): boolean;
  /** Members with the parts of an entry; of several the first that a record has. */
  readonly members: { readonly [P in Part]?: readonly string[] };
  /** A sentence where a record that is recognised is no entry and makes the list unusable. */
  refuses?(members: JsonObject): string | undefined;
  /** Records that are there for something else: they are left out and counted, unless `select` names the member. */
  readonly omits?: readonly Omission[];
  /** A record that closes the list and says how many came before it; a list without it is cut off. */
  readonly closing?: { recognises(members: JsonObject): boolean; readonly records: string };
}

/** By which member a record is left out. */
interface Omission {
  readonly member: string;
  /** True for a value by which it is. */
  when(value: unknown): boolean;
  /** Name of such records, in a message that counts them. */
  readonly words: string;
}

/** Particulars of a list in plain text. */
export interface TextShape {
  /** A comment with the groups `records` and `noun`: how many lines there must be. */
  readonly announcement?: RegExp;
  /** Pattern of a comment behind a prefix that is its reason. */
  readonly reason?: RegExp;
  /** A line that is no comment and says that columns follow, separated by tabs. */
  readonly head?: RegExp;
  /** The prefix or the range in the columns of a line. */
  prefix?(columns: readonly string[]): string;
}

/** A block list or an address list as it is published: data by which the formats recognise and read it. */
export interface PublishedList {
  readonly name: string;
  readonly record?: RecordShape;
  readonly text?: TextShape;
  /**
   * The elements of the list in a JSON or YAML document, `undefined` when the document is not of its shape, a sentence when it
   * cannot be used.
   */
  find?(root: unknown): Iterable<Element> | string | undefined;
}

/** A member of its own, never one that an object inherits. */
export function member(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function has(members: JsonObject, ...names: string[]): boolean {
  return names.every((name) => Object.hasOwn(members, name));
}

/** The elements of an array of the document; none where there is no array. */
export function elements(root: unknown, ...path: string[]): Element[] {
  const array = path.reduce(member, root);
  return Array.isArray(array) ? array.map((record: unknown, index) => ({ path: [...path, index], record })) : [];
}
