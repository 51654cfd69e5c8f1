import type { JournalEntry } from "./journal";

/**
 * A journal entry as a line for people.
 *
 * @example
 * ```ts
 * describeEntry(emulator.journal[0]);   // "10:00:00.125 node insert prefixset://edge/blocked (500) -> 200, 15 bytes"
 * ```
 */
export function describeEntry(entry: JournalEntry): string {
  const { api, cmd, op, url, client, type, entries, status, answerBytes, fault, commit } = entry;
  const what = cmd ?? op ?? `${entry.method} ${entry.path}`;
  const whom = [url, type, client].filter((part) => part !== undefined);
  const count = entries === undefined ? [] : [`(${entries})`];
  const outcome =
    status === undefined ? "no answer" : `${status}${answerBytes === undefined ? "" : `, ${answerBytes} bytes`}`;
  const changes = commit && [commit.inserted, commit.removed, commit.changed].map((part) => Object.keys(part).length);
  const applied = changes ? `, applied +${changes[0]} -${changes[1]} ~${changes[2]}, ${commit?.size} after` : "";
  return `${entry.time.slice(11, 23)} ${[api, what, ...whom, ...count].join(" ")} -> ${outcome}${applied}${fault ? `, fault ${fault}` : ""}`;
}
