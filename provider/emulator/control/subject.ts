import type { MarkType } from "../../model/mark";
import type { Dialect, DialectSettings } from "../behaviour/dialect";
import type { ActiveFault, Fault, Faults } from "../behaviour/faults";
import type { UnmetFault } from "../behaviour/unmet-faults";
import type { ClientTls } from "../http/tls";
import type { Har } from "../journal/har";
import type { Journal, JournalEntry, JournalFilter, JournalRange } from "../journal/journal";
import type { MetricsSubject } from "../journal/metrics";
import type { Run } from "../journal/runs";
import type { MarkRecord } from "../marks";
import type { MarkHistory } from "../marks/mark-history";
import type { Packet, TrafficSource, TrafficSummary, Verdict } from "../packets";
import type { RuleCounter } from "../rules";
import type { ClientCredentials, EmulatorInfo } from "../signaling/credentials";
import type { Contents } from "../state/contents";
import type { PrefixSetContent } from "../state/prefix-set-store";
import type { EmulatorState } from "../state/state";
import type { VirtualClock } from "../time/clock";
import type { Duration } from "../time/duration";

/** The emulator as the control API works on it: what a test in the same process calls, see `Emulator` for each member. */
export interface ControlledEmulator {
  readonly endpoint: string;
  readonly signalingUrl: string;
  readonly testSignalingUrl: string;
  readonly control: string;
  readonly controlToken: string | undefined;
  readonly tls: ClientTls | undefined;
  readonly clients: readonly ClientCredentials[];
  readonly testClients: readonly ClientCredentials[];
  readonly seedNumber: number;
  readonly clock: VirtualClock;
  readonly dialect: Dialect;
  readonly faults: readonly ActiveFault[];
  readonly signalings: Record<string, string[]>;
  readonly testSignalings: Record<string, string[]>;
  readonly journal: readonly JournalEntry[];
  readonly runs: readonly Run[];
  readonly snapshots: readonly string[];
  info(): EmulatorInfo;
  state(): EmulatorState;
  seed(state: EmulatorState): void;
  reset(): void;
  snapshot(name: string): void;
  restore(name: string): void;
  deleteSnapshot(name: string): void;
  prefixSet(url: string): PrefixSetContent;
  change(url: string, changes: { insert?: Record<string, number>; delete?: readonly string[] }): void;
  signal(clientId: string, changes: { start?: readonly string[]; stop?: readonly string[] }): void;
  boundProfile(address: string): string | undefined;
  receive(packets: Iterable<Packet>): Verdict[];
  replay(traffic: TrafficSource, count: number, options?: { signal?: AbortSignal }): Promise<TrafficSummary>;
  marks(url: string, type: MarkType): MarkRecord[];
  markTable(url: string, type: MarkType, limit: number): { active: number; expired: number; records: MarkRecord[] };
  counters(url: string): (RuleCounter | undefined)[];
  requests(filter?: JournalFilter, range?: JournalRange): JournalEntry[];
  waitForRequest(
    filter: JournalFilter,
    options?: { readonly within?: Duration; readonly since?: number },
    signal?: AbortSignal,
  ): Promise<JournalEntry>;
  expectRequests(filter: JournalFilter, count: number): JournalEntry[];
  expectOrder(filters: readonly JournalFilter[]): JournalEntry[];
  har(): Har;
  beginRun(label?: string): Run;
  clearJournal(): void;
  fail(fault: Fault): ActiveFault;
  removeFault(id: number): void;
  unmetFaults(): UnmetFault[];
  expectAllFaultsMet(): void;
  clearFaults(): void;
  setDialect(choice: string | DialectSettings): void;
}

/** What lies behind it, for operations that look closer than a test does. */
export interface ControlledSimulation extends MetricsSubject {
  readonly contents: Contents;
  readonly journal: Journal;
  readonly faults: Faults;
  readonly clock: VirtualClock;
  readonly dialect: Dialect;
  readonly markHistory: MarkHistory;
  readonly started: Date;
  readonly durable: (() => Promise<void>) | undefined;
}
