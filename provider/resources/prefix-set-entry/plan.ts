import type { SetPlan } from "../../batch/set-operation";
import type { ListedValue } from "../../model/entry-value";
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

/**
 * The plan of a create. A foreign entry is handed back as `left`: with the value that is wanted it is taken over, with
 * another one it is left as it is.
 *
 * @throws {Error} when there is one and it is not to be adopted: then nothing is sent
 */
export function planCreate(observed: ListedMap, { label, prefix, value, onExisting, owned }: NewEntry): SetPlan {
  const found = observed.get(prefix);
  const remove = new Set<CanonicalPrefix>();
  const put = new Map([[prefix, value]]);
  if (found === undefined || owned.has(prefix)) return { put, remove };
  if (found === value) return { put, remove, left: put };
  if (onExisting === "adopt") return { put: new Map(), remove, left: new Map([[prefix, found]]) };
  throw new Error(
    `${label} already holds ${prefix} with the value ${found}, not ${value}. Nothing was sent. Give the entry that value, or take it over with onExisting: "adopt".`,
  );
}
