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
import { milliseconds } from "../time/duration";
import { strictly } from "../validation/strict";
import { journalEntry, runSchema } from "./answers";
import { journalFilter, journalRange, requestCount, requestOrder, requestWait } from "./arguments";
import { withTexts } from "./given";
import { getter, method, operation } from "./operation";
import type { RequestWait } from "./schema-types";

const filterAndRange = journalFilter.safeExtend(journalRange.shape);

const requests = operation("GET /journal", "Requests to the emulator and its answers, without secrets.", {
  input: filterAndRange,
  answer: z.array(journalEntry),
  run: ({ journal }, { since, limit, ...filter }) => journal.find(filter, { since, limit }),
});

const runs = operation(
  "GET /runs",
  "The requests by runs: a run is the requests between two pauses, or those with one label in the header Packetfilter-Run.",
  { answer: z.array(runSchema), run: ({ journal }): readonly Run[] => journal.runs.list() },
);

/** Sends journal entries as they happen, until the reader disconnects. Writes the answer itself. */
function streamEvents(journal: Journal, response: ServerResponse): undefined {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.write(": journal\n\n");
  const stop = journal.follow(({ data: _, answer, ...entry }) => {
    const reason = reasonOf({ ...entry, answer });
    const event = { ...entry, ...(reason !== undefined && { reason }) };
    if (response.writableLength > CONTROL.eventBytes) response.destroy();
    else response.write(`id: ${entry.index}\nevent: request\ndata: ${JSON.stringify(event)}\n\n`);
  });
  response.on("close", stop);
}

/** Requests to the emulator and its answers. */
export const journal = {
  /** Requests to the emulator and its answers, without secrets. */
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

  /** The journal as an HTTP archive (HAR 1.2), for the network view of a browser; runs are its pages. */
  har: method(
    operation(
      "GET /journal.har",
      "The journal as an HTTP archive (HAR 1.2), for the network view of a browser; runs are its pages.",
      {
        answer: harSchema,
        run: ({ journal, addresses: { endpoint } }) => har(journal, endpoint, packageVersion()),
      },
    ),
  ),

  /**
   * Waits for the answer to a matching request and returns its entry; one already in the journal counts, from the entry
   * `since` on. Does not poll. `within` (default `"5s"`) is real time, since the virtual clock may be frozen.
   *
   * @throws {ExpectationError} if none came in time, naming the nearest.
   * @example
   * ```ts
   * const commit = await emulator.waitForRequest({ cmd: "commit", status: 200 }, { within: "2s" });
   * ```
   */
  waitForRequest: method(
    operation(
      "POST /journal/wait",
      "Waits for the answer to a matching request; one already in the journal counts. 412 if none comes in time.",
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
    // Errors of the arguments reject the promise, too.
    (...[filter, options = {}]: [filter: JournalFilter, options?: RequestWait, signal?: AbortSignal]) => ({
      filter: withTexts(filter) as z.infer<typeof journalFilter>,
      ...options,
    }),
  ),

  /**
   * Expects a number of matching requests, exact or by `min` and `max`, and returns their entries.
   *
   * @throws {ExpectationError} naming the surplus requests, or the nearest ones; also if requests that the journal has
   *   dropped may have been too many.
   * @example
   * ```ts
   * emulator.expectRequests({ cmd: "commit", url: "prefixset://edge/blocked" }, 1);
   * emulator.expectRequests({ run: "file-7", contains: "203.0.113.9" }, { min: 1 });
   * ```
   */
  expectRequests: method(
    operation(
      "POST /journal/expect",
      "The matching requests, if there are as many as expected. 412 if not, with the nearest ones.",
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
   * Expects requests in an order, with any others between them, and returns their entries.
   *
   * @throws {ExpectationError} naming the first missing request, and the nearest ones.
   * @example
   * ```ts
   * emulator.expectOrder([{ cmd: "insert" }, { cmd: "delete" }, { cmd: "commit", status: 200 }]);
   * ```
   */
  expectOrder: method(
    operation(
      "POST /journal/expect-order",
      "A request for each filter, one after the other. 412 if one is missing, with the nearest ones.",
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
   * The last thousand runs, oldest first. A run is the requests between two pauses (`runPause`), or those with one label in
   * the header `Packetfilter-Run`. `requests({ run: 3 })` returns the requests of run 3.
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
   * Begins another run for all further requests without a label of their own. A run with a label goes on across pauses; one
   * without ends at its first pause.
   */
  beginRun: method(
    operation("POST /runs", "Begins another run, with or without a label, for all further requests without a label.", {
      input: z.strictObject({ label: z.string().min(1).max(JOURNAL.labelCharacters).optional() }),
      answer: runSchema,
      run: ({ journal }, { label }) => journal.runs.begin(label),
    }),
    (label?: string) => ({ label }),
  ),

  /** Clears the journal and its runs. */
  clearJournal: method(
    operation("DELETE /journal", "Clears the journal and its runs.", {
      run: ({ journal }) => journal.clear(),
    }),
  ),

  events: operation(
    "GET /events",
    "Journal entries as they happen, as server-sent events named request, without data and answers, with the reason of a refusal. A late commit comes once more when it is applied.",
    {
      type: "text/event-stream",
      run: ({ journal }, _, { response }) => response && streamEvents(journal, response),
    },
  ),
};
