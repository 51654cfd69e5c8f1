import type { Collector } from "../collector";
import type { PrefixFileOptions } from "../options";
import { linesOf, type TextSource } from "../source";

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
const NOTHING = /^\s*(?:[#;].*)?$/s;

/** The first lines of a text with content, complete ones if there are any. */
export function firstLines(head: string, most: number, nothing = NOTHING): string[] {
  const lines: string[] = [];
  for (const line of linesOf([head])) {
    if (lines.length === most) break;
    if (!nothing.test(line)) lines.push(line);
  }
  return lines;
}
