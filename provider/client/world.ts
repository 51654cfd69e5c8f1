import { type Clock, systemClock } from "./clock";
import type { Dispatcher } from "./http";
import { MarkPace } from "./mark-pace";

/** Clock, timers, randomness and transport of a client; tests bring their own. */
export interface World extends Clock {
  /** From 0 up to 1, for the jitter of pauses. */
  random(): number;
  /** An undici dispatcher (a proxy agent, a mock) in place of the client's own; the client does not close it. */
  readonly dispatcher?: Dispatcher;
  /** Ends every request of the client and prevents new ones. */
  readonly stop?: AbortSignal;
  /** Most tries of a request, whatever the answer. Default: five; while the other side is busy, as many as the deadline allows. */
  readonly maxTries?: number;
  /** Memory of nodes and of the pace of their lists of marks. Default: one per process. @internal */
  readonly memories: NodeMemories;
}

class NodeMemory {
  /** Places in answers where the node listed objects by key: an empty object is an empty list there. */
  readonly keyedPlaces = new Set<string>();
  /** Turns of the connections that stage and commit, by the url of the commit. */
  readonly turns = new Map<string, { acquire(): Promise<() => void> }>();
  private pace: MarkPace | undefined;

  get marks(): MarkPace {
    this.pace ??= new MarkPace();
    return this.pace;
  }
}

/** The nodes of a process, by canonical base url. */
export class NodeMemories {
  private readonly nodes = new Map<string, NodeMemory>();

  /** @param endpoint Canonical base url, without userinfo and `/fapi`. */
  of(endpoint: string): NodeMemory {
    const memory = this.nodes.get(endpoint) ?? new NodeMemory();
    this.nodes.set(endpoint, memory);
    return memory;
  }
}

export const processMemories = new NodeMemories();

export const systemWorld: World = {
  ...systemClock,
  random: Math.random,
  memories: processMemories,
};
