import type { Runtime } from "../deployment/runtime";
import type { LookedAt } from "../engine/handler";
import type { ListedValue } from "../model/entry";
import { messageOf } from "../model/errors";
import type { CanonicalPrefix } from "../model/prefix";
import type { ListedMap } from "../model/prefix-map";
import { type Drift, differing, restoresText } from "../reconcile/drift";
import type { LookedSet, ResourceSet } from "./resource-set";

/** Entries of the state that an `up` restores, given the result of the look. */
export function lookAgain({ set, refused }: LookedSet, known: ListedMap, desired: ListedMap): LookedAt {
  if (refused !== undefined) set.report({ kind: "unreadable", reason: refused, usesState: true });
  const lost = set.lost(known, desired);
  return lost ? { restores: set.listed(restoresText(lost, desired)) } : {};
}

/**
 * Tries a create against the result of the look: a preview fails where the `up` would.
 *
 * @param isDecided True if the `up` will meet the same content.
 * @param plan Throws if something is in the way.
 */
export function lookNew(
  { advice }: Pick<Runtime, "advice">,
  { set, refused }: LookedSet,
  isDecided: boolean,
  plan: () => void,
): LookedAt {
  const fails = (why: string) => ({
    problems: [["up would fail.", why, ...advice.of(WITHOUT_LOOK)].join(" ")],
  });
  if (refused !== undefined) {
    if (isDecided) return fails(`${set.at} ${set.url} now: ${refused}`);
    set.report({ kind: "unreadable", reason: refused, usesState: false });
  }
  if (!isDecided) return {};
  try {
    plan();
    return {};
  } catch (error) {
    return fails(messageOf(error));
  }
}

const WITHOUT_LOOK = 'Without this look: packetfilter:detectDrift "off".';

/** Reports what a create does to the entries that a killed one has sent. */
export function reportSent(set: ResourceSet, sent: ReadonlySet<CanonicalPrefix>, desired: ListedMap): void {
  const left = [...sent].filter((prefix) => !set.desired.has(prefix));
  if (left.length > 0) set.report({ kind: "interrupted", prefixes: left });
  const there = new Map([...sent].map((prefix) => [prefix, set.observedInLook?.get(prefix) as ListedValue]));
  const entries = differing({ different: there }, desired).filter(
    ({ value, desired }) => desired !== undefined && desired !== value,
  );
  if (entries.length > 0) set.report({ kind: "foreign", outcome: "changes", entries });
}

/** Reports lost entries, which this run restores. */
export function reportMissing(set: ResourceSet, lost: Drift, desired: ListedMap): void {
  const entries = differing(lost, desired);
  if (lost.missing.length > 0) set.report({ kind: "missing", prefixes: lost.missing });
  if (entries.length > 0) set.report({ kind: "different", entries, isIgnored: false });
}
