import { isObject, type JsonObject, membersOf } from "../model/json";
import { RESTORES } from "../reconcile/drift";
import { contentsAfter } from "./groups";
import type { ResourceChange, Restored } from "./model";
import type { PreviewStep } from "./preview-json";
import {
  canonical,
  contentOfEntry,
  contentOfSet,
  type Known,
  NODE,
  placeOf,
  RECEIVER,
  readList,
  type SetContent,
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

/** A step whose old state has what a refresh did not find and the program still wants: a step that restores it adds nothing. */
export function withLost(step: PreviewStep, type: ResourceChange["type"], known: Known): PreviewStep {
  const { oldState, newState } = step;
  if (!oldState || !newState) return step;
  const { lost, ...outputs } = oldState.outputs;
  const held = heldBefore(outputs, { lost, desired: withoutSecrets(newState.inputs), type, known });
  return { ...step, oldState: { ...oldState, outputs: { ...outputs, ...held } } };
}

interface Lost {
  readonly lost: unknown;
  /** Inputs of the step. */
  readonly desired: JsonObject;
  readonly type: ResourceChange["type"];
  readonly known: Known;
}

function heldBefore(outputs: JsonObject, { lost, desired, type, known }: Lost): JsonObject {
  const { prefixes, entries } = outputs;
  if (type === "CloudSignaling") {
    if (!Array.isArray(prefixes) || !Array.isArray(lost)) return {};
    const after: readonly unknown[] = readList(desired.prefixes).prefixes;
    return { prefixes: [...prefixes, ...lost.filter((prefix) => after.includes(canonical(prefix)))] };
  }
  if (type !== "PrefixSetGroup") {
    if (!isObject(entries) || !isObject(lost)) return {};
    return { entries: { ...entries, ...entriesIn(lost, contentOfSet(desired, known)) } };
  }
  const differs = membersOf(outputs.differs);
  const after = new Map(contentsAfter(desired, known).map((content) => [content.place.label, content]));
  const before = Object.entries(membersOf(lost)).map(([node, entries]) => {
    return [node, { ...membersOf(differs[node]), ...entriesIn(membersOf(entries), after.get(node)) }] as const;
  });
  return { differs: { ...differs, ...Object.fromEntries(before) } };
}

function entriesIn(lost: JsonObject, content: SetContent | undefined): JsonObject {
  return Object.fromEntries(
    Object.entries(lost).filter(([spelling]) => {
      const prefix = canonical(spelling);
      return prefix !== undefined && content?.entries.has(prefix) === true;
    }),
  );
}
