import type { Collector } from "./collector";
import { foreignText } from "./foreign-files";
import { formatOf } from "./formats/format-of";
import type { PrefixFileOptions } from "./options";
import type { TextSource } from "./source";

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
