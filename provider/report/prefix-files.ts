import type { EntryNote } from "../model/entry";
import type { CanonicalPrefix } from "../model/prefix";
import { count } from "../model/text";
import { isExpired } from "../reconcile/entries";
import { entryList } from "./entry-lists";
import type { SetReport } from "./model";
import { changeWords, listWords } from "./sentences";
import { SetChanges } from "./set-changes";
import type { NotedEntry, SetContent } from "./set-content";
import { changeLines, entryLines, expiryLine } from "./text";

type FileEntries = Readonly<Record<string, { readonly value: number } & Omit<EntryNote, "sent">>>;

/** Changes between two prefix files, for a set that is made of them: expired entries are in neither. */
export type FileChanges = Pick<SetReport, "in" | "out" | "changed" | "renoted" | "expiring">;

/** Changes between two prefix files; `file` is the name of the second. */
export function fileChanges(before: FileEntries, after: FileEntries, file: string, now: number): FileChanges {
  const set = new SetChanges([{ label: "" }], "");
  set.add({
    resource: { name: file, type: "PrefixSet", operation: "update" },
    before: contentOf(before, now),
    after: contentOf(after, now),
    keeps: () => false,
    differs: () => undefined,
  });
  const { in: coming, out, changed, renoted, expiring } = set.report(now);
  return { in: coming, out, changed, renoted, expiring };
}

/** Content of a prefix file: the entries of a set that is made of it, and expired ones, which are in no set. */
export function fileContent(entries: FileEntries, file: string, now: number) {
  const { in: active, expiring } = fileChanges({}, entries, file, now);
  const over = [...contentOf(entries, now).expired].map(([prefix, note]) => {
    return { prefix, from: entries[prefix]?.value, note: { ...note }, resource: file, expired: true as const };
  });
  return { entries: active, expired: entryList(over), expiring };
}

/** The changes between two prefix files, as a report says those of a set; `limit` prefixes of a list are named. */
export function fileChangesText(changes: FileChanges, limit: number): string {
  const words = changeWords(changes);
  const lines = [
    `${words.length > 0 ? words.join(", ") : "No entry changes"}.`,
    ...changeLines(changes, limit),
    ...expiryLine(changes.expiring, limit),
  ];
  return lines.join("\n");
}

/** Content of a prefix file, as a report lists what comes into a set; `limit` prefixes are named. */
export function fileContentText({ entries, expired, expiring }: ReturnType<typeof fileContent>, limit: number): string {
  const lines = [
    `${listWords(entries)}.`,
    ...entryLines(entries, "=", limit),
    ...expiryLine(expiring, limit),
    ...(expired.count > 0 ? [`${count(expired.count, "entry has", "entries have")} expired.`] : []),
    ...entryLines(expired, "-", limit),
  ];
  return lines.join("\n");
}

/** Shared, since a file may have a million entries without a note. */
const NO_NOTE: EntryNote = {};

function contentOf(given: FileEntries, now: number): SetContent {
  const entries = new Map<CanonicalPrefix, NotedEntry>();
  const expired = new Map<CanonicalPrefix, EntryNote>();
  for (const prefix in given) {
    const { value, reason, ticket, expires } = given[prefix] as FileEntries[string];
    const hasNote = reason || ticket || expires;
    const note = hasNote
      ? { ...(reason && { reason }), ...(ticket && { ticket }), ...(expires && { expires }) }
      : NO_NOTE;
    if (isExpired(expires, now)) expired.set(prefix as CanonicalPrefix, note);
    else entries.set(prefix as CanonicalPrefix, { value, note });
  }
  return { place: { label: "" }, url: "", entries, expired, isUnknown: false, isHidden: false };
}
