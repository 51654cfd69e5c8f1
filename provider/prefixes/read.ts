import { extname } from "node:path";
import { aggregateTable } from "./algebra/aggregate";
import { Collector } from "./collector";
import type { PrefixEntries } from "./entries";
import { type PrefixFileOptions, parseOptions } from "./options";
import { Problems } from "./problems";
import { readSource } from "./read-source";
import { type TextSource, textSource, withFile } from "./source";
import { TableCollector } from "./table-collector";
import { entriesOf } from "./tables";

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
  const problems = new Problems(source.name);
  if (!options.aggregate) {
    const collector = new Collector(options, problems, now);
    readSource(source, extension, options, collector);
    return { entries: collector.finish(), leftOut: collector.leftOut };
  }
  const collector = new TableCollector(options, problems, now);
  readSource(source, extension, options, collector);
  return { entries: entriesOf(collector.tables().map(aggregateTable)), leftOut: collector.leftOut };
}
