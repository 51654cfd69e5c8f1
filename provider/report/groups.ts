import { SECRET_MARK } from "../engine/secret-names";
import type { EntryNote } from "../model/entry";
import { addTo } from "../model/group";
import { differing, overridden } from "../model/group-content";
import { isObject, type JsonObject, membersOf, UNKNOWN } from "../model/json";
import type { CanonicalPrefix } from "../model/prefix";
import { compareNames } from "../model/text";
import { SetChanges, type SetStep } from "./set-changes";
import {
  canonical,
  contentOfSet,
  type Known,
  keyOf,
  NODE,
  type NotedEntry,
  placeOf,
  type SetContent,
  shownValue,
} from "./set-content";

export interface GroupStep extends Omit<SetStep, "before" | "after" | "keeps" | "unproven"> {
  /** By node, as all that follows; nodes with the same content share their entries. */
  readonly before: readonly SetContent[];
  readonly after: readonly SetContent[];
  /** The state before the refresh, and what the refresh found. */
  readonly state: readonly SetContent[];
  readonly live: readonly SetContent[];
  /** Entries that stay at a node if the group leaves it. */
  readonly keeps: (node: string) => SetStep["keeps"];
  /** Entries of a leaving node that stay there, given what each node is to hold. */
  readonly stayingIn: (
    desired: ReadonlyMap<string, SetContent>,
  ) => (leaving: SetContent) => ReadonlySet<CanonicalPrefix>;
}

/** Effect of a step on the set of one node of a group. */
interface Part {
  readonly key: string;
  readonly held: SetContent;
  readonly step: SetStep;
  readonly state: SetContent | undefined;
  readonly live: SetContent | undefined;
}

export class Groups {
  private readonly parts: Part[] = [];

  add({ before, after, state, live, keeps, stayingIn, ...step }: GroupStep): void {
    const [had, desired] = [byKey(before), byKey(after)];
    const [known, found] = [byKey(state), byKey(live)];
    const stayingOf = stayingIn(desired);
    // A node at another address has moved: everything stays at the former one.
    const names = new Set(after.map(({ place }) => place.label));
    const isLeaving = ({ place }: SetContent) => !names.has(place.label);
    for (const [key, held] of new Map([...had, ...desired])) {
      const [earlier, later] = [had.get(key), desired.get(key)];
      const hasMoved = step.resource.operation === "update" && !isLeaving(held);
      const kept = later || hasMoved ? () => later === undefined : keeps(held.place.label);
      const staying = earlier && !later && isLeaving(earlier) ? [...stayingOf(earlier)] : [];
      const unproven = new Set(staying.filter((prefix) => !kept(prefix)));
      const ofNode = { ...step, keeps: kept, unproven, before: earlier, after: later };
      this.parts.push({ key, held, step: ofNode, state: known.get(key), live: found.get(key) });
    }
  }

  /**
   * Puts them to what other resources do. Nodes at which it is the same, and at whose set nothing else changes, are one
   * item, unless each node is to have its own.
   */
  into(sets: Map<string, SetChanges>, byNode: boolean): void {
    const writers = new Map<string, number>();
    for (const { key } of this.parts) writers.set(key, (writers.get(key) ?? 0) + 1);
    const alone = (key: string) => !byNode && writers.get(key) === 1 && !sets.has(key);
    const equalParts = new Map<string, Part[]>();
    const likeness = likenesses();
    for (const part of this.parts) {
      if (alone(part.key)) addTo(equalParts, likeness(part), part);
      else {
        const set = sets.get(part.key) ?? new SetChanges([part.held.place], part.held.url);
        sets.set(part.key, set);
        take(set, part);
      }
    }
    for (const [key, parts] of equalParts) {
      const [first] = parts;
      if (!first) continue;
      const set = new SetChanges(
        parts.map(({ held }) => held.place),
        first.held.url,
      );
      take(set, first);
      sets.set(key, set);
    }
  }
}

function take(set: SetChanges, { step, state, live }: Part): void {
  set.add(step);
  if (state && live) set.addDrift(state, live);
}

/** The same text for parts of one resource that hold, held and are to hold the same. */
function likenesses(): (part: Part) => string {
  const numbers = new Map<unknown, number>();
  const numberOf = (content: SetContent | undefined) => {
    const number = numbers.get(content?.entries) ?? numbers.size;
    numbers.set(content?.entries, number);
    return number;
  };
  return ({ step: { resource, before, after, keeps, unproven }, state, live, held }) => {
    const kept = [...(before?.entries.keys() ?? [])].filter(keeps);
    return JSON.stringify([resource, held.url, kept, unproven?.size, [before, after, state, live].map(numberOf)]);
  };
}

function byKey(contents: readonly SetContent[]): ReadonlyMap<string, SetContent> {
  return new Map(contents.map((held) => [keyOf(held), held]));
}

/** Entries of each node of a group by its state; nodes with the same content share theirs. */
export function contentsBefore(members: JsonObject, known: Known): SetContent[] {
  return contents(Object.keys(membersOf(members.endpoints)), members, known);
}

/** Entries that each node of a group is to hold by its inputs; nodes with the same content share theirs. */
export function contentsAfter(members: JsonObject, known: Known): SetContent[] {
  if (!isObject(members.nodes)) {
    const label = members.nodes === SECRET_MARK ? "nodes that are secret" : "nodes that are not known yet";
    return [{ ...contentOfSet(members, known), place: { label }, isUnknown: members.nodes === UNKNOWN }];
  }
  return contents(Object.keys(members.nodes), members, known);
}

function contents(names: readonly string[], members: JsonObject, known: Known): SetContent[] {
  const [nodes, differs, endpoints] = [
    membersOf(members.nodes),
    membersOf(members.differs),
    membersOf(members.endpoints),
  ];
  const common = contentOfSet(members, known);
  const byContent = new Map<string, SetContent>();
  return names.toSorted(compareNames).map((name) => {
    const isMember = name in nodes;
    const key = JSON.stringify([isMember, nodes[name] ?? {}, differs[name]]);
    const content = isMember ? withOwn(common, nodes[name], { members, known }) : { ...common, entries: new Map() };
    const held = byContent.get(key) ?? withDifferences(content, differs[name]);
    byContent.set(key, held);
    return { ...held, place: placeOf({ named: name, endpoint: endpoints[name] }, known, NODE) };
  });
}

function withOwn(
  common: SetContent,
  own: unknown,
  { members, known }: { members: JsonObject; known: Known },
): SetContent {
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
