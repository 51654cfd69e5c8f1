import { PUTS_BACK } from "../reconcile/drift";
import type { PutBack, ResourceChange } from "./model";
import type { PreviewStep } from "./preview";
import { contentOfEntry, contentOfSet, type Known, placeOf, RECEIVER, withoutSecrets } from "./set-content";

/** Messages of a look about what this up puts back: a report has a place of its own for them. */
const SAID = /: this up (?:puts (?:it|them) back|starts (?:it|them) again)\.$|, with putsBack\.$/;

/** True for a message that says nothing else than {@link putBackBy}. */
export function saysPutBack(message: string): boolean {
  return SAID.test(message);
}

/** Entries that a step puts back since the last run lost them, and whether the program changes nothing else. */
export function putBackBy(
  { newState, detailedDiff }: PreviewStep,
  resource: ResourceChange,
  known: Known,
): { readonly report: PutBack; readonly isAll: boolean } | undefined {
  const what = newState?.inputs[PUTS_BACK];
  if (newState == null || typeof what !== "string") return undefined;
  const differences = Object.keys(detailedDiff ?? {});
  const isAll = differences.length > 0 && differences.every((path) => path === PUTS_BACK);
  const members = withoutSecrets(newState.inputs);
  if (resource.type === "CloudSignaling") {
    const { label } = placeOf({ named: members.receiver, endpoint: undefined }, known, RECEIVER);
    return { report: { resource, place: label, what }, isAll };
  }
  const { place, url } = (resource.type === "PrefixSetEntry" ? contentOfEntry : contentOfSet)(members, known);
  const where = resource.type === "PrefixSetGroup" ? { url } : { place: place.label, url };
  return { report: { resource, ...where, what }, isAll };
}
