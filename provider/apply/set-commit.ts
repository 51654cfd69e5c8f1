import { isRefusal } from "../client/errors";
import type { NodeSet, ObservedSet, SetEntry } from "../client/node-set";
import { stagedText } from "../messages/sentences/writes";
import { messageOf } from "../model/errors";
import { saysNothingToCommit } from "../wire/node-answer";
import { type ConfirmationOptions, placeOf } from "./set-confirmation";
import { type Changes, doneByOthers, missing, type Planned } from "./set-operation";
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
 * the same request may have succeeded, or another writer's commit came first, so that nothing is staged. On nodes that list
 * staged entries, the list alone is no proof. So where it showed the result before, the entries are sent once more: then a
 * commit has something to apply.
 */
export async function commitStaged(
  set: NodeSet,
  {
    before,
    merged,
    plans,
  }: { readonly before: ObservedSet; readonly merged: Changes; readonly plans: readonly Planned[] },
): Promise<void> {
  try {
    await set.commit();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (error.isDoubtful || saysNothingToCommit(messageOf(error))) {
      const observed = await set.observe().catch(() => undefined);
      if (observed && missing(merged, observed).length === 0) return;
    } else if (missing(merged, before).length === 0) {
      const listed = plans.flatMap((plan): SetEntry[] => (plan.ok ? [...plan.value.put] : []));
      const shown = listed.filter(([prefix, value]) => before.values.get(prefix) === value);
      const isSent =
        shown.length > 0 &&
        (await set.insert(shown).then(
          () => true,
          () => false,
        ));
      if (isSent) return set.commit();
    }
    throw error;
  }
}
