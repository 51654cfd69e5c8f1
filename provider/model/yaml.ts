import type { Document, ParsedNode, YAMLError } from "yaml";
import { visible } from "./foreign-text";
import { ExcessError, plainData, ranOutOfStack } from "./plain-data";

/**
 * Limit of references (YAML's aliases) times values. The parser searches all earlier values for the target of each reference,
 * which takes minutes for a megabyte of both.
 */
const MOST_SEARCHES = 20_000_000;

/** Options of the parser for texts from outside. */
export const PARSING = {
  // The parser compares each key with all others, `repeatedKeys` does not.
  uniqueKeys: false,
  // Warnings would quote the text on the terminal.
  logLevel: "error",
} as const;

/** The second occurrence of a key in a map. */
export interface RepeatedKey {
  readonly name: string;
  /** Characters before it. */
  readonly offset: number;
}

/** Repeated keys of all maps, in the order of the text. */
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
        `has ${references} references (YAML's aliases) among ${values} values, and no more than ${MOST_SEARCHES} are followed: write out their values`,
      );
    return document.toJS();
  });
}

/**
 * Reads a YAML text from outside, in linear time.
 *
 * @throws {ExcessError} as {@link dataOf}; {YAMLError} if it is not YAML, or if a key appears twice in a map.
 * @example
 * ```ts
 * readYaml("nodes: { fra1: { endpoint: https://192.0.2.10 } }");
 * ```
 */
export function readYaml(text: string): unknown {
  return dataOf(readDocument(text, PARSING), text);
}

/** Plain texts that Pulumi's reader (yaml.v3 of Go, with parts of YAML 1.1) takes for another value than YAML 1.2 does. */
const DIFFERENT = [
  // Octal, binary, with underscores, of a sign and another base, beyond a double.
  /^[-+]?0[\d_]+$/,
  /^[-+]?0b[01_]+$/i,
  /^[-+]?0[xo][\da-f]*_[\da-f_]*$/i,
  /^[-+]?[\d.]\d*_[\d_]*(?:\.[\d_]*)?(?:e[-+]?\d+)?$/i,
  /^[-+]?\d+\.\d*_[\d_]*(?:e[-+]?\d+)?$/i,
  /^[-+]0[xo]/i,
  /^[-+]?\d{16,}$/,
  /^[-+]?\.(?:inf|nan)$/i,
  // Times.
  /^\d{4}-\d\d?-\d\d?(?:[Tt\s]|$)/,
];

/**
 * Reads a YAML file whose settings Pulumi reads, too: with merge keys (`<<`), as it does. What both would read in different
 * ways is refused under `config` and in what a reference may bring there.
 *
 * @throws as {@link readYaml}
 */
export function readPulumiYaml(text: string): unknown {
  const { isNode, isScalar, visit } = require("yaml") as typeof import("yaml");
  const document = readDocument(text, { ...PARSING, merge: true });
  if (document.directives?.yaml.explicit) throw new Error("it names a version of YAML: leave out the line %YAML");
  visit(document, (key, node, path) => {
    const isOurs = path.some((one) => isPairOf(one, "config") || ("anchor" in one && one.anchor !== undefined));
    if (!isOurs && !(isScalar(node) && node.anchor !== undefined)) return;
    if (key === "key" && !(isScalar(node) && node.value !== null)) throw new Error("a key under config is not a text");
    if (!isNode(node) || (isScalar(node) && node.type === "PLAIN" && node.source === "<<")) return;
    const shown = isScalar(node) && node.type === "PLAIN" ? (node.source ?? "") : "";
    const isOther =
      DIFFERENT.some((one) => one.test(shown)) || (isScalar(node) && Math.abs(Number(node.value)) === Infinity);
    if (node.tag !== undefined || isOther)
      throw new Error(
        `Pulumi reads ${visible(JSON.stringify(shown || node.tag))} in another way: write the value as a text in quotes`,
      );
  });
  return dataOf(document, text);
}

function isPairOf(one: unknown, name: string): boolean {
  const { isPair, isScalar } = require("yaml") as typeof import("yaml");
  return isPair(one) && isScalar(one.key) && one.key.value === name;
}

/** Message of an error of the library: a sentence of ours in place of one about its functions. */
export function yamlMessage({ code, message }: Pick<YAMLError, "code" | "message">): string {
  return code === "MULTIPLE_DOCS" ? "there are several documents: write one" : message;
}

function readDocument(
  text: string,
  options: typeof PARSING & { readonly merge?: boolean },
): Document.Parsed<ParsedNode> {
  const { LineCounter, parseDocument } = require("yaml") as typeof import("yaml");
  const lines = new LineCounter();
  const document: Document.Parsed<ParsedNode> = parseDocument(text, { ...options, lineCounter: lines });
  const [error]: YAMLError[] = document.errors;
  if (error && ranOutOfStack(error)) throw new ExcessError("is nested too deeply");
  if (error) throw Object.assign(error, { message: yamlMessage(error) });
  const [repeated] = repeatedKeys(document);
  if (repeated) {
    const { line, col } = lines.linePos(repeated.offset);
    throw new Error(`the key ${visible(JSON.stringify(repeated.name))} appears twice, at line ${line}, column ${col}`);
  }
  return document;
}
