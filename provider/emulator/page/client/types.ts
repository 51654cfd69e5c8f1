/** What the control API answers, as far as the page reads it. */

export type MarkType = "shost" | "dhost" | "sdhost" | "conn";

export interface SetSummary {
  name: string;
  url: string;
  applied: number;
  changes: number;
  revision: number;
}

/** A comparison, a match and an action as the state has them; the page only puts them into words. */
export type Comparison = number | Record<string, number>;
export type Match = Record<string, unknown>;
export type Action = string | Record<string, Record<string, number>>;

export interface Rule {
  id?: number;
  name?: string;
  match?: Match[];
  actions?: Action[];
  extra?: Record<string, unknown>;
}

interface MarkSummary {
  type: MarkType;
  active: number;
  expired: number;
  ids: { id: number; records: number }[];
}

export interface Profile {
  name: string;
  url: string;
  bound: { prefix: string; signaling: boolean }[];
  rules: { rule: Rule; counter: { packets: number; bytes: number } | null }[];
  sets: SetSummary[];
  marks: MarkSummary[];
}

interface Arena {
  name: string;
  sets: SetSummary[];
  profiles: Profile[];
}

export interface Client {
  clientId: string;
  deployment: "signaling" | "test";
  prefixes: string[];
  active: string[];
  from?: string;
  to?: string;
}

/** See the faults of the emulator; only members that are set are there. */
export type Fault = Record<string, string | number> & { kind?: string };

export interface ActiveFault {
  id: number;
  fault: Fault;
  seen: number;
  hits: number;
  spent: boolean;
}

/** A kind of fault, with what it can be told and the defaults of that; `null` where there is none. */
export interface FaultKind {
  kind: string;
  about: string;
  parameters: Record<string, string | number | null>;
}

/** A fault to switch on by click, and what it does in the words of somebody who looks for it. */
export interface FaultPreset {
  group: string;
  title: string;
  text: string;
  fault: Fault;
}

/** All faults that the emulator has, groups of presets in the order in which they are shown. */
export interface FaultCatalogue {
  kinds: FaultKind[];
  presets: FaultPreset[];
}

export interface Overview {
  endpoint: string;
  /** When it was started: another one, another emulator. */
  started: string;
  seed: number;
  clock: { now: string; frozen: boolean };
  deviations: Record<string, unknown>;
  journal: { entries: number; first: number | null };
  runs: { run: number; text: string }[];
  faults: ActiveFault[];
  arenas: Arena[];
  clients: Client[];
}

export interface SetView {
  applied: number;
  staged: number;
  inserted: number;
  removed: number;
  changed: number;
  matching: number;
  rows: { prefix: string; applied: number | null; staged: number | null }[];
}

export interface MarkRecord {
  address?: string;
  source?: string;
  destination?: string;
  sourcePort?: number;
  destinationPort?: number;
  protocol?: string | number;
  id: number;
  value?: number;
  lifetime?: number;
  age?: number;
}

export interface MarkView {
  active: number;
  expired: number;
  records: MarkRecord[];
}

/** A line of the chart, see the history of marks of the emulator. */
export interface MarkLine {
  profile: string;
  type: MarkType;
  id: number;
  look: number;
  values: (number | null)[];
}

/** Times in seconds of the virtual clock. */
export interface MarkChart {
  times: number[];
  lines: MarkLine[];
}

interface CommitNumbers {
  inserted: number;
  removed: number;
  changed: number;
  size: number;
}

export interface JournalLine {
  index: number;
  run: number;
  time: string;
  api: "node" | "signaling" | "test" | "other";
  method: string;
  path: string;
  cmd?: string;
  op?: string;
  url?: string;
  type?: string;
  client?: string;
  entries?: number;
  status?: number;
  answerBytes?: number;
  durationMs?: number;
  /** Why it was refused, in the words of the answer. */
  reason?: string;
  fault?: string;
  commit?: CommitNumbers;
}

/** A journal line, opened. */
export interface JournalDetails extends JournalLine {
  headers: Record<string, string>;
  answerHeaders?: Record<string, string>;
  answer?: string;
}

export interface Verdict {
  verdict: "accept" | "drop";
  profile?: string;
  rule?: { id?: number; name?: string };
  marks: { type: MarkType; id: number; value: number }[];
}

export interface TrafficSummary {
  packets: number;
  bytes: number;
  accepted: number;
  dropped: number;
  unbound: number;
}
