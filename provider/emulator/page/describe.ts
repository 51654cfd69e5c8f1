import type { MarkType } from "../../model/mark";
import { type CanonicalPrefix, Prefix } from "../../model/prefix";
import { sorted } from "../../model/prefix-map";
import { prefixIn } from "../../model/readable";
import { formatUrl } from "../../model/resource-url";
import { DIALECTS, SWITCHES } from "../behaviour/dialect";
import { FAULT_KINDS } from "../behaviour/fault-kinds";
import { faultPresets } from "../behaviour/fault-presets";
import type { Switch } from "../behaviour/switch";
import { PAGE } from "../defaults";
import type { JournalEntry } from "../journal/entry";
import { reasonOf } from "../journal/journal-text";
import type { MarkStore } from "../marks";
import { commitCounts } from "../state/commit-record";
import type { Contents } from "../state/contents";
import type { PrefixSetStore } from "../state/prefix-set-store";

/**
 * Applied and staged entries of a set side by side.
 *
 * @param filter A part of the prefix; or an address or prefix that overlaps it.
 * @param limit Most rows.
 */
export function describeSet(set: PrefixSetStore, filter: string, onlyChanges: boolean, limit: number) {
  const { applied, ordered, staged } = set;
  const both = staged === ordered ? ordered : sorted(new Map([...ordered, ...staged]));
  const passes = rowFilter(filter);
  const counts = { inserted: 0, removed: 0, changed: 0, matching: 0 };
  const rows: { prefix: string; applied: number | null; staged: number | null }[] = [];
  for (const [prefix] of both) {
    const row = { prefix, applied: applied.get(prefix) ?? null, staged: set.stagedValue(prefix) ?? null };
    if (row.applied === null) counts.inserted += 1;
    else if (row.staged === null) counts.removed += 1;
    else if (row.applied !== row.staged) counts.changed += 1;
    if ((onlyChanges && row.applied === row.staged) || !passes(prefix)) continue;
    counts.matching += 1;
    if (rows.length < limit) rows.push(row);
  }
  return { applied: applied.size, staged: staged.length, ...counts, rows };
}

/** An address finds the entries that cover it, a part of a text those that hold it. */
function rowFilter(filter: string): (prefix: CanonicalPrefix) => boolean {
  if (filter === "") return () => true;
  const searched = prefixIn(filter);
  const part = filter.toLowerCase();
  if (!searched) return (prefix) => prefix.includes(part);
  return (text) => {
    const prefix = Prefix.fromCanonical(text);
    return prefix.contains(searched) || searched.contains(prefix);
  };
}

/** The longest bound prefix that covers an address or prefix, with its profile; nothing where the text is neither. */
export function describeBinding({ bindings }: Contents, text: string): { prefix?: string; profile?: string } {
  const address = prefixIn(text);
  const binding = address && bindings.of(address);
  if (!binding) return {};
  const { prefix, arena, profile } = binding;
  return { prefix: prefix.toString(), profile: formatUrl({ kind: "profile", arena, profile }) };
}

export function describeLine(all: JournalEntry) {
  const { headers: _, data: __, answerHeaders: ___, answer: ____, commit, ...entry } = all;
  const reason = reasonOf(all);
  return {
    ...entry,
    ...(reason !== undefined && { reason }),
    ...(commit && { commit: { ...commitCounts(commit), size: commit.size } }),
  };
}

/** An entry in detail, with the beginning of long texts. */
export function describeEntry(entry: JournalEntry) {
  const { headers, answerHeaders, answer, data, commit } = entry;
  return {
    ...describeLine(entry),
    headers,
    answerHeaders,
    answer,
    data: data?.slice(0, PAGE.items),
    changes: commit && {
      inserted: first(commit.inserted),
      removed: first(commit.removed),
      changed: first(commit.changed),
    },
  };
}

const first = (part: object) => Object.fromEntries(Object.entries(part).slice(0, PAGE.items));

/**
 * A table of marks: the live records with the largest values.
 *
 * @param which Only those of a rule's id, with an address, or with one of a prefix.
 */
export function describeMarks(marks: MarkStore, type: MarkType, limit: number, which: { id?: number; filter: string }) {
  const { id, filter } = which;
  const searched = prefixIn(filter, { hostBits: "mask" });
  const isUnread = filter !== "" && !searched;
  const records = isUnread ? [] : marks.largest(type, limit, { id, contains: searched?.toString() });
  return { ...marks.count(type), ...marks.losses(type), capacity: marks.capacity, isUnread, records };
}

/** Every fault that the page offers: its form and its switches are made of this alone. */
export function describeFaults() {
  // Parameters of a kind with their defaults; null where there is none.
  const kinds = Object.entries(FAULT_KINDS).map(([kind, { about, parameters }]) => ({
    kind,
    about,
    parameters: parameters as Readonly<Record<string, string | number | null>>,
  }));
  return { kinds, presets: faultPresets() };
}

/** Choices for the dialect: the names of whole ones, and the settings of each switch. */
export function describeDialects() {
  const switches = Object.entries<Switch>(SWITCHES).map(([name, { schema, alternatives, refusals = [] }]) => ({
    name,
    about: schema.description ?? "",
    // The first is the default, and other names or numbers may be possible.
    settings: [schema.parse(undefined), ...alternatives, ...refusals] as (string | number)[],
  }));
  return { names: Object.keys(DIALECTS), switches };
}
