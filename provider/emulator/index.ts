import { Emulator } from "./emulator";
import type { EmulatorOptions } from "./options";

/**
 * Starts an emulator of a node and a signaling receiver in this process. Any number can run at once.
 *
 * @throws {TypeError} when an option is wrong; {StateError} when the state is; the system's error when a port is taken.
 * @example
 * ```ts
 * await using emulator = await startEmulator({ state: { arenas: { edge: { sets: { blocked: {} } } } } });
 * emulator.endpoint;   // "http://127.0.0.1:41234"
 * ```
 */
export function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  return Emulator.start(options);
}

export type { VirtualClock, Wall } from "./clock";
export {
  DIALECTS,
  type Dialect,
  type DialectName,
  type DialectSettings,
  deviations,
  dialect,
  type SwitchName,
  singleSwitchDialects,
} from "./dialect";
export type { Duration } from "./duration";
export type { Emulator } from "./emulator";
export { UnknownResource } from "./errors";
export type { FaultKind } from "./fault-kinds";
export { type ActiveFault, type Fault, faultSchema } from "./faults";
export type { NodeAuth } from "./gate";
export type { ClientCredentials, EmulatorInfo } from "./info";
export type { ApiName, Command, JournalEntry, JournalFilter, SignalingOperation } from "./journal";
export { describeEntry } from "./journal-text";
export type { MarkRecord, MarkRecords } from "./marks";
export type { EmulatorOptions, TlsFiles } from "./options";
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
export type { CommitRecord, PrefixSetContent } from "./prefix-set-store";
export type { RuleSpec } from "./rules";
export { type EmulatorState, StateError, stateSchema } from "./state";
export type { ClientTls } from "./tls";
