import type { CanonicalPrefix } from "../../model/prefix";
import type { ListedMap } from "../../model/prefix-map";
import { count, grouped, some } from "../../model/text";
import { SECRET_MARK } from "../../resources/secret-names";

/** What all resources of a program declare about one set. */
export interface Declared {
  /** Canonical prefix to value; `undefined` for a value that the preview does not know yet. */
  readonly entries: ReadonlyMap<CanonicalPrefix, number | undefined>;
  /** True when a resource owns the whole set: then what no resource declares is out of place. */
  readonly exclusive: boolean;
  /** True when the preview does not know all entries yet. */
  readonly incomplete: boolean;
  /** Entries whose value may not be shown, and which are not named therefore. */
  readonly secret: ReadonlySet<CanonicalPrefix>;
  /** Entries that `ignoreChanges` leaves as the state has them. */
  readonly ignored: ReadonlySet<CanonicalPrefix>;
  /** True where it does so with the whole set. */
  readonly isIgnored: boolean;
  /** True where prefixes are secret: then all that the set holds is counted and not named, by whichever writer. */
  readonly isSecret: boolean;
}

/**
 * What a set holds, compared with what the program declares, as the rest of a sentence; `undefined` where they agree. It
 * says nothing of what an `up` will do: that depends on the state, which a program does not see.
 */
export function comparison(
  observed: ListedMap,
  { entries, exclusive, incomplete, secret, ignored, isIgnored, isSecret }: Declared,
): string | undefined {
  const missing: string[] = [];
  const different: string[] = [];
  const name = (prefix: CanonicalPrefix, text: string = prefix) =>
    isSecret || secret.has(prefix) ? SECRET_MARK : text;
  for (const [prefix, value] of entries) {
    if (ignored.has(prefix)) continue;
    const listed = observed.get(prefix);
    if (listed === undefined) missing.push(name(prefix));
    else if (value !== undefined && listed !== value)
      different.push(name(prefix, `${prefix} has ${listed}, not ${value}`));
  }
  const undeclared = incomplete
    ? []
    : [...observed.keys()].filter((prefix) => !entries.has(prefix) && !ignored.has(prefix));
  const foreign = exclusive ? undeclared.map((prefix) => name(prefix)) : [];
  if (missing.length + different.length + foreign.length === 0 && !incomplete) return undefined;
  if (isIgnored)
    return `holds ${count(observed.size, "entry", "entries")}; what differs from the program is left as it is (ignoreChanges)`;
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
