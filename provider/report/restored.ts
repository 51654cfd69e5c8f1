import { isObject, type JsonObject, membersOf } from "../model/json";
import { RESTORES } from "../reconcile/drift";
import type { ResourceChange, Restored } from "./model";
import type { PreviewState, PreviewStep } from "./preview-json";
import {
  contentOfEntry,
  contentOfSet,
  type Known,
  NODE,
  placeOf,
  RECEIVER,
  shownAddress,
  withoutSecrets,
} from "./set-content";

/** Messages of a look about what this up restores: a report has a place of its own for them. */
const SAID = /: this up (?:restores (?:it|them)|starts (?:it|them) again)\.$|, with restores\.$/;

/** True for a message that says nothing else than {@link restoredBy}. */
export function saysRestored(message: string): boolean {
  return SAID.test(message);
}

/** Entries that a step restores since the last run lost them, and whether the program changes nothing else. */
export function restoredBy(
  { oldState, newState, detailedDiff }: PreviewStep,
  resource: ResourceChange,
  known: Known,
): { readonly report: Restored; readonly isAll: boolean } | undefined {
  const what = newState?.inputs[RESTORES];
  if (newState == null || typeof what !== "string") return undefined;
  const differences = Object.keys(detailedDiff ?? {});
  const isAll = differences.length > 0 && differences.every((path) => path === RESTORES);
  const members = withoutSecrets(newState.inputs);
  const addressOverridden = (place: { readonly endpoint?: string | undefined }) =>
    place.endpoint !== undefined && shownAddress(oldState?.outputs.endpoint) !== place.endpoint;
  if (resource.type === "CloudSignaling") {
    const place = placeOf({ named: members.receiver, endpoint: undefined }, known, RECEIVER);
    return addressOverridden(place) ? undefined : { report: { resource, place: place.label, what }, isAll };
  }
  if (resource.type === "PrefixSetGroup") {
    const before = membersOf(oldState?.outputs.endpoints);
    const names = Object.keys(before).filter((name) => {
      const { endpoint } = placeOf({ named: name, endpoint: undefined }, known, NODE);
      return endpoint === undefined || shownAddress(before[name]) === endpoint;
    });
    // Nodes that are all elsewhere have lost nothing.
    if (names.length === 0 && Object.keys(before).length > 0) return undefined;
    const { url } = contentOfSet(members, known);
    return { report: { resource, url, what }, isAll: isAll && names.length === Object.keys(before).length };
  }
  const { place, url } = (resource.type === "PrefixSetEntry" ? contentOfEntry : contentOfSet)(members, known);
  // At another address nothing was lost: the entries were never there.
  if (addressOverridden(place)) return undefined;
  return { report: { resource, place: place.label, url, what }, isAll };
}

/** A state with the entries and prefixes that a refresh did not find: a step that restores them adds nothing. */
export function withLost(state: PreviewState, type: ResourceChange["type"]): PreviewState {
  const { lost, ...outputs } = state.outputs;
  return { ...state, outputs: { ...outputs, ...heldBefore(outputs, lost, type) } };
}

function heldBefore(outputs: JsonObject, lost: unknown, type: ResourceChange["type"]): JsonObject {
  const { prefixes, entries } = outputs;
  if (type === "CloudSignaling")
    return Array.isArray(prefixes) && Array.isArray(lost) ? { prefixes: [...prefixes, ...lost] } : {};
  if (type !== "PrefixSetGroup") return isObject(entries) && isObject(lost) ? { entries: { ...entries, ...lost } } : {};
  const differs = membersOf(outputs.differs);
  const before = Object.entries(membersOf(lost)).map(([node, entries]) => {
    return [node, { ...membersOf(differs[node]), ...membersOf(entries) }] as const;
  });
  return { differs: { ...differs, ...Object.fromEntries(before) } };
}
