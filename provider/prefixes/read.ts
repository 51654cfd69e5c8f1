import { extname } from "node:path";
import { Collector } from "./collector";
import type { PrefixEntries } from "./entries";
import { foreignText } from "./foreign-files";
import { formatOf } from "./formats";
import { type PrefixFileOptions, parseOptions } from "./options";
import { Problems } from "./problems";
import { type TextSource, textSource, withFile } from "./source";

/**
 * Reads a file of prefixes: text, CSV, JSON, NDJSON, YAML, or a published block list. Text, CSV and NDJSON are read line by
 * line; JSON and YAML are in memory as a whole. A file that is empty, or holds less than it announces, is an error, so that a
 * failed download never empties a set.
 *
 * @param file Path; relative ones are relative to the working directory, which is the program's folder in Pulumi.
 * @returns Entries for a `PrefixSet`, in the order of the file.
 * @throws {PrefixFileError} with the places of up to twenty problems.
 * @throws {TypeError} for an option that does not exist or cannot be.
 *
 * @example
 * ```ts
 * const entries = readPrefixFile("lists/drop_v4.json", { value: 2 });
 * new PrefixSet("blocked", { arena: "edge", set: "blocked", entries });
 * ```
 */
export function readPrefixFile(file: string, options?: PrefixFileOptions): PrefixEntries {
  if (typeof file !== "string") throw new TypeError("`file` is not the path of a file.");
  return openPrefixFile(file, options).entries;
}

/**
 * The same as {@link readPrefixFile} for a text in memory, for example a download.
 *
 * @throws {PrefixFileError} with the places of up to twenty problems; the option `file` names the text.
 *
 * @example
 * ```ts
 * const entries = parsePrefixes("192.0.2.0/24 2\n2001:db8::-2001:db8::1:ffff # a range\n");
 * // { "192.0.2.0/24": { value: 2 }, "2001:db8::/111": { value: 1 } }
 * ```
 */
export function parsePrefixes(text: string, options?: PrefixFileOptions): PrefixEntries {
  if (typeof text !== "string") throw new TypeError("`text` is not a text.");
  return openPrefixText(text, options).entries;
}

/** Entries of a file, and its other records. */
export interface PrefixFile {
  readonly entries: PrefixEntries;
  /** Number of records that the list omits, by kind. */
  readonly leftOut: ReadonlyMap<string, number>;
}

/** As {@link readPrefixFile}, for options that are not yet checked. @param now Milliseconds since 1970. */
export function openPrefixFile(file: string, options: unknown, now = Date.now()): PrefixFile {
  const parsed = parseOptions(options);
  const { file: name = file, maxBytes } = parsed;
  return withFile(file, { name, maxBytes }, (source) => read(source, extname(file).toLowerCase(), parsed, now));
}

/** As {@link parsePrefixes}, for options that are not yet checked. */
export function openPrefixText(text: string, options: unknown, now = Date.now()): PrefixFile {
  const parsed = parseOptions(options);
  return read(textSource(parsed.file ?? "text", text), extname(parsed.file ?? "").toLowerCase(), parsed, now);
}

function read(source: TextSource, extension: string, options: PrefixFileOptions, now: number): PrefixFile {
  const collector = new Collector(options, new Problems(source.name), now);
  readSource(source, extension, options, collector);
  return { entries: collector.finish(), leftOut: collector.leftOut };
}

/** Passes the records of a text to a collector. @param extension Of the file's name, with the dot. */
export function readSource(
  source: TextSource,
  extension: string,
  options: PrefixFileOptions,
  collector: Collector,
): void {
  const foreign = foreignText(source.head);
  if (foreign !== undefined) collector.problems.fail({ line: 1, column: 1 }, foreign);
  const format = formatOf(source.head, extension, options.format);
  for (const [name, formats] of [
    ["header", "csv"],
    ["records", "json or yaml"],
  ] as const) {
    if (options[name] !== undefined && !format.options?.includes(name))
      throw new TypeError(`The option \`${name}\` needs the format ${formats}.`);
  }
  format.read(source, collector, options);
}
