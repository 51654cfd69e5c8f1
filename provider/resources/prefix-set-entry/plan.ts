import { type SetPlan, shownAlready } from "../../batch/set-operation";
import type { ListedValue } from "../../model/entry";
import type { CanonicalPrefix } from "../../model/prefix";
import type { ListedMap } from "../../model/prefix-map";
import type { KnownPrefixes } from "../set-plan";

/** What a new entry starts from. */
export interface NewEntry {
  /** How messages call the set. */
  readonly label: string;
  readonly prefix: CanonicalPrefix;
  readonly value: ListedValue;
  readonly onExisting: "fail" | "adopt";
  /** Entries that the state of this deployment holds already: they are not foreign. */
  readonly owned: KnownPrefixes;
}

/** What a create does, and what it takes over. */
export interface CreatePlan {
  readonly plan: SetPlan;
  /** The value of a foreign entry that is there: with the wanted value a commit follows, with another one left as it is. */
  readonly found?: ListedValue;
}

/**
 * What a create does, given what the set holds.
 *
 * @throws {Error} when there is one and it is not to be adopted: then nothing is sent
 */
export function planCreate(observed: ListedMap, { label, prefix, value, onExisting, owned }: NewEntry): CreatePlan {
  const found = observed.get(prefix);
  const remove = new Set<CanonicalPrefix>();
  const put = new Map([[prefix, value]]);
  if (found === undefined || owned.has(prefix)) return { plan: { put, remove } };
  if (found === value) return { plan: { put, remove, shown: shownAlready(observed, put, owned) }, found };
  if (onExisting === "adopt") return { plan: { put: new Map(), remove }, found };
  throw new Error(
    `${label} already holds ${prefix} with the value ${found}, not ${value}. Nothing was sent. Give the entry that value, or take it over with onExisting: "adopt".`,
  );
}
