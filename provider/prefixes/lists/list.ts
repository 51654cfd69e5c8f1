import { isObject, type JsonObject } from "../../model/json";
import type { Part } from "../problems";
import type { FoundPrefix } from "../record-prefix";

/** Path of an element in a JSON or YAML document: member names and indexes from the root. */
export type Path = readonly (string | number)[];

/** An element of a document that makes an entry: a text with a prefix, or an object with members. */
export interface Element {
  readonly path: Path;
  readonly record: unknown;
}

/** Form of the records of a list: lines of NDJSON, rows of CSV, elements of JSON. */
export interface RecordShape {
  recognises(members: JsonObject): boolean;
  /** Members with the parts of an entry; of several names, the first that a record has counts. */
  readonly members: { readonly [P in Part]?: readonly string[] };
  /** Members that are not read, and that change nothing. */
  readonly ignores?: readonly string[];
  /** The prefix of a record, where it is not that of one member. */
  find?(members: JsonObject): FoundPrefix;
  /** A sentence for a recognised record that is not an entry and makes the list unusable. */
  refuses?(members: JsonObject): string | undefined;
  /** Records that are left out and counted, unless `select` names their member. */
  readonly omits?: readonly Omission[];
  /** The last record of the list, with the exact number of the others; a list without it is incomplete. */
  readonly closing?: { recognises(members: JsonObject): boolean; readonly records: string };
}

/** Rule that leaves out records by a member. */
interface Omission {
  readonly member: string;
  /** True for a value of records that are left out. */
  when(value: unknown): boolean;
  /** Name of such records, in a message that counts them. */
  readonly words: string;
}

/** Particulars of a list in plain text. */
export interface TextShape {
  /** Pattern of a comment after a prefix that is its reason. */
  readonly reason?: RegExp;
  /** Pattern of a line that is not a comment and begins a table with columns separated by tabs. */
  readonly head?: RegExp;
  /** The prefix or the range in the columns of a line; `undefined` if the line lacks some. */
  prefix?(columns: readonly string[]): string | undefined;
}

/** A published block list or address list: data with which the formats recognise and read it. */
export interface PublishedList {
  readonly name: string;
  readonly record?: RecordShape;
  readonly text?: TextShape;
  /**
   * The elements of the list in a JSON or YAML document; `undefined` for a document of another shape, a sentence for one that
   * cannot be used.
   */
  find?(root: unknown): Iterable<Element> | string | undefined;
}

/** An own member of an object, never an inherited one. */
export function member(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function has(members: JsonObject, ...names: string[]): boolean {
  return names.every((name) => Object.hasOwn(members, name));
}

/** The elements of an array of the document; none if there is no array. */
export function elements(root: unknown, ...path: string[]): Element[] {
  const array = path.reduce(member, root);
  return Array.isArray(array) ? array.map((record: unknown, index) => ({ path: [...path, index], record })) : [];
}
