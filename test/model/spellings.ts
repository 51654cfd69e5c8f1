import { readFileSync } from "node:fs";
import { join } from "node:path";

/** One line of spellings.txt: what a text becomes, or why it is refused and what to write instead. */
export type Row = { spelling: string } & ({ canonical: string } | { problem: string; corrected: string | undefined });

/** The table of spellings. A line that is neither comment nor row is an error, so that no row is lost by a typing slip. */
export const spellings: readonly Row[] = readFileSync(join(__dirname, "spellings.txt"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => {
    const row = /^("(?:[^"\\]|\\.)*")\s+(?:->\s+(\S+)|!!\s+([a-z0-9-]+)(?:\s+(\S+))?)\s*$/.exec(line);
    if (!row?.[1]) throw new Error(`spellings.txt: ${line}`);
    const spelling: string = JSON.parse(row[1]);
    return row[2] ? { spelling, canonical: row[2] } : { spelling, problem: String(row[3]), corrected: row[4] };
  });
