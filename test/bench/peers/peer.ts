import type { ChildProcess } from "node:child_process";
import type { PeerName, Step, Workload } from "./plan";

/** Task of a peer: keep entries in a set at a node without another writer. */
export interface Task {
  readonly workload: Workload;
  /** Base address of the node. */
  readonly endpoint: string;
  /** The name of the set, in the arena `edge`. */
  readonly set: string;
}

/** One of those that are compared, ready to begin, in a folder of its own. */
export interface Session extends AsyncDisposable {
  readonly folder: string;
  /** Makes these entries what the next steps are about. */
  want(entries: Readonly<Record<string, number>>): Promise<void>;
  /** Starts the command of a step; stdout and stderr are pipes. @param env Further variables of its environment */
  start(step: Step, env?: Readonly<Record<string, string>>): ChildProcess;
  /** Bytes of the state that it keeps between steps. */
  stateBytes(): Promise<number>;
  /** True when the output of a refresh says that the node is not as it was left. */
  sawDrift(output: string): boolean;
}

/** One of those that are compared. */
export interface Peer {
  readonly name: PeerName;
  readonly workloads: readonly Workload[];
  /** False for those that only measure an engine. */
  readonly asksNode: boolean;
  /** Why it cannot run here, as the end of "not run: …". */
  absent?(): string | undefined;
  /** Requests of the longest step that wait for one another, where there are many: what latency certainly costs. */
  oneByOne?(workload: Workload, size: number): number;
  prepare(task: Task): Promise<Session>;
}

/** The file beside each program that says what is wanted: {@link Task}, entries, and how many go into one request. */
export const WANTED = "wanted.json";

/** Content of {@link WANTED}. */
export function wantedText(
  { endpoint, set }: Task,
  entries: Readonly<Record<string, number>>,
  perRequest?: number,
): string {
  return JSON.stringify({ endpoint, url: `prefixset://edge/${set}`, set, perRequest, entries });
}
