import type { PrefixFileFormat } from "../options";
import { csv } from "./csv";
import type { Format } from "./format";
import { json, ndjson } from "./json";
import { txt } from "./txt";
import { yaml } from "./yaml";

/** Formats in the order in which they are tried; text that no other recognises is plain text. */
const FORMATS: Readonly<Record<PrefixFileFormat, Format>> = { ndjson, json, yaml, csv, txt };

/**
 * Format of a text: by the option, else by its content if that is certain (JSON begins with a bracket, and Spamhaus names its
 * NDJSON `.json`), else by the extension, else by its first lines.
 */
export function formatOf(head: string, extension: string, given: PrefixFileFormat | undefined): Format {
  if (given) return FORMATS[given];
  const named = Object.values(FORMATS).find(({ extensions }) => extensions.includes(extension));
  if (named === csv || named === yaml || named === ndjson) return named;
  if (json.recognises(head)) return ndjson.recognises(head) ? ndjson : json;
  return named ?? Object.values(FORMATS).find((format) => format.recognises(head)) ?? txt;
}
