import { type EntriesOf, givenEntries, type ValueLike } from "../../model/given-entries";
import { isObject, type JsonObject } from "../../model/json";
import type { EmulatorState } from "./schema-types";

type Arenas = NonNullable<EmulatorState["arenas"]>;
type Profiles = NonNullable<Arenas[string]["profiles"]>;

/** Entries of sets by name, in any form of a set's content, also a list of a node. */
type GivenSets = { readonly [name: string]: EntriesOf<ValueLike> };

/** An arena or profile whose sets may have their entries in any form. */
type WithSets<Holder> = Omit<Holder, "sets" | "profiles"> & {
  /** Prefix-sets by name. */
  readonly sets?: GivenSets;
};

/** A state in code: as in a file, but the entries of sets may be the result of a list. */
export type GivenState = Omit<EmulatorState, "arenas"> & {
  /** Arenas by name. */
  readonly arenas?: { readonly [name: string]: GivenArena };
};

type GivenArena = WithSets<Arenas[string]> & {
  /** Profiles by name. */
  readonly profiles?: { readonly [name: string]: WithSets<Profiles[string]> };
};

/**
 * Entries as in a file, by prefix; any other value is left unchanged, for the schema to refuse.
 *
 * @throws {TypeError} if one is there twice.
 */
export function entriesAsJson(given: unknown, name: string): unknown {
  const entries = givenEntries(given, name);
  if (!entries) return given;
  const { spellings } = entries;
  const distinct = new Set<unknown>();
  const twice = spellings.find((one) => typeof one === "string" && distinct.size === distinct.add(one).size);
  if (twice !== undefined) throw new TypeError(`${name}: ${twice} is there twice.`);
  return Object.fromEntries(spellings.map((one, index) => [one, valueIn(entries.content(index))]));
}

const valueIn = (content: unknown): unknown => (isObject(content) ? (content.value ?? 1) : content);

/** The state as in a file; the same object if nothing changes. @throws {TypeError} naming a set that has a prefix twice. */
export function stateAsJson(given: unknown): unknown {
  return changed(given, "arenas", (arenas, path) =>
    each(arenas, path, (arena, at) =>
      withSets(
        changed(arena, "profiles", (profiles, within) => each(profiles, within, withSets), at),
        at,
      ),
    ),
  );
}

function withSets(holder: unknown, at: string): unknown {
  const plain = (set: unknown, path: string) => (isList(set) ? entriesAsJson(set, path) : set);
  return changed(holder, "sets", (sets, path) => each(sets, path, plain), at);
}

const isList = (set: unknown) => typeof set === "object" && set !== null && Symbol.iterator in set;

type ChangeAt = (value: unknown, path: string) => unknown;

function changed(given: unknown, member: string, change: ChangeAt, at?: string): unknown {
  if (!isObject(given)) return given;
  const value = change(given[member], at === undefined ? member : `${at}.${member}`);
  return value === given[member] ? given : { ...given, [member]: value };
}

/** Returns the same object if no member changes. */
function each(given: unknown, path: string, change: ChangeAt): unknown {
  if (!isObject(given)) return given;
  const members = Object.entries(given).map(([name, value]) => [name, change(value, `${path}.${name}`)] as const);
  return members.every(([name, value]) => value === (given as JsonObject)[name]) ? given : Object.fromEntries(members);
}
