import type { Collector } from "../collector";
import type { PrefixFileOptions } from "../options";
import type { TextSource } from "../source";

/** One way of writing a file. */
export interface Format {
  /** File extensions that name it. */
  readonly extensions: readonly string[];
  /** Options that have a meaning for this format alone. */
  readonly options?: readonly ("header" | "records")[];
  /** True for the beginning of a text of this format, for files whose extension does not show it. */
  recognises(head: string): boolean;
  /** Passes all records of the text to the collector. */
  read(source: TextSource, collector: Collector, options: PrefixFileOptions): void;
}

/** A comment line or a blank one. */
const NOTHING = /^\s*(?:[#;].*)?$/;

/** The first lines of a text with content, complete ones if there are any. */
export function firstLines(head: string, most: number, nothing = NOTHING): string[] {
  const lines: string[] = [];
  for (let start = 0; start < head.length && lines.length < most; ) {
    const end = head.indexOf("\n", start);
    const line = head.slice(start, end < 0 ? undefined : end).replace(/\r$/, "");
    if (!nothing.test(line)) lines.push(line);
    if (end < 0) break;
    start = end + 1;
  }
  return lines;
}
