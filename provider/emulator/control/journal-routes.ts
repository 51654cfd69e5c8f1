import { z } from "zod";
import { journalFilter } from "../door/calls";
import { json, text } from "../http/reply";
import { describeEntry } from "../journal/journal-text";
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

const filter = journalFilter.extend({
  status: z.coerce.number().int().optional(),
  since: z.coerce.number().optional().describe("Only entries with at least this index."),
});

/** What the emulator was asked. */
export const journalRoutes: readonly ControlRoute[] = [
  route({
    method: "GET",
    path: "/journal",
    summary: "What the emulator was asked, secrets cut out.",
    query: filter,
    answer: z.array(journalEntry),
    run: ({ emulator, query: { since = 0, ...wanted } }) =>
      json(
        200,
        emulator.requests(wanted).filter(({ index }) => index >= since),
      ),
  }),
  route({
    method: "GET",
    path: "/journal.txt",
    summary: "The same for people: a line each.",
    query: filter,
    answerType: "text/plain",
    run: ({ emulator, query: { since = 0, ...wanted } }) => {
      const entries = emulator.requests(wanted).filter(({ index }) => index >= since);
      return text(200, entries.map((entry) => `${describeEntry(entry)}\n`).join(""));
    },
  }),
  route({
    method: "DELETE",
    path: "/journal",
    summary: "Empties the journal.",
    answer: done,
    run: ({ emulator }) => {
      emulator.clearJournal();
      return ok();
    },
  }),
  route({
    method: "GET",
    path: "/events",
    summary: "Journal entries as they happen, without their data: server-sent events named request.",
    answerType: "text/event-stream",
    run: ({ simulation, response }) => streamEvents(simulation.journal, response),
  }),
];
