import { z } from "zod";
import { type ControlRoute, route } from "../control/route";
import { json } from "../http/reply";
import type { JournalEntry } from "../journal/journal";
import { reasonOf } from "../journal/journal-text";
import { type CommitRecord, commitCounts } from "../state/commit-record";

/** Data items and changes of one entry that are shown. */
const SHOWN = 100;

const line = z.looseObject({ index: z.int(), time: z.string(), api: z.string(), method: z.string(), path: z.string() });

/** The journal as people look at it: short lines, and one entry in detail. */
export const journalViewRoutes: readonly ControlRoute[] = [
  route({
    method: "GET",
    path: "/page/journal",
    summary:
      "The newest entries of the journal, oldest of them first, without headers, data and answers; commits as numbers, and why a request was refused.",
    query: z.strictObject({ limit: z.coerce.number().int().min(1).max(20_000).optional().describe("Default 500.") }),
    answer: z.array(line),
    run: ({ simulation, query: { limit = 500 } }) => json(200, simulation.journal.entries.slice(-limit).map(short)),
  }),
  route({
    method: "GET",
    path: "/page/journal/{index}",
    summary: `One entry of the journal with its headers, the beginning of its answer, and at most ${SHOWN} of its data items and changes.`,
    answer: line,
    run: ({ simulation, path }) => {
      const entry = simulation.journal.entries.find(({ index }) => index === Number(path.index));
      return entry
        ? json(200, {
            ...short(entry),
            headers: entry.headers,
            answerHeaders: entry.answerHeaders,
            answer: entry.answer,
            data: entry.data?.slice(0, SHOWN),
            changes: changes(entry),
          })
        : json(404, { error: `the journal has no entry ${path.index} any more` });
    },
  }),
];

function short({ headers: _, data: __, answerHeaders: ___, answer, commit, ...entry }: JournalEntry) {
  const reason = reasonOf({ status: entry.status, answer });
  return { ...entry, ...(reason !== undefined && { reason }), ...(commit && { commit: numbers(commit) }) };
}

function numbers(commit: CommitRecord) {
  return { ...commitCounts(commit), size: commit.size };
}

function changes({ commit }: JournalEntry) {
  if (!commit) return undefined;
  const first = <T>(part: Record<string, T>) => Object.fromEntries(Object.entries(part).slice(0, SHOWN));
  return { inserted: first(commit.inserted), removed: first(commit.removed), changed: first(commit.changed) };
}
