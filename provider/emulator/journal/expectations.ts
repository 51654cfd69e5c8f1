import { JOURNAL } from "../defaults";
import { type JournalEntry, type JournalFilter, matches, unlike } from "./entry";
import type { Journal } from "./journal";
import { describeEntry } from "./journal-text";

/**
 * Thrown if the journal lacks the requests that a test expects, also if they are late. The message names the nearest ones.
 *
 * @example
 * ```ts
 * emulator.expectRequests({ cmd: "commit" }, 1);   // throws ExpectationError if there were none, or two
 * ```
 */
export class ExpectationError extends Error {
  override readonly name = "ExpectationError";
}

/** Number of expected requests, or bounds of it. */
export type RequestCount =
  | number
  | {
      /** Exact number; without `min` and `max`. */
      readonly exactly?: number;
      /** Least number; default 0. */
      readonly min?: number;
      /** Largest number; default: any. */
      readonly max?: number;
    };

/**
 * @throws {ExpectationError} unless so many requests match; also if requests that the journal has dropped may have been too
 *   many.
 */
export function expectCount(journal: Journal, given: JournalFilter, count: RequestCount): JournalEntry[] {
  const bounds: Exclude<RequestCount, number> = typeof count === "number" ? { exactly: count } : count;
  const { exactly, min = exactly ?? 0, max = exactly ?? Number.POSITIVE_INFINITY } = bounds;
  const filter = journal.meant(given);
  const found = journal.find(filter);
  const dropped = journal.dropped.count(filter);
  if (found.length >= min && found.length + dropped <= max) return found;
  const said = `Expected ${expected(min, max)} with ${words(filter)}; ${came(found.length)}`;
  if (found.length <= max && dropped > 0) {
    throw new ExpectationError(`${said}, and ${lost(dropped)}.${found.length < min ? nearest(journal, filter) : ""}`);
  }
  if (found.length < min) throw new ExpectationError(`${said}.${nearest(journal, filter)}`);
  const more = found.length > JOURNAL.tooMany ? [`and ${found.length - JOURNAL.tooMany} more`] : [];
  throw new ExpectationError(
    [`${said}:`, ...[...found.slice(0, JOURNAL.tooMany).map(line), ...more].map(indent)].join("\n"),
  );
}

function expected(min: number, max: number): string {
  const requests = (count: number) => `${count} ${count === 1 ? "request" : "requests"}`;
  if (min === max) return requests(min);
  if (max === Number.POSITIVE_INFINITY) return `at least ${requests(min)}`;
  return min === 0 ? `at most ${requests(max)}` : `${min} to ${requests(max)}`;
}

function lost(dropped: number): string {
  const which = dropped === 1 ? "1 that matches or may match was" : `${dropped} that match or may match were`;
  return `${which} dropped from the journal: keep more by \`journalLimits\` (--journal-requests), or clear it before`;
}

/** @throws {ExpectationError} unless the journal has a request for each filter, one after the other; others may be between them. */
export function expectInOrder(journal: Journal, given: readonly JournalFilter[]): JournalEntry[] {
  const filters = given.map((filter) => journal.meant(filter));
  const found: JournalEntry[] = [];
  for (const filter of filters) {
    const after = found.at(-1)?.index ?? -1;
    const next = journal.find(filter, { since: after + 1 })[0];
    if (next) {
      found.push(next);
      continue;
    }
    const steps = filters.map((step, at) => `${at + 1}. ${words(step)}${found[at] ? `: #${found[at].index}` : ""}`);
    const before = journal.find(filter).filter((entry) => !found.includes(entry));
    const early = before.length === 0 ? "" : ` It came before: ${before.map(({ index }) => `#${index}`).join(", ")}.`;
    const dropped = journal.dropped.count(filter);
    const gone = dropped === 0 ? "" : ` ${capitalized(lost(dropped))}.`;
    throw new ExpectationError(
      [
        "Expected requests in this order:",
        ...steps.map(indent),
        `${found.length === 0 ? "No request matches" : `After #${after} no request matches`} ${found.length + 1}.${early}${gone}${nearest(journal, filter)}`,
      ].join("\n"),
    );
  }
  return found;
}

/** Options of a wait for a request. */
export interface Waiting {
  /** Longest wait in real milliseconds. */
  readonly within: number;
  /** Index of the first entry to consider. */
  readonly since?: number;
  /** Calls back after so many milliseconds; returns the function that cancels it. */
  readonly timer: (run: () => void, ms: number) => () => void;
  /** Ends the wait early. */
  readonly signal?: AbortSignal;
}

/**
 * The first answered request that matches: one in the journal, else the next. Does not poll.
 *
 * @throws {ExpectationError} if none came in time, or the wait was ended.
 */
export function waitFor(journal: Journal, given: JournalFilter, waiting: Waiting): Promise<JournalEntry> {
  const filter = journal.meant(given);
  const { within, since = 0, timer, signal } = waiting;
  const answered = journal.find(filter, { since }).find(({ durationMs }) => durationMs !== undefined);
  if (answered) return Promise.resolve(answered);
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      end();
      const said = `Waited for a request with ${words(filter)}${since > 0 ? ` from #${since} on` : ""}`;
      reject(new ExpectationError(`${said}; none was answered ${why}.${nearest(journal, filter)}`));
    };
    const aborted = () => fail("before the waiting was ended");
    const stopListening = journal.listen((entry) => {
      if (entry.index < since || !matches(entry, filter)) return;
      end();
      resolve(entry);
    });
    const stopTimer = timer(() => fail(`within ${within} ms`), within);
    const end = () => {
      stopListening();
      stopTimer();
      signal?.removeEventListener("abort", aborted);
    };
    signal?.addEventListener("abort", aborted);
    if (signal?.aborted) aborted();
  });
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const indent = (text: string) => `  ${text}`;
const line = (entry: JournalEntry) => `#${entry.index} ${describeEntry(entry)}`;
const came = (count: number) => (count === 0 ? "none came" : `${count} came`);

function words(filter: JournalFilter): string {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return given.length === 0
    ? "any content"
    : given.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(", ");
}

/** The requests that differ from a filter in the fewest members, newest first, with the members that differ. */
function nearest(journal: Journal, filter: JournalFilter): string {
  const misses = journal.entries
    .map((entry) => ({ entry, other: differences(entry, filter) }))
    .filter(({ other }) => other.length > 0)
    .sort((a, b) => a.other.length - b.other.length || b.entry.index - a.entry.index)
    .slice(0, JOURNAL.nearMisses);
  if (journal.entries.length === 0) return " The journal is empty.";
  if (misses.length === 0) return "";
  const lines = misses.map(({ entry, other }) => `${line(entry)}: ${other.join(", ")}`);
  return ["", "Nearest:", ...lines.map(indent)].join("\n");
}

function differences(entry: JournalEntry, filter: JournalFilter): string[] {
  return unlike(entry, filter).map((name) => {
    if (name === "contains") return `no data item has or covers ${filter.contains}`;
    const actual = name === "run" && typeof filter.run === "string" ? entry.label : entry[name];
    return actual === undefined ? `no ${name}` : `${name} is ${JSON.stringify(actual)}`;
  });
}
