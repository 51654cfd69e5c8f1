import type { Runtime } from "../deployment/runtime";
import type { LookedAt } from "../engine/handler";
import type { SayOfSet } from "../messages/notices";
import { messageOf } from "../model/errors";
import type { ListedMap } from "../model/prefix-map";
import { count, NAMED, some } from "../model/text";
import { type Drift, restoresText, valuesOf } from "../reconcile/drift";
import type { LookedSet, ResourceSet } from "./resource-set";

/** Entries of the state that an `up` restores, given the result of the look. */
export function lookAgain(
  runtime: Pick<Runtime, "advice" | "notices">,
  { set, refused }: LookedSet,
  known: ListedMap,
  desired: ListedMap,
): LookedAt {
  if (refused !== undefined) warnUnreadable(runtime, set, refused, ", and this run uses the state alone");
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
  runtime: Pick<Runtime, "advice" | "notices">,
  { set, what, refused }: LookedSet,
  isDecided: boolean,
  plan: () => void,
): LookedAt {
  const fails = (why: string) => ({
    problems: [["up would fail.", why, ...runtime.advice.of(WITHOUT_LOOK)].join(" ")],
  });
  if (refused !== undefined) {
    if (isDecided) return fails(`${what} now: ${refused}`);
    warnUnreadable(runtime, set, refused);
  }
  if (!isDecided) return {};
  try {
    plan();
    return {};
  } catch (error) {
    return fails(messageOf(error));
  }
}

/** Warns of nodes whose set cannot be seen: once for all that are looked at together. */
function warnUnreadable(
  { advice, notices }: Pick<Runtime, "advice" | "notices">,
  { url, at }: ResourceSet,
  refused: string,
  outcome = "",
): void {
  notices.warnAlike(`${url} not seen${outcome}`, at, { at, refused }, (all) => {
    const why = all.slice(0, NAMED).map((one) => one.refused);
    return advice.line(`${some(all.map((one) => one.at))} ${url} cannot be read${outcome}. ${why.join(" ")}`);
  });
}

const WITHOUT_LOOK = 'Without this look: packetfilter:detectDrift "off".';

/** Reports lost entries, which this run restores. */
export function reportMissing(say: SayOfSet, set: ResourceSet, lost: Drift, desired: ListedMap): void {
  const outcome = (number: number) => `this up restores ${them(number)}.`;
  const { length } = lost.missing;
  const { size } = lost.different;
  if (length > 0) say("seen", set, `lacks ${declared(length)} (${some(lost.missing)}): ${outcome(length)}`);
  if (size === 0) return;
  const values = size === 1 ? "another value" : "other values";
  say("seen", set, `holds ${values} of ${declared(size)} (${some(valuesOf(lost, desired))}): ${outcome(size)}`);
}

/** `3 declared entries` */
export function declared(number: number): string {
  return count(number, "declared entry", "declared entries");
}

export function them(number: number): string {
  return number === 1 ? "it" : "them";
}
