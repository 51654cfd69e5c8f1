import { stripVTControlCharacters } from "node:util";

/** Wider lines are hard to read, whatever the terminal. */
const WIDEST = 120;

/** Fits a help text into a terminal: paragraphs are filled again, and long indented lines continue with the same indentation. */
export function fitted(text: string, columns: number): string {
  const width = Math.min(columns, WIDEST);
  return paragraphs(text)
    .flatMap((line) => wrapped(line, width))
    .join("\n");
}

/** Lines that follow each other without indentation are one paragraph. */
function paragraphs(text: string): string[] {
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const last = lines.at(-1);
    const isMore = last !== undefined && isText(last) && isText(line);
    if (isMore) lines[lines.length - 1] = `${last} ${line}`;
    else lines.push(line);
  }
  return lines;
}

function isText(line: string): boolean {
  const plain = stripVTControlCharacters(line);
  return /^[^\s]/.test(plain) && !plain.endsWith(":");
}

/** A line as several of this width, broken at blanks. */
export function wrapped(line: string, width: number): string[] {
  if (stripVTControlCharacters(line).length <= width) return [line];
  const indent = " ".repeat(line.length - line.trimStart().length + (line.startsWith(" ") ? 2 : 0));
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(/(?<=\S) /)) {
    const next = current === "" ? word : `${current} ${word}`;
    if (next.length > width && current.trim() !== "") {
      lines.push(current);
      current = indent + word;
    } else current = next;
  }
  return [...lines, current];
}
