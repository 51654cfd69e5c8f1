import { count, NAMED } from "../../model/text";
import type { ResourceSet } from "../resource-set";

/** Outcome of the update of a set, as a preview expects it. */
export interface Foreseen {
  readonly set: ResourceSet;
  /** Limits that the update exceeds, as sentences. */
  readonly refusal?: string | undefined;
  /** True if it restores lost entries, refused or not. */
  readonly restores: boolean;
}

/**
 * Fails where the `up` would fail by a limit, before anything is sent. Where the `up` restores lost entries first, the limit is a
 * warning: the engine asks in the `up`, too, and would not come to the restore.
 *
 * @throws {Error} naming the limits
 */
export function requireWithinLimits(updates: readonly Foreseen[]): void {
  const refused = updates.flatMap(({ set, refusal }) => (refusal === undefined ? [] : { set, refusal }));
  if (refused.length === 0) return;
  if (!updates.some(({ restores }) => restores)) throw new Error(textOf(refused.map(({ refusal }) => refusal)));
  for (const { set, refusal } of refused) set.report({ kind: "overLimit", reason: refusal });
}

function textOf(refusals: readonly string[]): string {
  const rest = refusals.length - NAMED;
  return [...refusals.slice(0, NAMED), ...(rest > 0 ? [`… and more on ${count(rest, "other node")}.`] : [])].join("\n");
}
