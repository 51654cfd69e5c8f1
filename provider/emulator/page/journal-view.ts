import { PAGE } from "../defaults";
import type { JournalEntry } from "../journal/entry";
import { reasonOf } from "../journal/journal-text";
import { commitCounts } from "../state/commit-record";
import type { JournalDetails, JournalLine } from "./schemas";

/** An entry as a short line. */
export function describeLine(all: JournalEntry): JournalLine {
  const { headers: _, data: __, answerHeaders: ___, answer, commit, ...entry } = all;
  const reason = reasonOf({ status: entry.status, answer });
  return {
    ...entry,
    ...(reason !== undefined && { reason }),
    ...(commit && { commit: { ...commitCounts(commit), size: commit.size } }),
  };
}

/** An entry in detail, with the beginning of what is long. */
export function describeEntry(entry: JournalEntry): JournalDetails {
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

function first<T>(part: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(part).slice(0, PAGE.items));
}
