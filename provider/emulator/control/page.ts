import { z } from "zod";
import { MARK_TYPES } from "../../model/mark";
import { PAGE } from "../defaults";
import type { JournalEntry } from "../journal/entry";
import {
  describeBinding,
  describeDialects,
  describeEntry,
  describeFaults,
  describeLine,
  describeMarks,
  describeSet,
} from "../page/describe";
import { describeOverview } from "../page/overview";
import { describeRepeat, sendAgain } from "../page/repeat";
import type { Simulation } from "../simulation";
import { profileOf, setOf, UnknownResource } from "./lookup";
import { type Operation, operation } from "./operation";

/** The answers' forms are types alone, see `answers.ts`. */
const answer = z.any();

/** Operations for the page alone: short summaries of long content, and the parts of its forms. */
export const pageOperations = [
  operation(
    "GET /page/overview",
    "Names and numbers of everything that the emulator holds, without entries and records.",
    { answer, run: describeOverview },
  ),
  operation(
    "GET /page/prefix-set",
    "Applied and staged entries of a set side by side, what a commit would change, and the first rows of them.",
    {
      input: z.strictObject({
        url: z.string(),
        filter: z.string().optional(),
        only: z.enum(["all", "changes"]).optional(),
        limit: z.int().min(1).max(5_000).optional(),
      }),
      answer,
      run: ({ contents }, { url, filter = "", only, limit = PAGE.rows }) =>
        describeSet(setOf(contents, url), filter.trim(), only === "changes", limit),
    },
  ),
  operation("GET /page/bound", "The binding of an address or prefix: the longest bound prefix, and its profile.", {
    input: z.strictObject({ address: z.string() }),
    answer,
    run: ({ contents }, { address }) => describeBinding(contents, address.trim()),
  }),
  operation("GET /page/marks", "The live marks of a profile with the largest values, largest first.", {
    input: z.strictObject({
      url: z.string(),
      type: z.enum(MARK_TYPES),
      id: z.int().min(0).optional(),
      filter: z.string().optional(),
      limit: z.int().min(1).max(1_000).optional(),
    }),
    answer,
    run: ({ contents }, { url, type, id, filter = "", limit = PAGE.records }) => {
      const { arena, profile } = profileOf(contents, url);
      return describeMarks(contents.packetPath.marks(arena, profile), type, limit, { id, filter: filter.trim() });
    },
  }),
  operation(
    "GET /page/mark-history",
    "Live marks by profile, type and id over the last five minutes of the virtual clock; only the largest lines.",
    {
      input: z.strictObject({ profile: z.string().optional() }),
      answer,
      run: ({ markHistory }, { profile }) => {
        markHistory.follow();
        return markHistory.chart(PAGE.chartLines, profile);
      },
    },
  ),
  operation(
    "GET /page/journal",
    "The newest entries of the journal, the oldest first, without headers, data and answers; commits as numbers, and why a request was refused.",
    {
      input: z.strictObject({ limit: z.int().min(1).max(20_000).optional() }),
      answer,
      run: ({ journal }, { limit = PAGE.lines }) => journal.entries.slice(-limit).map(describeLine),
    },
  ),
  operation(
    "GET /page/journal/{index}",
    "One entry of the journal with its headers, the beginning of its answer, and the first of its data items and changes.",
    {
      input: z.strictObject({ index: z.int() }),
      answer,
      run: (simulation, { index }) => {
        const entry = entryOf(simulation, index);
        return { ...describeEntry(entry), ...describeRepeat(simulation, entry) };
      },
    },
  ),
  operation(
    "POST /page/journal/{index}/send",
    "Sends a request of the journal once more, with the credentials that the emulator knows.",
    {
      input: z.strictObject({ index: z.int() }),
      run: (simulation, { index }) => sendAgain(simulation, entryOf(simulation, index)),
    },
  ),
  operation("GET /page/fault-kinds", "Kinds of faults with their parameters, and faults that a click switches on.", {
    answer,
    run: describeFaults,
  }),
  operation("GET /page/dialects", "Names of dialects, and all switches with the settings that they may have.", {
    answer,
    run: describeDialects,
  }),
] as readonly Operation[];

function entryOf({ journal }: Simulation, index: number): JournalEntry {
  const entry = journal.entries.find((it) => it.index === index);
  if (!entry) throw new UnknownResource(`the journal has no entry ${index} any more`);
  return entry;
}
