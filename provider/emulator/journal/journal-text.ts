import { z } from "zod";
import { jsonIn } from "../../model/readable";
import { JOURNAL } from "../defaults";
import { commitCounts } from "../state/commit-record";
import type { JournalEntry } from "./entry";
import { isRefused, type Run } from "./runs";

/**
 * A journal entry as a line of text.
 *
 * @example
 * ```ts
 * emulator.journal.map(describeEntry);   // ["10:00:00.125 node insert prefixset://edge/blocked (500) -> 200, 15 bytes"]
 * ```
 */
export function describeEntry(entry: JournalEntry): string {
  const { api, cmd, op, url, client, type, entries, status, answerBytes, fault, commit } = entry;
  const what = cmd ?? op ?? `${entry.method} ${entry.path}`;
  const whom = [url, type, client].filter((part) => part !== undefined);
  const count = entries === undefined ? [] : [`(${entries})`];
  const outcome =
    status === undefined ? "no answer" : `${status}${answerBytes === undefined ? "" : `, ${answerBytes} bytes`}`;
  const changes = commit && commitCounts(commit);
  const applied = changes
    ? `, applied +${changes.inserted} -${changes.removed} ~${changes.changed}, ${commit?.size} after`
    : "";
  const reason = reasonOf(entry);
  const why = reason === undefined ? "" : `: ${reason}`;
  return `${entry.time.slice(11, 23)} ${[api, what, ...whom, ...count].join(" ")} -> ${outcome}${why}${applied}${fault ? `, fault ${fault}` : ""}`;
}

/**
 * A run as a line of text.
 *
 * @example
 * ```ts
 * emulator.runs.map(describeRun);   // ["run 1: 2 requests, no commit", "run 2 (nightly): 12 requests, 1 commit, +1 −1"]
 * ```
 */
export function describeRun(it: Run): string {
  const commits = it.commits === 0 ? "no commit" : `${counted(it.commits, "commit")}, ${changesText(it)}`;
  const parts = [
    counted(it.requests, "request"),
    commits,
    ...(it.starts > 0 ? [counted(it.starts, "start")] : []),
    ...(it.stops > 0 ? [counted(it.stops, "stop")] : []),
    ...(it.failed > 0 ? [`${it.failed} failed`] : []),
  ];
  return `run ${it.run}${it.label === undefined ? "" : ` (${it.label})`}: ${parts.join(", ")}`;
}

/** `+12 ~3`, without the signs for zero. */
function changesText({ inserted, removed, changed }: Pick<Run, "inserted" | "removed" | "changed">): string {
  const parts = [inserted > 0 && `+${inserted}`, removed > 0 && `−${removed}`, changed > 0 && `~${changed}`];
  return parts.filter(Boolean).join(" ") || "nothing changed";
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** Reason of a refusal, on one line: the error text of the JSON, else the whole body. */
export function reasonOf(entry: Pick<JournalEntry, "status" | "refused" | "answer">): string | undefined {
  const { answer } = entry;
  if (!isRefused(entry) || !answer) return undefined;
  const line = (errorSchema.safeParse(jsonIn(answer)).data ?? answer).replace(/\s+/g, " ").trim();
  return line.length > JOURNAL.reasonCharacters ? `${line.slice(0, JOURNAL.reasonCharacters)}…` : line;
}

const errorSchema = z.union([
  z.object({ error: z.string() }).transform(({ error }) => error),
  z.object({ message: z.string() }).transform(({ message }) => message),
  z.object({ detail: z.string() }).transform(({ detail }) => detail),
]);
