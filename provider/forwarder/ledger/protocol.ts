import type { Clock } from "../../client/clock";
import { PacketFilterError } from "../../model/errors";
import type { Loss } from "../loss";
import type { ArrivedList } from "../reading/arrived-list";
import type { RecordFilter } from "../record/filter";
import type { MarkEvent } from "../record/rows";
import type { TableFilter } from "../table";

/** A sink as the ledger knows it. */
export interface SinkSpec {
  readonly name: string;
  /** Limits on its unread part of the spool, and the reaction at them; an age of 0 means no limit. */
  readonly limits: { readonly maxBytes: number; readonly maxAgeMs: number; readonly whenFull: "pause" | "drop-oldest" };
  /** The tables that it takes, and which of their records; default: all. */
  readonly only?: TableFilter & RecordFilter;
}

export interface LedgerOptions {
  readonly file: string;
  readonly sinks: readonly SinkSpec[];
  readonly records: "changes" | "all";
  /** Bytes that stay free on the state's disk. Default: 0. */
  readonly reserveBytes?: number;
  /** Timers; for tests. */
  readonly after?: Clock["after"];
  /** Called when the store is closed for good: it broke, and no other could be opened. Default: each later call fails. */
  readonly lost?: (error: Error) => void;
  /** Milliseconds since 1970. */
  readonly wall: number;
}

/** Options that may change while a ledger is open. */
export type ChangingOptions = Pick<LedgerOptions, "sinks" | "records" | "reserveBytes">;

/** A store that was broken. */
export interface SetAside {
  /** Its present path. */
  readonly file: string;
  /** Records in it; `undefined` where they cannot be read. */
  readonly records: number | undefined;
}

export interface Opened {
  /** When the last run listed last, on the machine's clock; unknown unless it ended cleanly. */
  readonly listedBefore: number | "unknown" | "never";
  /** The newest epoch of the tables of each node. */
  readonly epochs: Readonly<Record<string, number>>;
  /** The tables of those epochs, by their keys: those that the last run of a node has taken over. */
  readonly tables: readonly string[];
  /** The store is a copy: where the original was opened last, as `machine:file`. */
  readonly copyOf?: string;
  /** A broken store that was there. */
  readonly setAside?: SetAside;
  /** Sinks that the configuration does not name any more. */
  readonly forgotten: readonly string[];
}

/** A list that was taken over: its records are on the disk, with the new baseline. */
export interface TakenOver {
  readonly listed: number;
  /** Places at which this node is known to list keyed objects, see `NodeHabits`. */
  readonly keyedPlaces: ReadonlySet<string>;
  readonly events: Readonly<Partial<Record<MarkEvent, number>>>;
  readonly records: number;
  readonly bytes: number;
}

/** A batch for a sink: records of one reading, in their order. */
export interface SpooledBatch {
  /** The position to acknowledge once it is delivered. */
  readonly position: number;
  readonly records: number;
  /** UTF-8 of `{"head":…,"rows":[…]}`: a `BatchHead`, and rows as `RowWriter` writes them. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** The sink where it had every record before; else empty, since nothing of it is known to be sent again. */
  readonly sink: string;
}

/** Share of a sink in the spool. */
export interface Backlog {
  readonly name: string;
  readonly records: number;
  readonly bytes: number;
  /** Milliseconds since 1970 at which the oldest was taken over; absent when there is none. */
  readonly oldest?: number;
  /** The same on the clock that machines keep until they restart; absent where an earlier run has taken it over. */
  readonly oldestNow?: number;
  /** Records that `drop-oldest` gave up, since the store was made. */
  readonly dropped: number;
  /** Tables that are not kept for it until it has room again, by their keys. */
  readonly behind: readonly string[];
  /** Limit on `bytes`. */
  readonly limitBytes: number;
}

/** The state of the spool as a whole. */
export interface LedgerStatus {
  readonly sinks: readonly Backlog[];
  /** Bytes of all batches that are kept. */
  readonly bytes: number;
  /** Bytes that are free on the state's disk. */
  readonly freeBytes: number;
  /** Records that sinks will not get, each reported once. */
  readonly lost: readonly Loss[];
  /** Stores that were set aside while this ledger was open. */
  readonly setAside: number;
  /** The last of them that broke during work, reported once. */
  readonly lastAside?: SetAside;
}

/** A reading was not taken over, since no sink that takes its table has room for its records. */
export class SpoolFull extends PacketFilterError {
  override readonly name = "SpoolFull";

  constructor(readonly sinks: readonly string[]) {
    super(
      `The spool is full for ${sinks.map((name) => `sink "${name}"`).join(" and ")}: their tables are not polled until they have delivered.`,
      "spool-full",
    );
  }
}

/** Undelivered readings, and the baselines that they were compared with. Every acknowledged change is on the disk. */
export interface Ledger {
  /**
   * Reads a list, compares it, and writes its records and the new baseline of its table in one transaction. Where that
   * fails, nothing is taken over.
   *
   * @throws {UnreadList} for an answer that is no list of marks. @throws {SpoolFull} when no sink that takes the table has room.
   * @throws when the disk is full.
   */
  take(list: ArrivedList): Promise<TakenOver>;
  /**
   * Next batches of a sink, behind those that it acknowledged and behind `after`: at most `maxRecords` and a MiB in all, but at least
   * one batch, where there is one.
   */
  next(sink: string, maxRecords: number, after?: number): Promise<readonly SpooledBatch[]>;
  /** All up to `position` is delivered to a sink. It is on the disk soon after: what a kill forgets is delivered again. */
  acknowledge(sink: string, position: number): Promise<void>;
  status(): Promise<LedgerStatus>;
  /**
   * Goes on with other sinks, or compares in another way. What is new begins with what comes.
   *
   * @returns sinks that are no more: the records that they had not read are lost.
   */
  configure(options: ChangingOptions): Promise<readonly string[]>;
  /**
   * @param listed When the last list of any table ended, on the clock that machines keep until they restart.
   * @returns records that sinks will not get, as far as they were not reported
   */
  close(listed: number | undefined): Promise<readonly Loss[]>;
}
