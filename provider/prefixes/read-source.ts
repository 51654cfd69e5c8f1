import type { Collector } from "./collector";
import { foreignText } from "./foreign-files";
import { csv } from "./formats/csv";
import type { Format } from "./formats/format";
import { json, ndjson } from "./formats/json";
import { txt } from "./formats/txt";
import { yaml } from "./formats/yaml";
import type { PrefixFileFormat, PrefixFileOptions } from "./options";
import type { TextSource } from "./source";

/** Formats in the order in which they are tried; text that no other recognises is plain text. */
const FORMATS: Readonly<Record<PrefixFileFormat, Format>> = { ndjson, json, yaml, csv, txt };

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

/**
 * Format of a text: by the option, else by its content if that is certain (JSON begins with a bracket, and Spamhaus names its
 * NDJSON `.json`), else by the extension, else by its first lines.
 */
function formatOf(head: string, extension: string, given: PrefixFileFormat | undefined): Format {
  if (given) return FORMATS[given];
  const named = Object.values(FORMATS).find(({ extensions }) => extensions.includes(extension));
  if (named === csv || named === yaml || named === ndjson) return named;
  if (json.recognises(head)) return ndjson.recognises(head) ? ndjson : json;
  return named ?? Object.values(FORMATS).find((format) => format.recognises(head)) ?? txt;
}
