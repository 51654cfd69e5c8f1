import { readFileSync } from "node:fs";
import type { CliIo } from "./cli-io";

/** Milliseconds between two looks at the parent processes. */
const PARENT_MS = 200;

/**
 * Never without npx, which may leave what it started behind when it is ended itself.
 *
 * @param start The processes that this one came from at its start.
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
 * The parent, and where that is the shell which npx has between itself and what it starts, also npx: a shell lives on without it.
 * Where there is no `/proc`, the parent alone.
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
