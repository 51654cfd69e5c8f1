import { attempt } from "./errors";

/** Lines of a file to which programs append JSON. */
export interface JsonLines {
  /** Lines with content; also a last one that is whole and lacks only its newline. */
  readonly lines: readonly string[];
  /** The incomplete last line, which a killed writer leaves; empty if there is none. */
  readonly torn: string;
}

/** Splits a text of JSON lines. Whether an incomplete last line matters, only the reader of the file knows. */
export function jsonLines(text: string): JsonLines {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  const isWhole = attempt(() => JSON.parse(last)) !== undefined;
  return {
    lines: [...lines, ...(isWhole ? [last] : [])].filter((line) => line.trim() !== ""),
    torn: isWhole ? "" : last.trim(),
  };
}
