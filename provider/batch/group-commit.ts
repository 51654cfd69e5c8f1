import { type Clock, systemClock } from "../client/clock";
import { asError } from "../model/errors";
import { Crowd, type Gathering } from "./crowd";
import type { Expected } from "./expected";

/** What a flush says about one operation of its group. */
export type Settled<R> = { readonly ok: true; readonly value: R } | { readonly ok: false; readonly error: Error };

/** Carries out a group of operations at once and answers for each of them, in the same order. */
export type Flush<O, R> = (group: readonly O[]) => Promise<readonly Settled<R>[]>;

interface Waiting<O, R> {
  readonly operation: O;
  readonly isAnnounced: boolean;
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
 * There is no fixed window. A group closes as soon as nobody else can come ({@link Crowd}); after a quiet time when nobody else
 * is {@link Expected}; after a wait that follows the usual gap between callers when somebody is, or when that is not known;
 * and when its first member has waited for as long as anybody may. Whatever arrives during a flush belongs to the next group.
 *
 * @example
 * ```ts
 * const writer = new GroupCommit(async (group) => group.map((value) => ({ ok: true, value })), { quietMs: 30 });
 * await Promise.all([writer.submit("a"), writer.submit("b")]);   // one flush of ["a", "b"]
 * ```
 */
export class GroupCommit<O, R> {
  private waiting: Waiting<O, R>[] = [];
  /** When the first of those who wait began to wait for the group that is gathering. */
  private since = 0;
  private state: State = { name: "idle" };
  private readonly clock: Pick<Clock, "monotonic" | "sleep">;
  private readonly crowd: Crowd;

  constructor(
    private readonly flush: Flush<O, R>,
    private readonly options: {
      /** Milliseconds that a lone operation waits for company. */
      readonly quietMs: number;
      /** The callers of all groups of this process; by default those of this group alone. */
      readonly crowd?: Crowd | undefined;
      /** Who was announced to this group; by default nobody ever is. */
      readonly expected?: Expected | undefined;
      readonly clock?: Pick<Clock, "monotonic" | "sleep"> | undefined;
    },
  ) {
    this.clock = options.clock ?? systemClock;
    this.crowd = options.crowd ?? new Crowd(this.clock);
    options.expected?.watch(() => {
      if (this.state.name === "gathering") this.gather();
    });
  }

  /**
   * Joins the group that is gathering; settles with this operation's own result or error.
   *
   * @param isAnnounced whether it was expected, so that what else is expected says who will join it
   */
  submit(operation: O, isAnnounced = false): Promise<R> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ operation, isAnnounced, resolve, reject });
      this.crowd.arrive();
      if (this.state.name !== "flushing") this.gather();
    });
  }

  private gather(): void {
    if (this.state.name === "gathering") this.state.cancel();
    else this.since = this.clock.monotonic();
    if (this.crowd.isFull) {
      void this.run();
      return;
    }
    const { quietMs } = this.options;
    const gathering = { quietMs, since: this.since, awaits: this.awaits };
    this.state = { name: "gathering", cancel: this.crowd.wait(gathering, () => void this.run()) };
  }

  private get awaits(): Gathering["awaits"] {
    if (!this.waiting.every(({ isAnnounced }) => isAnnounced)) return "unknown";
    return this.options.expected?.size === 0 ? "nobody" : "somebody";
  }

  private async run(): Promise<void> {
    const group = this.waiting;
    this.waiting = [];
    this.state = { name: "flushing" };
    const results = await this.settle(group);
    this.crowd.answer(group.length);
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
