import type { MarkType } from "../../model/mark";
import type { LineFormat } from "../http/lines";
import type { AddressForm } from "../packets/address";

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
  /** Names that some members have instead. Default: none. */
  readonly names?: MarkNames;
  /** Adds `age`, seconds since the record was added. Default false. */
  readonly age?: boolean;
  /** Lists expired records too, and adds `status` (`active` or `expired`) to all. Default false. */
  readonly expired?: boolean;
  /** Writes addresses with their length, `/32` or `/128`. Default false. */
  readonly cidr?: boolean;
  /** How addresses are written, without a length. Default `"text"`. */
  readonly addresses?: AddressForm;
  /** Writes records in lines, without an envelope. Default: one JSON text. */
  readonly lines?: LineFormat;
  /** What stands before and after the records. Default `["{\"data\":[", "]}"]`; a bare array is `["[", "]"]`. */
  readonly envelope?: readonly [open: string, close: string];
}

/** Members of a record, each with its short name and its long one. */
const NAMES = {
  address: ["a", "addr"],
  source: ["src", "saddr"],
  destination: ["dst", "daddr"],
  sourcePort: ["sport", "sport"],
  destinationPort: ["dport", "dport"],
  protocol: ["proto", "proto"],
  id: ["id", "id"],
  value: ["v", "value"],
  lifetime: ["t", "lifetime"],
  age: ["age", "age"],
  status: ["status", "status"],
} as const;

/** Names of members in place of the short or long ones. */
type MarkNames = Readonly<Partial<Record<keyof typeof NAMES, string>>>;

const RENAMED = `(${Object.keys(NAMES).join("|")})=[A-Za-z_][\\w-]{0,19}`;

/** What {@link readMarkKeys} reads. */
export const MARK_KEYS = new RegExp(`^(short|long|${RENAMED}(,${RENAMED})*)$`);

/** The names that a text says: `short`, `long`, or the short ones but for some, as in `address=ip,value=hits`. */
export function readMarkKeys(text: string): Pick<MarkFormat, "keys" | "names"> {
  if (text === "short" || text === "long") return { keys: text };
  return { names: Object.fromEntries(text.split(",").map((part) => part.split("="))) };
}

/** The names that members have in a format. */
export function memberNames({ keys, names }: MarkFormat): Record<string, string> {
  const own = Object.entries(NAMES).map(([member, [short, long]]) => [member, keys === "long" ? long : short]);
  return { ...Object.fromEntries(own), ...names };
}

/**
 * Members of a record in the order of its fields on a line. Without names before them they are at the same place in the
 * tables of all types: what records of dhost lack is the source.
 */
export function memberColumns(type: MarkType, { lines, age, expired }: MarkFormat): string[] {
  const source = type === "dhost" && lines !== "csv-head" ? ["source"] : [];
  return [
    ...["id", "value", "lifetime", ...(age ? ["age"] : []), ...(expired ? ["status"] : []), ...source],
    ...{ shost: ["address"], dhost: ["address"], sdhost: PAIR, conn: [...PAIR, ...CONNECTION] }[type],
  ];
}

const PAIR = ["source", "destination"];
const CONNECTION = ["sourcePort", "destinationPort", "protocol"];
