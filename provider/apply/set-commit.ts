import { isRefusal } from "../client/errors";
import type { NodeSet, ObservedSet } from "../client/node-set";
import { stagedText } from "../messages/sentences/writes";
import { type ConfirmationOptions, placeOf } from "./set-confirmation";
import { type Changes, doneByOthers, missing } from "./set-operation";
import type { Staging } from "./set-staging";

/** Treatment of entries that another writer staged. */
export interface CommitOptions extends Pick<ConfirmationOptions, "set" | "notices" | "at"> {
  /**
   * Lists before the commit, to find entries that another writer staged, where the node lists staged entries: `"fail"` takes
   * our own back and commits nothing, `"warn"` warns and continues. By default changes by others are reported afterwards.
   */
  readonly foreignStaged?: "fail" | "warn" | undefined;
}

/** One more list, before the commit. A node that lists applied entries only does not show our own changes in it. */
export async function refuseForeign(
  options: CommitOptions,
  { before, merged, staging }: { readonly before: ObservedSet; readonly merged: Changes; readonly staging: Staging },
): Promise<void> {
  const { set, foreignStaged, notices } = options;
  if (foreignStaged === undefined) return;
  const staged = await set.observe();
  const foreign = missing(merged, staged).length > 0 ? undefined : doneByOthers(before.values, staged.values, merged);
  if (!foreign) return;
  const event = { kind: "foreignStaged", ...placeOf(options), ...foreign } as const;
  if (foreignStaged === "warn") return notices.report(event);
  await staging.restore([...merged.put.keys(), ...merged.remove]);
  throw new Error(
    `${stagedText(event)} Nothing was committed (foreignStaged: "fail"). Have them committed or deleted first, then run "pulumi up" again.`,
  );
}

/**
 * A refused commit counts as done only if the list shows the result, and if there was nothing to commit: an earlier try of
 * the same request may have succeeded, the set may already have been as declared, or another writer's commit came first, so
 * that nothing is staged. On nodes that list staged entries, the list alone is no proof: words of a missing permission or of
 * missing room count more.
 */
export async function commitStaged(set: NodeSet, before: ObservedSet, merged: Changes): Promise<void> {
  try {
    await set.commit();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const { commitRefusal: reason } = set;
    const isUnchanged = reason === undefined && missing(merged, before).length === 0;
    if (error.isDoubtful || reason === "nothing-staged" || isUnchanged) {
      const observed = await set.observe().catch(() => undefined);
      if (observed && missing(merged, observed).length === 0) return;
    }
    throw error;
  }
}
