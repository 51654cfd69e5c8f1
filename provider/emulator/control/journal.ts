import type { ServerResponse } from "node:http";
import { z } from "zod";
import { packageVersion } from "../../files/package-version";
import { CONTROL, JOURNAL } from "../defaults";
import type { JournalEntry, JournalFilter } from "../journal/entry";
import { expectCount, expectInOrder, type RequestCount, waitFor } from "../journal/expectations";
import { har, harSchema } from "../journal/har";
import type { Journal, JournalRange } from "../journal/journal";
import { reasonOf } from "../journal/journal-text";
import type { Run } from "../journal/runs";
import { type Duration, milliseconds } from "../time/duration";
import { strictly } from "../validation/strict";
import { journalEntry, runSchema } from "./answers";
import { journalFilter, journalRange, requestCount, requestOrder, requestWait } from "./arguments";
import { withTexts } from "./given";
import { getter, method, operation } from "./operation";

/** Options for waiting for a request. */
export interface RequestWait {
  /** Real time, default 5 s. */
  readonly within?: Duration;
  /** Index of the first entry of the journal that counts, default: of all that it holds. */
  readonly since?: number;
}

const filterAndRange = journalFilter.extend(journalRange.shape);

const requests = operation("GET /journal", "What the emulator was asked, secrets cut out.", {
  input: filterAndRange,
  answer: z.array(journalEntry),
  run: ({ journal }, { since, limit, ...filter }) => journal.find(filter, { since, limit }),
});

const runs = operation(
  "GET /runs",
  "The requests in runs: those between two pauses, or those with one label in the header Packetfilter-Run.",
  { answer: z.array(runSchema), run: ({ journal }): readonly Run[] => journal.runs.list() },
);

/** Sends journal entries as they happen, until the reader leaves. Writes the answer itself. */
function streamEvents(journal: Journal, response: ServerResponse): undefined {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.write(": journal\n\n");
  const stop = journal.listen(({ data: _, answer, ...entry }) => {
    const reason = reasonOf({ status: entry.status, answer });
    const event = { ...entry, ...(reason !== undefined && { reason }) };
    if (response.writableLength > CONTROL.eventBytes) response.destroy();
    else response.write(`id: ${entry.index}\nevent: request\ndata: ${JSON.stringify(event)}\n\n`);
  });
  response.on("close", stop);
}

