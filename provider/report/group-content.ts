import type { EntryNote } from "../model/entry";
import { differing, overridden } from "../model/group-content";
import type { CanonicalPrefix } from "../model/prefix";
import { compareNames } from "../model/text";
import { isObject, UNKNOWN } from "../resources/json";
import { SECRET_MARK } from "../resources/secret-names";
import {
  canonical,
  contentOfSet,
  type Known,
  NODE,
  type NotedEntry,
  placeOf,
  type SetContent,
  shownValue,
} from "./set-content";

/** A moment of a group: what its state held, or what its inputs want. */
type Members = Readonly<Record<string, unknown>>;

/** What each node of a group held by its state; nodes that held the same share their entries. */
export function contentsBefore(members: Members, known: Known): SetContent[] {
  return contents(Object.keys(membersOf(members.endpoints)), members, known);
}

/** What each node of a group is to hold by its inputs; nodes that are to hold the same share their entries. */
export function contentsAfter(members: Members, known: Known): SetContent[] {
  if (!isObject(members.nodes)) {
    const label = members.nodes === SECRET_MARK ? "nodes that are secret" : "nodes that are not known yet";
    return [{ ...contentOfSet(members, known), place: { label }, isUnknown: members.nodes === UNKNOWN }];
  }
  return contents(Object.keys(members.nodes), members, known);
}

function contents(names: readonly string[], members: Members, known: Known): SetContent[] {
  const [nodes, differs, endpoints] = [
    membersOf(members.nodes),
    membersOf(members.differs),
    membersOf(members.endpoints),
  ];
  const common = contentOfSet(members, known);
  const alike = new Map<string, SetContent>();
  return names.toSorted(compareNames).map((name) => {
    const key = JSON.stringify([nodes[name] ?? {}, differs[name]]);
    const held = alike.get(key) ?? withDifferences(withOwn(common, nodes[name], { members, known }), differs[name]);
    alike.set(key, held);
    return { ...held, place: placeOf({ named: name, endpoint: endpoints[name] }, known, NODE) };
  });
}

function withOwn(common: SetContent, own: unknown, { members, known }: { members: Members; known: Known }): SetContent {
  if (own === UNKNOWN) return { ...common, isUnknown: true };
  const { entries = {}, notes = {} } = membersOf(own);
  const alone = contentOfSet({ ...members, entries, notes }, known);
  const { entries: held, notes: expired } = overridden<CanonicalPrefix, NotedEntry, EntryNote>(
    { entries: common.entries, notes: common.expired },
    { entries: alone.entries, notes: alone.expired },
  );
  const isUnknown = common.isUnknown || alone.isUnknown;
  return { ...common, entries: held, expired, isUnknown, isHidden: common.isHidden || alone.isHidden };
}

function withDifferences(content: SetContent, differences: unknown): SetContent {
  if (differences === undefined) return content;
  const found = Object.entries(membersOf(differences)).flatMap(([spelling, value]) => {
    const prefix = canonical(spelling);
    if (prefix === undefined) return [];
    const note = content.entries.get(prefix)?.note ?? {};
    return [[prefix, value === null ? null : { value: shownValue(value), note }] as const];
  });
  return { ...content, entries: differing(content.entries, new Map(found)) };
}

function membersOf(value: unknown): Members {
  return isObject(value) ? value : {};
}
