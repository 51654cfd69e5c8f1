import { readFileSync } from "node:fs";
import type { CliIo } from "./cli-io";

/** Milliseconds between two looks at the parent processes. */
const PARENT_MS = 200;

/**
 * Resolves when npx ends, which may leave this process running; never without npx.
 *
 * @param start The parent processes at the start.
 */
export function parentsEnded({ env }: CliIo, start: string): Promise<void> {
  if (env.npm_command !== "exec") return new Promise(() => {});
  return new Promise((ended) => {
    const timer = setInterval(() => {
      if (parents() === start) return;
      clearInterval(timer);
      ended();
    }, PARENT_MS);
    timer.unref();
  });
}

/**
 * The parent process, and its parent as well if it is the shell of npx, which lives on without npx. Without `/proc`, the parent
 * alone.
 */
export function parents(): string {
  const { ppid } = process;
  try {
    const [name = "", rest = ""] = readFileSync(`/proc/${ppid}/stat`, "utf8").split(") ");
    return /\((?:npm|node)/.test(name) ? `${ppid}` : `${ppid} ${rest.split(" ")[1]}`;
  } catch {
    return `${ppid}`;
  }
}
