import { z } from "zod";
import { MARK_TYPES } from "../../model/mark";
import { faultSchema } from "../behaviour/faults";
import {
  activeFault,
  journalEntry,
  markLosses,
  markRecord,
  sources,
  type trafficSummary,
  type verdict,
} from "../control/answers";
import { ruleSchema } from "../rules/rule-schema";

/** What the page is answered. Its own types are inferred from these. */

const set = z.object({
  name: z.string(),
  url: z.string(),
  applied: z.int().describe("Entries."),
  changes: z.int().describe("Staged changes that wait for a commit."),
  revision: z.int().describe("Grows with every change of the applied entries."),
});
export type SetSummary = z.infer<typeof set>;

const profile = z.object({
  name: z.string(),
  url: z.string(),
  bound: z
    .array(z.object({ prefix: z.string(), signaling: z.boolean() }))
    .describe("Prefixes bound to it now, with those that an active signaling brought."),
  rules: z.array(z.object({ rule: ruleSchema, counter: z.object({ packets: z.int(), bytes: z.int() }).nullable() })),
  sets: z.array(set),
  marks: z.array(
    z.object({
      type: z.enum(MARK_TYPES),
      active: z.int(),
      expired: z.int(),
      ...markLosses.shape,
      ids: z
        .array(z.object({ id: z.int(), records: z.int() }))
        .describe("Live records by id, the largest groups first."),
    }),
  ),
});
export type Profile = z.infer<typeof profile>;
export type Rule = Profile["rules"][number]["rule"];
export type Match = NonNullable<Rule["match"]>[number];
export type Action = NonNullable<Rule["actions"]>[number];

/** An arena with its global sets and its profiles. */
const arena = z.object({ name: z.string(), sets: z.array(set), profiles: z.array(profile) });
export type Arena = z.infer<typeof arena>;

/** A client of the signaling API, without its secret. */
const client = z.object({
  clientId: z.string(),
  deployment: z.enum(["signaling", "test"]),
  prefixes: z.array(z.string()),
  active: z.array(z.string()),
  from: z.string().optional().describe("The profile of its prefixes without signaling."),
  to: z.string().optional().describe("The profile of its prefixes with active signaling."),
});
export type Client = z.infer<typeof client>;

export type Fault = z.infer<typeof faultSchema>;
export type ActiveFault = z.infer<typeof activeFault>;

/** A kind of fault, with what it can be told and the defaults of that; null where there is none. */
const faultKind = z.object({
  kind: z.string(),
  about: z.string(),
  parameters: z.record(z.string(), z.union([z.string(), z.number()]).nullable()),
});
export type FaultKind = z.infer<typeof faultKind>;

/** A fault to switch on by click, and what it does in the words of a person who looks for it. */
const preset = z.object({ group: z.string(), title: z.string(), text: z.string(), fault: faultSchema });
export type FaultPreset = z.infer<typeof preset>;

/** Every fault that the page offers: its form and its switches are made of this alone. */
export const catalogue = z.object({ kinds: z.array(faultKind), presets: z.array(preset) });
export type FaultCatalogue = z.infer<typeof catalogue>;

/** A switch of the dialect with what it may be; the first of that is the default, and other names or numbers may be possible. */
const dialectSwitch = z.object({
  name: z.string(),
  about: z.string(),
  settings: z.array(z.union([z.string(), z.number()])),
});
export type DialectSwitch = z.infer<typeof dialectSwitch>;

/** What the dialect can be set to: by the name of a whole one, or switch by switch. */
export const dialects = z.object({ names: z.array(z.string()), switches: z.array(dialectSwitch) });
export type Dialects = z.infer<typeof dialects>;

export const overview = z.object({
  endpoint: z.string(),
  started: z.string().describe("Another one after the emulator was started again."),
  seed: z.int(),
  clock: z.object({ now: z.string(), frozen: z.boolean() }),
  deviations: z.record(z.string(), z.unknown()).describe("Switches of the dialect that are not the default."),
  snapshots: z.array(z.string()).describe("Names of the states that are kept, oldest first."),
  sources: sources.describe("Where its answers come from, if not from what it holds, and what it keeps."),
  journal: z.object({ entries: z.int(), first: z.int().nullable().describe("Index of the oldest entry.") }),
  runs: z.array(z.object({ run: z.int(), text: z.string() })).describe("The newest runs of requests."),
  faults: z.array(activeFault),
  arenas: z.array(arena),
  clients: z.array(client),
});
export type Overview = z.infer<typeof overview>;

const value = z.int().nullable();

/** A set: both sides in one row, and only as many rows as are read. */
export const setView = z.object({
  applied: z.int(),
  staged: z.int(),
  inserted: z.int(),
  removed: z.int(),
  changed: z.int(),
  matching: z.int().describe("Rows that the filter lets pass."),
  rows: z.array(z.object({ prefix: z.string(), applied: value, staged: value })),
});
export type SetView = z.infer<typeof setView>;

/** A table of marks: the live records with the largest values. */
export const markView = markLosses.extend({
  active: z.int(),
  expired: z.int(),
  capacity: z.int().describe("Records that the table holds at most of an address family."),
  records: z.array(markRecord),
});
export type MarkView = z.infer<typeof markView>;
export type MarkRecord = z.infer<typeof markRecord>;
export type MarkType = (typeof MARK_TYPES)[number];

const markLine = z.object({
  profile: z.string(),
  type: z.enum(MARK_TYPES),
  id: z.int(),
  look: z.int().describe("Colour and stroke of the line: follows from profile, type and id."),
  values: z.array(z.int().nullable()).describe("Live records at each time; null where none were counted."),
});
export type MarkLine = z.infer<typeof markLine>;

/** The chart of marks: kept by the emulator, so that the page may be loaded anew. */
export const markChart = z.object({
  times: z.array(z.number()).describe("Seconds since 1970 of the virtual clock."),
  lines: z.array(markLine),
});
export type MarkChart = z.infer<typeof markChart>;

/** A line of the journal: a commit as numbers, and why a request was refused. */
export const journalLine = journalEntry
  .omit({ headers: true, data: true, answerHeaders: true, answer: true, commit: true })
  .extend({
    reason: z.string().optional().describe("Why it was refused, in the words of the answer."),
    commit: z.object({ inserted: z.int(), removed: z.int(), changed: z.int(), size: z.int() }).optional(),
  });
export type JournalLine = z.infer<typeof journalLine>;

/** A line of the journal, opened. */
export const journalDetails = journalLine.extend({
  ...journalEntry.pick({ headers: true, data: true, answerHeaders: true, answer: true }).shape,
  changes: journalEntry.shape.commit.unwrap().omit({ size: true }).optional(),
});
export type JournalDetails = z.infer<typeof journalDetails>;

export type Verdict = z.infer<typeof verdict>;
export type TrafficSummary = z.infer<typeof trafficSummary>;
