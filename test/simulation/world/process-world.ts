import type { Dispatcher } from "../../../provider/client/http";
import { NodeMemories, type World } from "../../../provider/client/world";
import type { Caller, Network, Sent } from "./network";
import type { Random } from "./random";
import type { VirtualTime } from "./time";

/** The machine of an operator: its calendar can be changed. */
export interface Calendar {
  /** Milliseconds since 1970 at the start of the simulation. */
  offset: number;
}

/** Reactions to the requests of a process: those of the story, and of the disturbances of a run. */
export interface Watch {
  /** Label of its requests in the journals. */
  readonly label: string;
  /** False: the request is not sent. */
  sending(host: string, request: Sent): boolean;
  answered(host: string, request: Sent): void;
}

/** The world of one process: it shares time and network with all others, and nothing of it happens any more once it is killed. */
export class ProcessWorld implements World, Caller {
  readonly memories = new NodeMemories();
  readonly dispatcher: Dispatcher;
  readonly random: () => number;
  readonly label: string;
  isDead = false;
  private announce: () => void = () => {};
  /** Settles when the process is killed. */
  readonly killed = new Promise<void>((resolve) => {
    this.announce = resolve;
  });

  constructor(
    private readonly time: VirtualTime,
    network: Network,
    private readonly calendar: Calendar,
    random: Random,
    private readonly watch: Watch,
  ) {
    this.label = watch.label;
    this.random = random.next;
    this.dispatcher = network.connections(this);
  }

  // Own properties, since clients copy the world that they are given.
  readonly monotonic = (): number => this.time.now;
  readonly wall = (): number => this.calendar.offset + this.time.now;

  readonly after = (ms: number, run: () => void): (() => void) =>
    this.time.after(ms, () => {
      if (!this.isDead) run();
    });

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const cancel = this.after(ms, resolve);
      const end = () => {
        cancel();
        resolve();
      };
      if (signal?.aborted) end();
      else signal?.addEventListener("abort", end, { once: true });
    });

  sending(host: string, request: Sent): boolean {
    return this.watch.sending(host, request);
  }

  answered(host: string, request: Sent): void {
    this.watch.answered(host, request);
  }

  kill(): void {
    if (this.isDead) return;
    this.isDead = true;
    this.time.moved();
    this.announce();
  }
}
