import { expect } from "vitest";
import { PrefixFileError, type PrefixFileOptions, parsePrefixes } from "../../provider/prefixes";

/** The lines of the message that a text causes: `file:line:column: what`. */
export function problemsOf(text: string, options?: PrefixFileOptions): string[] {
  try {
    parsePrefixes(text, options);
  } catch (error) {
    expect(error).toBeInstanceOf(PrefixFileError);
    return (error as PrefixFileError).message.split("\n");
  }
  throw new Error("nothing was wrong with the text");
}
