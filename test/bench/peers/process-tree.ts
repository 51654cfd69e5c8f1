import { readdirSync, readFileSync } from "node:fs";

/** The largest resident sizes so far of the processes of a run, in MiB; 0 where there was none or the system does not tell. */
export interface Memory {
  /** `pulumi` or `terraform`. */
  readonly engine: number;
  /** The process that runs dynamic providers. */
  readonly provider: number;
  /** The largest of all others, such as the program, or jq. */
  readonly other: number;
}

/**
 * Looks at a process and its descendants again and again, until `stop`. Linux keeps the largest size itself (VmHWM), so a look misses only
 * what a process grows between the last look and its end. Elsewhere all sizes are 0.
 */
export function watchMemory(pid: number | undefined): { stop(): Memory } {
  const memory = { engine: 0, provider: 0, other: 0 };
  const look = () => {
    for (const each of pid === undefined ? [] : descendants(pid)) {
      const kind = kindOf(each);
      memory[kind] = Math.max(memory[kind], highWater(each));
    }
  };
  const start = performance.now();
  let timer: NodeJS.Timeout;
  // Often at first, since a short run is over soon, and then less and less, so that looking costs a long run nothing.
  const lookOn = () => {
    look();
    timer = setTimeout(lookOn, Math.min(100, 5 + (performance.now() - start) / 10));
  };
  lookOn();
  return {
    stop: () => {
      clearTimeout(timer);
      return { ...memory };
    },
  };
}

function descendants(pid: number): number[] {
  const threads = orElse([], () => readdirSync(`/proc/${pid}/task`));
  const children = threads.flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`).split(" ").filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(descendants)];
}

function kindOf(pid: number): keyof Memory {
  const name = read(`/proc/${pid}/comm`).trim();
  if (name === "pulumi" || name === "terraform") return "engine";
  return read(`/proc/${pid}/cmdline`).includes("dynamic-provider") ? "provider" : "other";
}

function highWater(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1_024;
}

/** Content of a file; empty if the process has ended, or the file system does not exist. */
const read = (path: string) => orElse("", () => readFileSync(path, "utf8"));

function orElse<T>(otherwise: T, work: () => T): T {
  try {
    return work();
  } catch {
    return otherwise;
  }
}
