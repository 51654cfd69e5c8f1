import { z } from "zod";
import { MARK_TYPES } from "../../model/mark";
import { DIALECTS, SWITCHES } from "../behaviour/dialect";
import type { FaultDefinition } from "../behaviour/fault-kind";
import { FAULT_KINDS } from "../behaviour/fault-kinds";
import { faultPresets } from "../behaviour/fault-presets";
import type { Switch } from "../behaviour/switch";
import { profileOf, setOf, UnknownResource } from "../control/lookup";
import { type Operation, operation } from "../control/operation";
import { PAGE } from "../defaults";
import { describeEntry, describeLine } from "./journal-view";
import { describeOverview } from "./overview";
import {
  catalogue,
  type DialectSwitch,
  type Dialects,
  dialects,
  type FaultCatalogue,
  type FaultKind,
  journalDetails,
  journalLine,
  markChart,
  markView,
  overview,
  setView,
} from "./schemas";
import { describeSet } from "./set-view";

/** What only the page asks: short summaries of what may be long, and what its forms are made of. */
export const pageOperations = [
  operation(
    "GET /page/overview",
    "Names and numbers of everything that the emulator holds, without entries and records.",
    { answer: overview, run: describeOverview },
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
      answer: setView,
      run: ({ contents }, { url, filter = "", only, limit = PAGE.rows }) =>
        describeSet(setOf(contents, url), { filter: filter.trim(), onlyChanges: only === "changes", limit }),
    },
  ),
  operation("GET /page/marks", "The live marks of a profile with the largest values, largest first.", {
    input: z.strictObject({
      url: z.string(),
      type: z.enum(MARK_TYPES),
      id: z.int().min(0).optional(),
      limit: z.int().min(1).max(1_000).optional(),
    }),
    answer: markView,
    run: ({ contents }, { url, type, id, limit = PAGE.records }) => {
      const { arena, profile } = profileOf(contents, url);
      const marks = contents.packetPath.marks(arena, profile);
      return {
        ...marks.count(type),
        ...marks.losses(type),
        capacity: marks.capacity,
        records: marks.largest(type, limit, id),
      };
    },
  }),
  operation(
    "GET /page/mark-history",
    "Live marks by profile, type and id over the last five minutes of the virtual clock, the largest lines.",
    {
      input: z.strictObject({ profile: z.string().optional() }),
      answer: markChart,
      run: ({ markHistory }, { profile }) => {
        markHistory.follow();
        return markHistory.chart(PAGE.chartLines, profile);
      },
    },
  ),
  operation(
    "GET /page/journal",
    "The newest entries of the journal, oldest of them first, without headers, data and answers; commits as numbers, and why a request was refused.",
    {
      input: z.strictObject({ limit: z.int().min(1).max(20_000).optional() }),
      answer: z.array(journalLine),
      run: ({ journal }, { limit = PAGE.lines }) => journal.entries.slice(-limit).map(describeLine),
    },
  ),
  operation(
    "GET /page/journal/{index}",
    "One entry of the journal with its headers, the beginning of its answer, and the first of its data items and changes.",
    {
      input: z.strictObject({ index: z.int() }),
      answer: journalDetails,
      run: ({ journal }, { index }) => {
        const entry = journal.entries.find((it) => it.index === index);
        if (!entry) throw new UnknownResource(`the journal has no entry ${index} any more`);
        return describeEntry(entry);
      },
    },
  ),
  operation(
    "GET /page/fault-kinds",
    "Kinds of faults with what they can be told, and faults that are switched on by click.",
    {
      answer: catalogue,
      run: (): FaultCatalogue => ({ kinds: Object.entries(FAULT_KINDS).map(describeKind), presets: faultPresets() }),
    },
  ),
  operation("GET /page/dialects", "Names of dialects, and all switches with the settings that they may have.", {
    answer: dialects,
    run: (): Dialects => ({ names: Object.keys(DIALECTS), switches: Object.entries(SWITCHES).map(describeSwitch) }),
  }),
] as readonly Operation[];

function describeSwitch([name, { schema, alternatives, refusals = [] }]: [string, Switch]): DialectSwitch {
  const settings = [schema.parse(undefined), ...alternatives, ...refusals] as DialectSwitch["settings"];
  return { name, about: schema.description ?? "", settings };
}

function describeKind([kind, { about, parameters }]: [string, FaultDefinition]): FaultKind {
  return { kind, about, parameters };
}
