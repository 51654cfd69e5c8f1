import type { ListedValue } from "../../model/entry";
import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import { PrefixIndex } from "../../model/prefix-index";
import type { ListedMap, PrefixMap } from "../../model/prefix-map";
import { some } from "../../model/text";
import type { PrefixEntries } from "../../prefixes";
import { isExpired } from "../../reconcile/entries";
import { sentTo } from "./sent";

export interface DesiredChange {
  readonly put: PrefixMap;
  readonly remove: ReadonlySet<CanonicalPrefix>;
  /** Former entries of the file: an equal entry of the node belongs to the file, any other to another writer. */
  readonly before: PrefixEntries;
  /** Entries that this command itself has put there. */
  readonly own: ReadonlyMap<CanonicalPrefix, ReadonlySet<ListedValue>>;
  readonly isForced: boolean;
}

/** Entries to put by the file; those that have expired, or are not in it, are to be removed. */
export function desiredChangeOf(
  names: readonly CanonicalPrefix[],
  after: PrefixEntries,
  now: number,
): Pick<DesiredChange, "put" | "remove"> {
  const put = new Map<CanonicalPrefix, number>();
  for (const prefix of names) {
    const entry = after[prefix];
    if (entry && !isExpired(entry.expires, now)) put.set(prefix, entry.value);
  }
  return { put, remove: new Set(names.filter((prefix) => !put.has(prefix))) };
}

/** Entries of the node under these prefixes that are neither the file's nor an earlier command's. */
export function foreignEntries(
  observed: ListedMap,
  { put, remove, before, own, isForced }: DesiredChange,
  place: string,
): ListedMap {
  const isOurs = (prefix: CanonicalPrefix, held: ListedValue) =>
    own.get(prefix)?.has(held) === true ||
    [put.get(prefix), before[prefix]?.value, sentTo(before[prefix])[place]].includes(held as number);
  const found = [...put.keys(), ...remove].flatMap((prefix): [CanonicalPrefix, ListedValue][] => {
    const held = observed.get(prefix);
    return isForced || held === undefined || isOurs(prefix, held) ? [] : [[prefix, held]];
  });
  return new Map(found);
}

/** The rest of the work, if the entries of another writer stay. */
export function without({ put, remove }: DesiredChange, foreign: ListedMap): Pick<DesiredChange, "put" | "remove"> {
  return {
    put: new Map([...put].filter(([prefix]) => !foreign.has(prefix))),
    remove: new Set([...remove].filter((prefix) => !foreign.has(prefix))),
  };
}

/** Sentences about entries of another writer that were left. */
export function foreignSentences(label: string, left: ListedMap, { put, before }: DesiredChange): string[] {
  const said = (prefixes: readonly CanonicalPrefix[], more: (prefix: CanonicalPrefix) => string, remedy: string) => {
    const named = prefixes.map((prefix) => `${prefix} (value ${left.get(prefix)}${more(prefix)})`);
    const stays = `${some(named)} ${named.length === 1 ? "was left as it is" : "were left as they are"}`;
    return named.length === 0 ? [] : [`${label}: ${stays}, since another writer put it there. --force ${remedy}.`];
  };
  const prefixes = [...left.keys()];
  return [
    ...said(
      prefixes.filter((prefix) => put.has(prefix)),
      (prefix) => `, not ${put.get(prefix)}`,
      "changes it",
    ),
    ...said(
      prefixes.filter((prefix) => !put.has(prefix)),
      (prefix) => (before[prefix] ? `, in the file ${before[prefix].value}` : ", never in the file"),
      "removes it",
    ),
  ];
}

/** Wider entries that still cover a removed prefix. */
export function stillCovered(label: string, after: ListedMap, removed: ReadonlySet<CanonicalPrefix>): string[] {
  if (removed.size === 0) return [];
  const index = PrefixIndex.of([...after.keys()].map((prefix) => Prefix.parse(prefix)));
  return [...removed].flatMap((prefix) => {
    const by = [...index.covering(Prefix.parse(prefix))].filter((wider) => wider.toString() !== prefix);
    const named = by.map((wider) => `${wider} (value ${after.get(wider.toString())})`);
    return named.length === 0 ? [] : [`${label}: ${prefix} is still covered by ${some(named)}.`];
  });
}
