import type { CanonicalPrefix } from "../model/prefix";

/** What limits the removals of one deployment in one set. */
export interface RemovalRule {
  /** How many entries may go, given how many the set held when the deployment began; `undefined`: any number. */
  readonly limit: (size: number) => number | undefined;
  /** The sentence for those who are stopped. */
  readonly refuse: (numbers: { readonly removals: number; readonly size: number; readonly limit: number }) => string;
}

/**
 * Counts what all resources together remove from a set in this process. Once the limit would have been passed, nothing
 * more is removed: a loop that shrinks by mistake arrives in small groups, each of which would be harmless by itself.
 */
export class RemovalBudget {
  private readonly removed = new Set<CanonicalPrefix>();
  private reason: string | undefined;

  constructor(private readonly rule: RemovalRule) {}

  /**
   * Asks for these removals; what is granted counts from now on.
   *
   * @param size how many entries the set held when the deployment began
   * @returns why they are not granted, as a sentence
   */
  refuses(prefixes: readonly CanonicalPrefix[], size: number): string | undefined {
    const limit = this.rule.limit(size);
    if (limit === undefined || prefixes.length === 0) return undefined;
    const all = new Set([...this.removed, ...prefixes]);
    if (all.size > limit) this.reason ??= this.rule.refuse({ removals: all.size, size, limit });
    if (this.reason === undefined) for (const prefix of prefixes) this.removed.add(prefix);
    return this.reason;
  }
}
