import type { MarkType } from "../../model/mark";

/**
 * How mark records look on the wire. The contract names the ID, the value and the lifetime and shows no record;
 * each of these forms is a possible reading of it, and clients must understand all of them.
 */
export interface MarkFormat {
  /**
   * Names of the members. Default `"short"`: `{"a":"203.0.113.45","id":70001,"v":1234,"t":3600}`, pairs with `src` and
   * `dst`, 5-tuples with `src`, `dst`, `sport`, `dport` and `proto` (a number). `"long"`: `addr` or `saddr` and `daddr`,
   * `value`, `lifetime`, and `proto` by name where it has one.
   */
  readonly keys?: "short" | "long";
  /** Adds `age`, seconds since the record was added. Default false. */
  readonly age?: boolean;
  /** Lists expired records too, and adds `status` (`active` or `expired`) to all. Default false. */
  readonly expired?: boolean;
  /** Writes addresses with their length, `/32` or `/128`. Default false. */
  readonly cidr?: boolean;
  /** What stands before and after the records. Default `["{\"data\":[", "]}"]`; a bare array is `["[", "]"]`. */
  readonly envelope?: readonly [open: string, close: string];
}

/** The constant pieces of text of a record, in the order in which they are written. */
export interface RecordText {
  readonly first: Uint8Array;
  readonly destination: Uint8Array;
  readonly sourcePort: Uint8Array;
  readonly destinationPort: Uint8Array;
  readonly protocol: Uint8Array;
  /** Closes the string of an address that the id follows. */
  readonly idAfterText: Uint8Array;
  readonly id: Uint8Array;
  readonly value: Uint8Array;
  readonly lifetime: Uint8Array;
  readonly age: Uint8Array;
  readonly active: Uint8Array;
  readonly expired: Uint8Array;
}

/** A text that identifies a format, for caches. */
export function formatKey(format: MarkFormat): string {
  return JSON.stringify([
    format.keys ?? "short",
    !!format.age,
    !!format.expired,
    !!format.cidr,
    format.envelope ?? null,
  ]);
}

const latin = (text: string) => Uint8Array.from(Buffer.from(text, "latin1"));

/** The pieces for a format. */
export function recordText(type: MarkType, format: MarkFormat): RecordText {
  const long = format.keys === "long";
  const single = type === "shost" || type === "dhost";
  const first = single ? (long ? "addr" : "a") : long ? "saddr" : "src";
  const id = `"id":`;
  return {
    first: latin(`{"${first}":"`),
    destination: latin(`","${long ? "daddr" : "dst"}":"`),
    sourcePort: latin(`","sport":`),
    destinationPort: latin(`,"dport":`),
    protocol: latin(`,"proto":`),
    idAfterText: latin(`",${id}`),
    id: latin(`,${id}`),
    value: latin(long ? `,"value":` : `,"v":`),
    lifetime: latin(long ? `,"lifetime":` : `,"t":`),
    age: latin(`,"age":`),
    active: latin(`,"status":"active"`),
    expired: latin(`,"status":"expired"`),
  };
}
