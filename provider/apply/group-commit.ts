import { type Clock, systemClock } from "../client/clock";
import { asError } from "../model/errors";
import { type Announced, type Gathering, InFlight } from "./in-flight";

/** The answer of a flush to one operation of its group. */
export type Settled<R> = { readonly ok: true; readonly value: R } | { readonly ok: false; readonly error: Error };

/** Carries out a group of operations at once and answers for each of them, in the same order. */
export type Flush<O, R> = (group: readonly O[]) => Promise<readonly Settled<R>[]>;

/** Facts about the caller that submits an operation. */
export interface Caller {
  /** True if it was announced: then the other announcements show which callers will join it. */
  readonly isAnnounced?: boolean;
  /** True if it is one node of a `PrefixSetGroup`, whose other nodes are in flight, too. */
  readonly isNode?: boolean;
}

interface Waiting<O, R> {
  readonly operation: O;
  readonly caller: Caller;
  readonly resolve: (value: R) => void;
  readonly reject: (error: Error) => void;
}

type State =
  | { readonly name: "idle" }
  | { readonly name: "gathering"; readonly cancel: () => void }
  | { readonly name: "flushing" };

/**
 * Group commit: operations that arrive together are carried out together, one flush at a time.
 *
 * There is no fixed window. A group closes as soon as no other caller can come ({@link InFlight}); after `commitCoalesceMs`
 * when no other is {@link Announced}; after a wait of about the usual gap between callers when one is announced, or when that
 * is unknown; and when its first member has waited for the longest allowed time. Callers that arrive during a flush belong to
 * the next group.
 *
 * @example
 * ```ts
 * const writer = new GroupCommit(async (group) => group.map((value) => ({ ok: true, value })), { commitCoalesceMs: 30 });
 * await Promise.all([writer.submit("a"), writer.submit("b")]);   // one flush of ["a", "b"]
 * ```
 */
export class GroupCommit<O, R> {
  private waiting: Waiting<O, R>[] = [];
  /** Start of the wait of the first caller in the open group. */
  private since = 0;
  private state: State = { name: "idle" };
  private readonly clock: Pick<Clock, "monotonic" | "sleep">;
  private readonly inFlight: InFlight;

  constructor(
    private readonly flush: Flush<O, R>,
    private readonly options: {
      /** Milliseconds that a lone operation waits for others. */
      readonly commitCoalesceMs: number;
      /** The callers of all groups of this process; by default those of this group alone. */
      readonly inFlight?: InFlight | undefined;
      /** Operations announced to this group; none by default. */
      readonly announced?: Announced | undefined;
      readonly clock?: Pick<Clock, "monotonic" | "sleep"> | undefined;
    },
  ) {
    this.clock = options.clock ?? systemClock;
    this.inFlight = options.inFlight ?? new InFlight(this.clock);
    options.announced?.watch(() => {
      if (this.state.name === "gathering") this.gather();
    });
  }

  /** Joins the open group; settles with this operation's own result or error. */
  submit(operation: O, caller: Caller = {}): Promise<R> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ operation, caller, resolve, reject });
      this.inFlight.arrive();
      if (this.state.name !== "flushing") this.gather();
    });
  }

  private gather(): void {
    if (this.state.name === "gathering") this.state.cancel();
    else this.since = this.clock.monotonic();
    if (this.inFlight.isFull) {
      void this.run();
      return;
    }
    const { commitCoalesceMs, announced } = this.options;
    const { since, expectedCallers } = this;
    const areNodes = this.waiting.every(({ caller }) => caller.isNode);
    const gathering = { commitCoalesceMs, since, expectedCallers, areNodes, checkedAt: announced?.checkedAt };
    this.state = { name: "gathering", cancel: this.inFlight.wait(gathering, () => void this.run()) };
  }

  private get expectedCallers(): Gathering["expectedCallers"] {
    if (!this.waiting.every(({ caller }) => caller.isAnnounced)) return "unknown";
    return this.options.announced?.size === 0 ? "complete" : "announced";
  }

  private async run(): Promise<void> {
    const group = this.waiting;
    this.waiting = [];
    this.state = { name: "flushing" };
    const results = await this.settle(group);
    this.inFlight.answer(group.length);
    group.forEach(({ resolve, reject }, index) => {
      const result = results[index];
      if (result?.ok) resolve(result.value);
      else reject(result?.error ?? new Error("The flush gave no answer for this operation."));
    });
    this.state = { name: "idle" };
    if (this.waiting.length > 0) this.gather();
  }

  private async settle(group: readonly Waiting<O, R>[]): Promise<readonly Settled<R>[]> {
    try {
      return await this.flush(group.map(({ operation }) => operation));
    } catch (error) {
      const failure = asError(error);
      return group.map(() => ({ ok: false, error: failure }));
    }
  }
}
