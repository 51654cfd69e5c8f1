import { execFileSync } from "node:child_process";
import { KIND } from "./kind";

/** Process ids of the provider servers that descend from a process: those of dynamic resources, or the plugin's. */
export function providersUnder(pid: number, kind: typeof KIND = KIND): number[] {
  const server = kind === "plugin" ? /[\\/]provider[\\/]plugin[\\/]main\.js/ : /[\\/]cmd[\\/]dynamic-provider/;
  const processes = table();
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]));
  const descends = (id: number): boolean => {
    const parent = parents.get(id);
    return parent !== undefined && (parent === pid || descends(parent));
  };
  return processes.filter(({ pid: id, command }) => server.test(command) && descends(id)).map(({ pid: id }) => id);
}

/** True where the one process has started the other itself. */
export function isChild(pid: number, parent: number | undefined): boolean {
  return table().some((it) => it.pid === pid && it.parent === parent);
}

/** True while there is a process with this id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Asks again and again until it is so. @throws {Error} after the time given, saying what was awaited. */
export async function until(what: string, holds: () => boolean, patienceMs = 20_000): Promise<void> {
  const end = Date.now() + patienceMs;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`not within ${patienceMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function table(): { pid: number; parent: number; command: string }[] {
  const lines = execFileSync("ps", ["-A", "-ww", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return command === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
}
