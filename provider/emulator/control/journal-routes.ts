import { z } from "zod";
import { json, text } from "../http/reply";
import { harSchema } from "../journal/har";
import { describeEntry, describeRun } from "../journal/journal-text";
import { journalFilter, requestCount, requestOrder, requestWait } from "../validation/arguments";
import { done, ok } from "./answers";
import { asItIs, nothing } from "./client-call";
import { streamEvents } from "./events";
import { journalEntry, runSchema } from "./journal-schema";
import { type ControlRoute, route } from "./route";

const filter = journalFilter.extend({
  status: z.coerce.number().int().optional(),
  run: z.coerce.number().int().optional(),
  since: z.coerce.number().int().optional().describe("Only entries with at least this index."),
  limit: z.coerce.number().int().min(0).optional().describe("Only so many of them, the newest; oldest of these first."),
});

/** What the emulator was asked. */
export const journalRoutes: readonly ControlRoute[] = [
  route({
    method: "GET",
    path: "/journal",
    summary: "What the emulator was asked, secrets cut out.",
    query: filter,
    answer: z.array(journalEntry),
    calls: { requests: { request: (filter, range) => ({ query: { ...filter, ...range } }), result: asItIs } },
    reads: { journal: { result: asItIs } },
    run: ({ emulator, query: { since, limit, ...wanted } }) => json(200, emulator.requests(wanted, { since, limit })),
  }),
  route({
    method: "GET",
    path: "/journal.txt",
    summary: "The same for people: a line each.",
    query: filter,
    answerType: "text/plain",
    run: ({ emulator, query: { since, limit, ...wanted } }) => {
      const entries = emulator.requests(wanted, { since, limit });
      return text(200, entries.map((entry) => `${describeEntry(entry)}\n`).join(""));
    },
  }),
  route({
    method: "GET",
    path: "/journal.har",
    summary: "The journal as an HTTP archive (HAR 1.2), which the network views of browsers open; runs are its pages.",
    answer: harSchema,
    calls: { har: { result: asItIs } },
    run: ({ emulator }) => json(200, emulator.har()),
  }),
  route({
    method: "POST",
    path: "/journal/wait",
    summary:
      "Waits until a request that matches is answered; one that the journal holds counts. 412 when none comes in time.",
    body: requestWait.extend({ filter: journalFilter }),
    answer: journalEntry,
    calls: {
      waitForRequest: {
        request: (wanted, options, signal) => ({ body: { filter: wanted, ...options }, signal }),
        result: asItIs,
      },
    },
    run: async ({ emulator, body: { filter: wanted, ...options }, response }) => {
      const left = new AbortController();
      response.once("close", () => left.abort());
      return json(200, await emulator.waitForRequest(wanted, options, left.signal));
    },
  }),
  route({
    method: "POST",
    path: "/journal/expect",
    summary: "The requests that match, if there are as many as expected. 412 if not, with those that came near.",
    body: z.strictObject({ filter: journalFilter, count: requestCount }),
    answer: z.array(journalEntry),
    calls: { expectRequests: { request: (wanted, count) => ({ body: { filter: wanted, count } }), result: asItIs } },
    run: ({ emulator, body }) => json(200, emulator.expectRequests(body.filter, body.count)),
  }),
  route({
    method: "POST",
    path: "/journal/expect-order",
    summary: "A request for each filter, one after the other. 412 if there are none, with those that came near.",
    body: z.strictObject({ filters: requestOrder }),
    answer: z.array(journalEntry),
    calls: { expectOrder: { request: (filters) => ({ body: { filters } }), result: asItIs } },
    run: ({ emulator, body }) => json(200, emulator.expectOrder(body.filters)),
  }),
  route({
    method: "GET",
    path: "/runs",
    summary: "The requests in runs: those between two pauses, or those with one label in the header Packetfilter-Run.",
    answer: z.array(runSchema),
    reads: { runs: { result: asItIs } },
    run: ({ emulator }) => json(200, emulator.runs),
  }),
  route({
    method: "GET",
    path: "/runs.txt",
    summary: "The same for people: a line each.",
    answerType: "text/plain",
    run: ({ emulator }) => text(200, emulator.runs.map((run) => `${describeRun(run)}\n`).join("")),
  }),
  route({
    method: "POST",
    path: "/runs",
    summary: "Begins another run, of this label or without one, for all requests that carry no label.",
    body: z.strictObject({ label: z.string().min(1).max(100).optional() }),
    answer: runSchema,
    calls: { beginRun: { request: (label) => ({ body: { label } }), result: asItIs } },
    run: ({ emulator, body: { label } }) => json(200, emulator.beginRun(label)),
  }),
  route({
    method: "DELETE",
    path: "/journal",
    summary: "Empties the journal, and forgets the runs.",
    answer: done,
    calls: { clearJournal: { result: nothing } },
    run: ({ emulator }) => {
      emulator.clearJournal();
      return ok();
    },
  }),
  route({
    method: "GET",
    path: "/events",
    summary:
      "Journal entries as they happen, without data and answers, with the reason of a refusal: server-sent events named request.",
    answerType: "text/event-stream",
    run: ({ simulation, response }) => streamEvents(simulation.journal, response),
  }),
];
