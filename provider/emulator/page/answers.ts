import type { MarkChart } from "../marks/mark-history";
import type {
  describeBinding,
  describeDialects,
  describeEntry,
  describeFaults,
  describeLine,
  describeMarks,
  describeSet,
} from "./describe";
import type { describeOverview } from "./overview";

/**
 * Types of the answers to the page. Page and answers come from the same build, so their form is not checked again. It is
 * described nowhere else: it changes with the page.
 */
export type { MarkType } from "../../model/mark";
export type { Fault } from "../behaviour/fault-schema";
export type { JournalEntry } from "../journal/entry";
export type { MarkRecord } from "../marks";
export type { MarkChart } from "../marks/mark-history";
export type { Packet, TrafficSummary, Verdict } from "../packets";

export type Overview = ReturnType<typeof describeOverview>;
/** A client of the signaling API, without its secret. */
export type Client = Overview["clients"][number];
export type Binding = ReturnType<typeof describeBinding>;
export type Profile = Overview["arenas"][number]["profiles"][number];
export type SetSummary = Profile["sets"][number];
export type Rule = Profile["rules"][number]["rule"];
export type Match = NonNullable<Rule["match"]>[number];
export type Action = NonNullable<Rule["actions"]>[number];
export type ActiveFault = Omit<Overview["faults"][number], "remove">;

/** Applied and staged entries of a set side by side, and only as many rows as are read. */
export type SetView = ReturnType<typeof describeSet>;
export type MarkView = ReturnType<typeof describeMarks>;
export type MarkLine = MarkChart["lines"][number];

/** A line of the journal: a commit as numbers, and why a request was refused. */
export type JournalLine = ReturnType<typeof describeLine>;
/** A line of the journal, opened. */
export type JournalDetails = ReturnType<typeof describeEntry> & {
  /** A command that sends it once more, or why there is none. */
  readonly curl?: string;
  readonly noCurl?: string;
  /** The reason why the emulator cannot send it once more. */
  readonly noSend?: string;
  /** Its body is put together from the parts that the journal holds. */
  readonly rebuilt?: boolean;
};

export type FaultCatalogue = ReturnType<typeof describeFaults>;
export type FaultKind = FaultCatalogue["kinds"][number];
/** A fault to switch on by click, with its effect in the words of a person who looks for it. */
export type FaultPreset = FaultCatalogue["presets"][number];
export type Dialects = ReturnType<typeof describeDialects>;
export type DialectSwitch = Dialects["switches"][number];
