import { type EntriesOf, givenEntries, type ValueLike } from "../../model/given-entries";
import { isObject, type JsonObject } from "../../model/json";
import type { EmulatorState } from "./schema-types";

type Arenas = NonNullable<EmulatorState["arenas"]>;
type Profiles = NonNullable<Arenas[string]["profiles"]>;

/** Entries of sets by the sets' names: in any form that a set's content has, a list of a node among them. */
type GivenSets = { readonly [name: string]: EntriesOf<ValueLike> };

/** Its sets may have their entries in any form. */
type WithSets<Holder> = Omit<Holder, "sets" | "profiles"> & {
  /** Prefix-sets by name. */
  readonly sets?: GivenSets;
};

/** A state as a program gives it: as in a file, and with what lists return as the entries of sets. */
export type GivenState = Omit<EmulatorState, "arenas"> & {
  /** Arenas by name. */
  readonly arenas?: { readonly [name: string]: GivenArena };
};

type GivenArena = WithSets<Arenas[string]> & {
  /** Profiles by name. */
  readonly profiles?: { readonly [name: string]: WithSets<Profiles[string]> };
};

/** Entries as a file has them, by prefix; anything else stays as it is, for the schema to refuse. */
export function entriesAsJson(given: unknown, name: string): unknown {
  const entries = givenEntries(given, name);
  if (!entries) return given;
  return Object.fromEntries(entries.spellings.map((one, index) => [one, valueIn(entries.content(index))]));
}

const valueIn = (content: unknown): unknown => (isObject(content) ? (content.value ?? 1) : content);

/** The state as a file has it: the same object where it is so already. */
export function stateAsJson(given: unknown): unknown {
  return changed(given, "arenas", (arenas) =>
    each(arenas, (arena) => withSets(changed(arena, "profiles", (profiles) => each(profiles, withSets)))),
  );
}

function withSets(holder: unknown): unknown {
  return changed(holder, "sets", (sets) => each(sets, (set) => (isList(set) ? entriesAsJson(set, "sets") : set)));
}

const isList = (set: unknown) => typeof set === "object" && set !== null && Symbol.iterator in set;

function changed(given: unknown, member: string, change: (value: unknown) => unknown): unknown {
  if (!isObject(given)) return given;
  const value = change(given[member]);
  return value === given[member] ? given : { ...given, [member]: value };
}

/** The same object where no member changes. */
function each(given: unknown, change: (value: unknown) => unknown): unknown {
  if (!isObject(given)) return given;
  const members = Object.entries(given).map(([name, value]) => [name, change(value)] as const);
  return members.every(([name, value]) => value === (given as JsonObject)[name]) ? given : Object.fromEntries(members);
}
