import { Emulator } from "./emulator";
import type { EmulatorOptions } from "./options";

/**
 * Starts an emulator of a node and a signaling receiver in this process. Any number can run at once.
 *
 * @throws {TypeError} if an option is wrong; {StateError} if the state is wrong; the system's error if a port is taken.
 * @example
 * ```ts
 * await using emulator = await startEmulator({ state: { arenas: { edge: { sets: { blocked: {} } } } } });
 * emulator.endpoint;   // "http://127.0.0.1:41234"
 * ```
 */
export function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  return Emulator.start(options);
}

export {
  DIALECTS,
  type Dialect,
  type DialectName,
  type DialectSettings,
  deviations,
  dialect,
  type SwitchName,
  singleSwitchDialects,
} from "./behaviour/dialect";
export type { FaultKind } from "./behaviour/fault-kinds";
export type { Fault } from "./behaviour/fault-schema";
export type { ActiveFault } from "./behaviour/faults";
export { type UnmetFault, UnmetFaultError } from "./behaviour/unmet-faults";
export { type ConnectOptions, connectEmulator, type RemoteEmulator } from "./control/client";
export { UnknownResource } from "./control/lookup";
export type { MarkQuery, TrafficRequest } from "./control/traffic";
export type { Emulator } from "./emulator";
export type { ClientTls } from "./http/certificates";
export type { EmulatorInfo } from "./info";
export type { IsolatedOptions } from "./isolated";
export type { JournalEntry, JournalFilter } from "./journal/entry";
export { ExpectationError, type RequestCount } from "./journal/expectations";
export type { Har } from "./journal/har";
export { describeEntry, describeRun } from "./journal/journal-text";
export type { Run } from "./journal/runs";
export type { MarkRecord, MarkRecords } from "./marks";
export type { EmulatorOptions, NodeAuth } from "./options";
export {
  background,
  carpetBombing,
  dnsAmplification,
  mixed,
  type Packet,
  synFlood,
  type TrafficOptions,
  type TrafficSource,
  type TrafficSummary,
  type Verdict,
} from "./packets";
export type { RuleSpec } from "./rules/rule-schema";
export type { CommitRecord, PrefixSetContent } from "./state/prefix-set-store";
export { type EmulatorState, StateError } from "./state/state";
export { type EmulatorFixtures, emulatorFixtures, type FixtureOptions } from "./testing/fixtures";
export { type ProgramOptions, type RunningProgram, runProgram } from "./testing/run-program";
export type { VirtualClock, Wall } from "./time/clock";
export type { Duration } from "./time/duration";
