import { z } from "zod";
import { journalFilter } from "../door/calls";
import { json, text } from "../http/reply";
import { describeEntry, describeRun } from "../journal/journal-text";
import { done, ok } from "./answers";
import { streamEvents } from "./events";
import { type ControlRoute, route } from "./route";

const journalEntry = z.looseObject({
  index: z.int(),
  time: z.string(),
  api: z.string(),
  method: z.string(),
  path: z.string(),
});

const count = z.int();
const runSchema = z.object({
  run: z.int().describe("Counts from 1 and never repeats."),
  label: z.string().optional(),
  from: z.string().optional().describe("Virtual time of its first request."),
  requests: count,
  failed: count.describe("Requests that were answered with a status of 400 or more, or not at all."),
  commits: count,
  inserted: count,
  removed: count,
  changed: count,
  starts: count,
  stops: count,
});

const filter = journalFilter.extend({
  status: z.coerce.number().int().optional(),
  run: z.coerce.number().int().optional(),
  since: z.coerce.number().optional().describe("Only entries with at least this index."),
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
    path: "/runs",
    summary: "The requests in runs: those between two pauses, or those with one label in the header Packetfilter-Run.",
    answer: z.array(runSchema),
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
    run: ({ emulator, body: { label } }) => json(200, emulator.beginRun(label)),
  }),
  route({
    method: "DELETE",
    path: "/journal",
    summary: "Empties the journal, and forgets the runs.",
    answer: done,
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
