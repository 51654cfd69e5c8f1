import { type Clock, systemClock } from "./clock";
import type { Dispatcher } from "./http";
import { MarkPace } from "./mark-pace";

/** Everything that a client takes from its surroundings, so that tests can hand in their own. */
export interface World extends Clock {
  /** From 0 up to 1, for the jitter of pauses. */
  random(): number;
  /** An undici dispatcher (a proxy agent, a mock) in place of the client's own; the client does not close it. */
  readonly dispatcher?: Dispatcher;
  /** Ends every request of the client, and keeps it from beginning another: for a caller that ends as a whole. */
  readonly stop?: AbortSignal;
  /** Most tries of a request, whatever the answer. Default: five, and up to the deadline where the other side is busy. */
  readonly maxTries?: number;
  /** Memory of nodes and of the pace of their lists of marks. Default: one for the whole process. @internal */
  readonly memories: NodeMemories;
}

/** Memory of one node, shared by connections of any name and spelling. */
class NodeMemory {
  /** Places in answers where the node listed keyed objects: there, an empty object is an empty list. */
  readonly keyedPlaces = new Set<string>();
  private pace: MarkPace | undefined;

  /** When lists of marks began and ended. */
  get marks(): MarkPace {
    this.pace ??= new MarkPace();
    return this.pace;
  }
}

/** The nodes that a process has talked to, by their canonical base urls. */
export class NodeMemories {
  private readonly nodes = new Map<string, NodeMemory>();

  /** @param endpoint Canonical base url, without userinfo and `/fapi`. */
  of(endpoint: string): NodeMemory {
    const memory = this.nodes.get(endpoint) ?? new NodeMemory();
    this.nodes.set(endpoint, memory);
    return memory;
  }
}

/** Memory of this process; tests bring their own. */
export const processMemories = new NodeMemories();

/** The real clock, timers and randomness. */
export const systemWorld: World = {
  ...systemClock,
  random: Math.random,
  memories: processMemories,
};
