import type { CanonicalPrefix } from "../../model/prefix";
import type { ListedMap } from "../../model/prefix-map";
import { count, grouped, some } from "../../model/text";

/** What all resources of a program declare about one set. */
export interface Declared {
  /** Canonical prefix to value; `undefined` for a value that the preview does not know yet. */
  readonly entries: ReadonlyMap<CanonicalPrefix, number | undefined>;
  /** True when a resource owns the whole set: then what no resource declares is out of place. */
  readonly exclusive: boolean;
  /** True when the preview does not know all entries yet. */
  readonly incomplete: boolean;
  /** Entries that may be counted and not named. */
  readonly secret: ReadonlySet<CanonicalPrefix>;
}

/**
 * What a set holds, compared with what the program declares, as the rest of a sentence; `undefined` where they agree. It
 * says nothing of what an `up` will do: that depends on the state, which a program does not see.
 */
export function comparison(
  observed: ListedMap,
  { entries, exclusive, incomplete, secret }: Declared,
): string | undefined {
  const missing: string[] = [];
  const different: string[] = [];
  const name = (prefix: CanonicalPrefix, text: string = prefix) => (secret.has(prefix) ? "[secret]" : text);
  for (const [prefix, value] of entries) {
    const held = observed.get(prefix);
    if (held === undefined) missing.push(name(prefix));
    else if (value !== undefined && held !== value) different.push(name(prefix, `${prefix} has ${held}, not ${value}`));
  }
  const undeclared = incomplete ? [] : [...observed.keys()].filter((prefix) => !entries.has(prefix));
  const foreign = exclusive ? undeclared : [];
  if (missing.length + different.length + foreign.length === 0 && !incomplete) return undefined;
  const parts = [
    `holds ${count(observed.size, "entry", "entries")}`,
    named("lacks", missing),
    named("has other values for", different),
    named("has undeclared", foreign),
    !exclusive && undeclared.length > 0 ? `${count(undeclared.length, "entry is", "entries are")} of others` : "",
    incomplete ? "not all that the program declares is known yet" : "",
  ];
  return parts.filter((text) => text !== "").join("; ");
}

function named(what: string, names: readonly string[]): string {
  return names.length > 0 ? `${what} ${grouped(names.length)} (${some([...new Set(names)])})` : "";
}
