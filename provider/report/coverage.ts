import type { CanonicalPrefix } from "../model/prefix";
import { Prefix } from "../model/prefix";
import { PrefixIndex } from "../model/prefix-index";
import type { EntryList, SetReport } from "./model";

/**
 * The report of a set with how many sources each of its changes covers. A source counts once for a list, and for every
 * prefix of it that covers the source.
 *
 * @param sources Addresses, each once.
 */
export function withCoverage(set: SetReport, sources: readonly Prefix[]): SetReport {
  return {
    ...set,
    in: covering(set.in, sources),
    out: covering(set.out, sources),
    changed: covering(set.changed, sources),
    marks: { sources: sources.length },
  };
}

function covering(list: EntryList, sources: readonly Prefix[]): EntryList {
  const index = new PrefixIndex<{ sources: number }>();
  const counted = list.entries.map((entry) => {
    const counter = { sources: 0 };
    index.set(Prefix.fromCanonical(entry.prefix as CanonicalPrefix), counter);
    return { entry, counter };
  });
  let marked = 0;
  for (const source of sources) {
    const covered = [...index.covering(source)];
    for (const counter of covered) counter.sources += 1;
    if (covered.length > 0) marked += 1;
  }
  return { ...list, marked, entries: counted.map(({ entry, counter }) => ({ ...entry, marked: counter.sources })) };
}
