import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const root = resolve(__dirname, "../..");

/**
 * A fenced block. In the README the word after its language says who proves it; in guides, `test/support/guide.ts` does:
 *
 * - `sh run`: runs as it stands, in a folder where the package is installed; a following `output` block is what it prints
 * - `sh background`: the same, kept running until the end of the page
 * - `sh e2e`: runs in test/e2e, with a real Pulumi CLI; a following `output` block is among what it prints
 * - `sh check`: too big to run inside a test; every command must exist
 * - `text picture`: is looked at
 * - `ts run`: runs as a module
 * - `ts FILE`: stands in that file of the repository, which a test of its own runs
 */
export interface Block {
  readonly line: number;
  readonly language: string;
  readonly tag: string;
  readonly text: string;
}

/** The fenced blocks of a file of the repository. */
export function blocksOf(file: string): Block[] {
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  const blocks: Block[] = [];
  let open: { line: number; language: string; tag: string; indent: number; text: string[] } | undefined;
  for (const [index, line] of lines.entries()) {
    const fence = /^( *)```(\S*) *(.*)$/.exec(line);
    if (fence && open) {
      const { indent, text, ...rest } = open;
      blocks.push({ ...rest, text: text.map((one) => one.slice(indent)).join("\n") });
      open = undefined;
    } else if (fence) {
      const [, indent = "", language = "", tag = ""] = fence;
      open = { line: index + 1, language, tag, indent: indent.length, text: [] };
    } else open?.text.push(line);
  }
  if (open) throw new Error(`${file}:${open.line}: the block has no end`);
  return blocks;
}

/** The commands of shell blocks, one a line. */
export function commandsOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap(({ text }) => text.split("\n")).filter((line) => line !== "" && !line.startsWith("#"));
}