/** Requests to the emulator and its answers. */
export const journal = {
  /** Requests to the emulator and its answers, secrets cut out. */
  journal: getter(
    requests,
    (entries): readonly JournalEntry[] => entries,
    ({ journal }) => journal.entries,
  ),

  /**
   * The entries of the journal that match, oldest first.
   *
   * @example
   * ```ts
   * emulator.requests({ cmd: "commit" });
   * emulator.requests({ status: 400 }, { limit: 1 })[0]?.answer;   // why the last request that was wrong was refused
   * ```
   */
  requests: method(requests, (filter: JournalFilter = {}, range: JournalRange = {}) => ({
    ...strictly(journalFilter, withTexts(filter), "requests()"),
    ...strictly(journalRange, range, "requests()"),
  })),

  /** The journal as an HTTP archive (HAR 1.2), which the network views of browsers open; runs are its pages. */
  har: method(
    operation(
      "GET /journal.har",
      "The journal as an HTTP archive (HAR 1.2), which the network views of browsers open; runs are its pages.",
      {
        answer: harSchema,
        run: ({ journal, addresses: { endpoint } }) => har(journal, endpoint, packageVersion()),
      },
    ),
  ),

  /**
   * Waits until a matching request is answered, and gives its entry. One that is already in the journal counts, from the entry
   * `since` on. Nothing is polled, and `within` (default `"5s"`) is real time: a clock that stands still ends no wait.
   *
   * @throws {ExpectationError} when none came in time, naming those that came near.
   * @example
   * ```ts
   * const commit = await emulator.waitForRequest({ cmd: "commit", status: 200 }, { within: "2s" });
   * ```
   */
  waitForRequest: method(
    operation(
      "POST /journal/wait",
      "Waits until a request that matches is answered; one that the journal holds counts. 412 when none comes in time.",
      {
        input: requestWait.extend({ filter: journalFilter }),
        answer: journalEntry,
        run: async ({ journal, waits }, { filter, ...options }, { signal }): Promise<JournalEntry> => {
          strictly(journalFilter, filter, "waitForRequest()");
          const { within = CONTROL.wait, since } = strictly(requestWait, options, "waitForRequest()");
          const ended = signal ? AbortSignal.any([signal, waits.signal]) : waits.signal;
          return waitFor(journal, filter, { within: milliseconds(within), since, timer: waits.timer, signal: ended });
        },
      },
    ),
    // The promise reports errors of the arguments, too: they are checked where it is made.
    (...[filter, options = {}]: [filter: JournalFilter, options?: RequestWait, signal?: AbortSignal]) => ({
      filter: withTexts(filter) as z.infer<typeof journalFilter>,
      ...options,
    }),
  ),

  /**
   * Expects that so many requests match, and gives their entries: a number, or `exactly`, `min`, `max`.
   *
   * @throws {ExpectationError} naming the surplus requests, or those that came near; also where requests that the journal
   *   has dropped may have been too many.
   * @example
   * ```ts
   * emulator.expectRequests({ cmd: "commit", url: "prefixset://edge/blocked" }, 1);
   * emulator.expectRequests({ run: "file-7", contains: "203.0.113.9" }, { min: 1 });
   * ```
   */
  expectRequests: method(
    operation(
      "POST /journal/expect",
      "The requests that match, if there are as many as expected. 412 if not, with those that came near.",
      {
        input: z.strictObject({ filter: journalFilter, count: requestCount }),
        answer: z.array(journalEntry),
        run: ({ journal }, { filter, count }) => expectCount(journal, filter, count),
      },
    ),
    (filter: JournalFilter, count: RequestCount) => ({
      filter: strictly(journalFilter, withTexts(filter), "expectRequests()"),
      count: strictly(requestCount, count, "expectRequests(): the count"),
    }),
  ),

  /**
   * Says that requests came one after the other, and gives their entries. Others may be between them.
   *
   * @throws {ExpectationError} naming the first that is missing, and those that came near.
   * @example
   * ```ts
   * emulator.expectOrder([{ cmd: "insert" }, { cmd: "delete" }, { cmd: "commit", status: 200 }]);
   * ```
   */
  expectOrder: method(
    operation(
      "POST /journal/expect-order",
      "A request for each filter, one after the other. 412 if there are none, with those that came near.",
      {
        input: z.strictObject({ filters: requestOrder }),
        answer: z.array(journalEntry),
        run: ({ journal }, { filters }) => expectInOrder(journal, filters),
      },
    ),
    (filters: readonly JournalFilter[]) => ({
      filters: strictly(requestOrder, Array.isArray(filters) ? filters.map(withTexts) : filters, "expectOrder()"),
    }),
  ),

  /**
   * The requests in runs: those between two pauses (`runPause`), or those that carry one label in the header `Packetfilter-Run`.
   * The last thousand, oldest first; `requests({ run: 3 })` are the requests of one.
   *
   * @example
   * ```ts
   * emulator.beginRun("second up");
   * await program.up();
   * emulator.runs.map(describeRun).at(-1);   // "run 2 (second up): 4 requests, no commit"
   * ```
   */
  runs: getter(runs),

  /**
   * From now on requests belong to another run, whatever pauses there are; those that carry a label of their own stay with theirs. Without
   * a label a new run begins, which ends at its first pause.
   */
  beginRun: method(
    operation("POST /runs", "Begins another run, of this label or without one, for all requests that carry no label.", {
      input: z.strictObject({ label: z.string().min(1).max(JOURNAL.labelCharacters).optional() }),
      answer: runSchema,
      run: ({ journal }, { label }) => journal.runs.begin(label),
    }),
    (label?: string) => ({ label }),
  ),

  /** Empties the journal, and forgets the runs. */
  clearJournal: method(
    operation("DELETE /journal", "Empties the journal, and forgets the runs.", {
      run: ({ journal }) => journal.clear(),
    }),
  ),

  events: operation(
    "GET /events",
    "Journal entries as they happen, without data and answers, with the reason of a refusal: server-sent events named request.",
    {
      type: "text/event-stream",
      run: ({ journal }, _, { response }) => response && streamEvents(journal, response),
    },
  ),
};
