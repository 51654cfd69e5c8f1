import type { Document, ParsedNode, YAMLError } from "yaml";
import { visible } from "./foreign-text";
import { ExcessError, plainData, ranOutOfStack } from "./plain-data";

/**
 * References (YAML's aliases) times values of a text: the parser seeks the target of each reference through all values before
 * it, and a text of a megabyte with as many of both keeps it busy for minutes.
 */
const MOST_SEARCHES = 20_000_000;

/** Options of the parser for texts that another may have written. */
export const PARSING = {
  // It compares each key with all: see `repeatedKeys`.
  uniqueKeys: false,
  // It would print what is odd in the text, as it stands there.
  logLevel: "error",
} as const;

/** A key that a map of a document has twice: the second one. */
export interface RepeatedKey {
  readonly name: string;
  /** Characters before it. */
  readonly offset: number;
}

/** Keys that stand twice in their map, in the order of the text. */
export function repeatedKeys(document: Document): RepeatedKey[] {
  // Loaded here, since most programs read no YAML.
  const { isNode, visit } = require("yaml") as typeof import("yaml");
  const repeated: RepeatedKey[] = [];
  visit(document, {
    Map(_, map) {
      const names = new Set<string>();
      for (const { key } of map.items) {
        const name = String(key);
        if (names.has(name)) repeated.push({ name, offset: isNode(key) ? (key.range?.[0] ?? 0) : 0 });
        names.add(name);
      }
    },
  });
  return repeated;
}

/**
 * Plain data of a document.
 *
 * @param text Source of the document.
 * @throws {ExcessError} when it is nested too deeply, or has too many values or references.
 */
export function dataOf(document: Document, text: string): unknown {
  const { visit } = require("yaml") as typeof import("yaml");
  return plainData(text, () => {
    let [values, references] = [0, 0];
    visit(document, {
      Node: () => void values++,
      Alias: () => void references++,
    });
    if (values * references > MOST_SEARCHES)
      throw new ExcessError(
        `has ${references} references (YAML's aliases) among ${values} values, and no more than ${MOST_SEARCHES} are sought through: write out what they stand for`,
      );
    return document.toJS();
  });
}

/**
 * Reads a YAML text that another may have written, in a time that grows as the text does.
 *
 * @throws {ExcessError} as {@link dataOf}; {YAMLError} where it is no YAML, or a key stands twice in a map.
 * @example
 * ```ts
 * readYaml("nodes: { fra1: { endpoint: https://192.0.2.10 } }");
 * ```
 */
export function readYaml(text: string): unknown {
  const { LineCounter, parseDocument } = require("yaml") as typeof import("yaml");
  const lines = new LineCounter();
  const document: Document.Parsed<ParsedNode> = parseDocument(text, { ...PARSING, lineCounter: lines });
  const [error]: YAMLError[] = document.errors;
  if (error) throw ranOutOfStack(error) ? new ExcessError("is nested too deeply") : error;
  const [repeated] = repeatedKeys(document);
  if (repeated) {
    const { line, col } = lines.linePos(repeated.offset);
    throw new Error(`the key ${visible(JSON.stringify(repeated.name))} is there twice, at line ${line}, column ${col}`);
  }
  return dataOf(document, text);
}
