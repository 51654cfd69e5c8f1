import type { Crowd } from "./crowd";

/**
 * Operations on one set that were announced and have neither come nor turned out needless. The engine has every resource
 * checked before it has it created or updated, so a check announces, and a comparison without a difference takes back.
 * A removal is announced by nobody. Some that are announced never come, for example those that a policy forbids: this says who may
 * still come, and is never waited for without a limit.
 *
 * @example
 * ```ts
 * const expected = new Expected(crowd);
 * expected.add("203.0.113.7/32");                        // checked
 * const wasAnnounced = expected.drop("203.0.113.7/32");  // it comes, or nothing is to be done
 * ```
 */
export class Expected {
  private readonly keys = new Set<string>();
  private changed: () => void = () => {};

  /** @param crowd Where all that are expected in this process are counted. */
  constructor(private readonly crowd: Crowd) {}

  get size(): number {
    return this.keys.size;
  }

  /** Calls `changed` whenever somebody more or less is expected. */
  watch(changed: () => void): void {
    this.changed = changed;
  }

  /** Expects an operation. A replacement is checked twice and comes once, which the key tells. */
  add(key: string): void {
    if (this.keys.has(key)) return;
    this.keys.add(key);
    this.crowd.expect(1);
    this.changed();
  }

  /** Expects it no longer. False if it was not expected. */
  drop(key: string): boolean {
    if (!this.keys.delete(key)) return false;
    this.crowd.expect(-1);
    this.changed();
    return true;
  }
}
