import { readFileSync, rmSync } from "node:fs";
import { attempt } from "../model/errors";

/** Files that exist only while this process lives, such as locks, with what this process wrote into them. */
const held = new Map<string, string>();

/** Remembers a file that must not outlive the process; returns what forgets it. */
export function hold(file: string, content: string): () => void {
  held.set(file, content);
  return () => void held.delete(file);
}

/** Removes all of them at once, for a process that ends in this very turn. What took the place of one stays. */
export function removeHeld(): void {
  for (const [file, content] of held)
    attempt(() => {
      if (readFileSync(file, "utf8") === content) rmSync(file, { force: true });
    });
  held.clear();
}
