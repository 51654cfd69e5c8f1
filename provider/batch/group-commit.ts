import { Crowd } from "./crowd";
import { realSchedule, type Schedule } from "./schedule";

/** What a flush says about one operation of its group. */
export type Settled<R> = { readonly ok: true; readonly value: R } | { readonly ok: false; readonly error: Error };

/** Carries out a group of operations at once and answers for each of them, in the same order. */
export type Flush<O, R> = (group: readonly O[]) => Promise<readonly Settled<R>[]>;

interface Waiting<O, R> {
  readonly operation: O;
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
 * There is no fixed window. A group closes when nobody has joined it for a quiet time that follows the callers' rhythm,
 * or as soon as nobody else can come ({@link Crowd}). Whatever arrives during a flush belongs to the next group.
 *
 * @example
 * ```ts
 * const writer = new GroupCommit(async (group) => group.map((value) => ({ ok: true, value })), { quietMs: 30 });
 * await Promise.all([writer.submit("a"), writer.submit("b")]);   // one flush of ["a", "b"]
 * ```
 */
export class GroupCommit<O, R> {
  private waiting: Waiting<O, R>[] = [];
  private state: State = { name: "idle" };
  private readonly schedule: Schedule;
  private readonly crowd: Crowd;

  constructor(
    private readonly flush: Flush<O, R>,
    private readonly options: {
      /** Milliseconds that a lone operation waits for company. */
      readonly quietMs: number;
      /** The callers of all groups of this process; by default those of this group alone. */
      readonly crowd?: Crowd | undefined;
      readonly schedule?: Schedule | undefined;
    },
  ) {
    this.schedule = options.schedule ?? realSchedule;
    this.crowd = options.crowd ?? new Crowd(this.schedule);
  }

  /** Joins the group that is gathering; settles with this operation's own result or error. */
  submit(operation: O): Promise<R> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ operation, resolve, reject });
      this.crowd.arrive();
      if (this.state.name !== "flushing") this.gather();
    });
  }

  private gather(): void {
    if (this.state.name === "gathering") this.state.cancel();
    if (this.crowd.isFull) void this.run();
    else this.state = { name: "gathering", cancel: this.crowd.wait(this.options.quietMs, () => void this.run()) };
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
      const failure = error instanceof Error ? error : new Error(String(error));
      return group.map(() => ({ ok: false, error: failure }));
    }
  }
}
