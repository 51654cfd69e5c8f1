import { isRefusal } from "../client/errors";
import type { NodeSet, ObservedSet } from "../client/node-set";
import type { CanonicalPrefix } from "../model/prefix";
import type { ListedMap } from "../model/prefix-map";
import { type ConfirmationOptions, placeOf, restore } from "./set-confirmation";
import { type Changes, doneByOthers, type Planned } from "./set-operation";
import { Staging } from "./set-staging";

/** The changes of the operations that have no refused entry, and the lost entries of the others. */
export function withoutRefused(plans: readonly Planned[], merged: Changes, refused: Staging["refused"]): Changes {
  const kept = new Set<CanonicalPrefix>();
  for (const plan of plans) {
    if (!plan.ok) continue;
    const { put, remove, restored = [] } = plan.value;
    const isRefused = [...put.keys()].some((prefix) => refused.has(prefix));
    for (const prefix of isRefused ? restored : [...put.keys(), ...remove]) kept.add(prefix);
  }
  return {
    ...merged,
    put: new Map([...merged.put].filter(([prefix]) => kept.has(prefix) && !refused.has(prefix))),
    remove: new Set([...merged.remove].filter((prefix) => kept.has(prefix))),
  };
}

/** An old list may have hidden applied entries, whose removal is staged now: those that a new list shows are inserted once more. */
export async function restageHidden(
  set: NodeSet,
  before: ObservedSet,
  { deleted }: Staging,
  merged: Changes,
): Promise<void> {
  const hidden = [...deleted].filter((prefix) => !before.has(prefix) && !isIn(merged, prefix));
  if (hidden.length === 0) return;
  const listed = await set.observe();
  await new Staging(set, listed).restage(hidden.filter((prefix) => listed.has(prefix)));
}

/**
 * After a failure, takes staged removals of remaining entries back, if the node permits: those of deleted resources, and those
 * that were to be followed by an insert. Returns those of deleted resources that are: the others may have a new value staged.
 */
export async function undoRemovals(
  set: NodeSet,
  plans: readonly Planned[],
  { deleted }: Staging,
  listed: ObservedSet,
): Promise<readonly CanonicalPrefix[]> {
  const isLeft = (prefix: CanonicalPrefix) => deleted.has(prefix) && listed.has(prefix);
  const removed = plans.flatMap((plan) => (plan.ok && plan.operation.isDelete ? [...plan.value.remove] : []));
  const put = plans.flatMap((plan) => (plan.ok ? [...plan.value.put.keys()] : []));
  const present = new Set([...removed, ...put].filter(isLeft));
  try {
    await new Staging(set, listed).restage([...present]);
    return removed.filter(isLeft);
  } catch {
    // The node does not answer; the next group of this process tries again, and the message says what to do.
    return [];
  }
}

export function isIn({ put, remove }: Changes, prefix: CanonicalPrefix): boolean {
  return put.has(prefix) || remove.has(prefix);
}

/**
 * Content of the node in a list after a failure. An entry that was inserted and never deleted counts as it was before: the list may
 * show it as staged. The next run then knows that a listed entry only needs a commit.
 */
export function knownOf(
  before: ObservedSet,
  listed: ObservedSet | undefined,
  { maybeStaged, deleted }: Staging,
): ListedMap {
  if (!listed) return before.values;
  const known = new Map(listed.values);
  for (const prefix of maybeStaged) {
    if (deleted.has(prefix)) continue;
    const value = before.values.get(prefix);
    if (value === undefined) known.delete(prefix);
    else known.set(prefix, value);
  }
  return known;
}

/** A set that holds what a write left staged, with its list before the commit. */
interface Undone {
  readonly options: ConfirmationOptions;
  readonly before: ObservedSet;
  /** Listed entries whose removal may have been staged. */
  readonly left: ReadonlySet<CanonicalPrefix>;
}

/**
 * The other sets that the commit of a set applies, where `commitUrl` names an arena, for example. Changes that failed writes to
 * them left staged are taken back before it, as those of the set itself are. What it publishes of a killed run all the same is named.
 */
export class OtherSets {
  private readonly undone: Undone[] = [];

  constructor(
    private readonly own: Pick<ConfirmationOptions, "set">,
    private readonly together: ReadonlyMap<string, ConfirmationOptions>,
  ) {}

  /**
   * Takes back what is known to be staged. A set of which there are only notes of a killed run, and which the node does not know
   * (404 or 410), is reported, and the notes stay.
   *
   * @throws {Error} if it fails: then no commit may follow
   */
  async undo(): Promise<void> {
    for (const [url, options] of this.together) {
      const { set, leftovers, leftStaged } = options;
      if (url === this.own.set.url || (leftovers.size === 0 && !leftStaged?.hasNotes)) continue;
      const before = await set.observe().catch((error: unknown) => {
        if (leftovers.size > 0 || !isRefusal(error) || ![404, 410].includes(error.status ?? 0)) throw error;
        options.notices.report({ kind: "unreadable", ...placeOf(options), reason: error.message, usesState: false });
      });
      if (before === undefined) continue;
      const noted = leftStaged?.changedIn(before.values) ?? [];
      const left = new Set([...noted, ...[...leftovers].filter((prefix) => before.has(prefix))]);
      const staging = new Staging(set, before, (prefixes) => leftStaged?.noteChanged(prefixes));
      await staging.restore([...leftovers]);
      await staging.restage(noted);
      leftovers.clear();
      this.undone.push({ options, before, left });
    }
  }

  /** Restores entries that the commit removed all the same. Without a list after it, the notes stay for the next run. */
  async confirm(): Promise<void> {
    const undone = this.undone.splice(0);
    // They are of one node.
    const [first] = undone;
    await first?.options.clock.sleep(first.options.set.options.commitDelayMs);
    for (const { options, before, left } of undone) {
      const after = await options.set.observe().catch(() => undefined);
      if (after === undefined) continue;
      options.leftStaged?.settleChanged();
      const now = await restore(options, { isOwn: () => false, left }, before, after);
      const foreign = doneByOthers(before.values, now.values, { put: new Map(), remove: new Set() });
      if (foreign) options.notices.report({ kind: "published", ...placeOf(options), ...foreign });
    }
  }
}
