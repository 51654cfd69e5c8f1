import { AsyncLocalStorage } from "node:async_hooks";
import { type SetOperation, type SetResult, SetWriteFailure } from "../apply/set-operation";
import { aborted, LONGEST_TIMER_MS } from "../client/clock";
import type { CanonicalPrefix } from "../model/prefix";
import type { ListedMap } from "../model/prefix-map";
import { count } from "../model/text";

/**
 * Time that the program gives single operations of resources (`customTimeouts`). The engine passes it to the plugin, but not to
 * the SDK's server of dynamic resources.
 */
export class TimeLimits {
  private readonly limits = new AsyncLocalStorage<{ readonly seconds: number; readonly signal: AbortSignal }>();

  /** Aborts once the time of the operation that this code works for has passed; `undefined` where it has no limit. */
  get signal(): AbortSignal | undefined {
    return this.limits.getStore()?.signal;
  }

  /** Names the limit once the time has passed. */
  get passed(): string | undefined {
    const limit = this.limits.getStore();
    return limit?.signal.aborted ? `The program gives this operation ${limit.seconds} s (customTimeouts).` : undefined;
  }

  /** Carries out an operation. @param seconds 0 for no limit */
  within<T>(seconds: number, work: () => T): T {
    if (seconds <= 0) return work();
    const ms = Math.min(Math.ceil(seconds * 1_000), LONGEST_TIMER_MS);
    return this.limits.run({ seconds, signal: AbortSignal.timeout(ms) }, work);
  }

  /** Waits for something that changes nothing, up to the limit. @throws {Error} from `late` */
  async wait<T>(work: Promise<T>, late: () => Error): Promise<T> {
    const { signal } = this;
    return signal ? await Promise.race([work, aborted(signal).then(() => Promise.reject(late()))]) : await work;
  }

  /**
   * Waits for a write up to the limit. Its requests serve the writes of other resources, too: they are not ended, and the
   * failure names their possible effect. A write that is not planned when its time has passed sends nothing.
   *
   * @param label Name of the set in messages.
   * @throws {SetWriteFailure} when the time has passed and something may have been sent
   */
  async write(
    label: string,
    operation: SetOperation,
    submit: (operation: SetOperation) => Promise<SetResult>,
  ): Promise<SetResult> {
    const { signal } = this;
    if (!signal) return submit(operation);
    let sent: { readonly applied: ListedMap; readonly unsettled: readonly CanonicalPrefix[] } | undefined;
    const late = () =>
      sent
        ? new SetWriteFailure(
            `${label}: not finished in time. ${count(sent.unsettled.length, "entry", "entries")} of this resource may be staged, or applied: run the same pulumi command again, which settles that.`,
            sent,
          )
        : new Error(`${label}: not begun in time. Nothing was changed: run the same pulumi command again.`);
    if (signal.aborted) throw late();
    const plan = (observed: ListedMap) => {
      if (signal.aborted && !sent) throw late();
      const desired = operation.plan(observed);
      const put = [...desired.put].filter(([prefix, value]) => observed.get(prefix) !== value);
      const open = [...put.map(([prefix]) => prefix), ...desired.remove, ...(desired.unsettled ?? [])];
      sent = { applied: observed, unsettled: [...new Set(open)] };
      return desired;
    };
    return this.wait(submit({ ...operation, plan }), late);
  }
}
