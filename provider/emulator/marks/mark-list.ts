import type { MarkType } from "../../model/mark";
import { lineOf } from "../http/lines";
import { type AddressForm, addressIn } from "../packets/address";
import { protocolNumber } from "../packets/packet";
import { type MarkFormat, memberColumns, memberNames } from "./mark-format";
import { readKey } from "./mark-key";
import type { HeldMark, MarkTable } from "./mark-table";

export type { MarkFormat } from "./mark-format";

/** Length of a chunk: few writes, and some milliseconds of encoding. */
const CHUNK_CHARACTERS = 256 * 1024;

/** What a list is made of. */
export interface MarkListSource {
  readonly type: MarkType;
  readonly tables: { readonly 4?: MarkTable; readonly 6?: MarkTable };
  readonly format: MarkFormat;
  /** Milliseconds of the clock: lifetimes and ages are those of this moment. */
  readonly now: number;
}

/**
 * A list of marks as JSON or in lines: an iterable of chunks, each encoded when it is asked for, in some milliseconds.
 * A server that turns to other work between chunks, as with `paced`, is never busy for longer than that.
 */
export class MarkList implements Iterable<Buffer> {
  constructor(private readonly source: MarkListSource) {}

  /** The whole list as text: for tests and small tables. */
  toString(): string {
    return Buffer.concat([...this]).toString("utf8");
  }

  *[Symbol.iterator](): Generator<Buffer, void> {
    const { tables, format, now } = this.source;
    const [open, close] = format.envelope ?? ['{"data":[', "]}"];
    const names = memberNames(format);
    const between = format.lines ? "" : ",";
    let text = open;
    let separator = "";
    for (const family of [4, 6] as const) {
      for (const mark of tables[family]?.records() ?? []) {
        const keep = format.expired ? (tables[family]?.options.keepExpired ?? 0) : 0;
        if (!(mark.expires + keep > now)) continue;
        text += `${separator}${this.record(mark, family, names)}`;
        separator = between;
        if (text.length < CHUNK_CHARACTERS) continue;
        yield Buffer.from(text);
        text = "";
      }
    }
    yield Buffer.from(text + close);
  }

  private record({ key, id, value, created, expires }: HeldMark, family: 4 | 6, names: Record<string, string>): string {
    const { type, format, now } = this.source;
    const members = readKey(type, family, key, format.cidr ? (family === 4 ? "/32" : "/128") : "");
    const { protocol } = members;
    const record = {
      ...members,
      ...(protocol !== undefined && format.keys !== "long" && { protocol: protocolNumber(protocol) }),
      id,
      value,
      ...(expires < Number.POSITIVE_INFINITY && { lifetime: secondsLeft(expires - now) }),
      ...(format.age && { age: secondsPast(now - created) }),
      ...(format.expired && { status: expires > now ? "active" : "expired" }),
    };
    if (format.addresses) writeAddresses(record, format.addresses);
    if (format.lines && format.lines !== "ndjson") {
      const fields: Readonly<Record<string, unknown>> = record;
      return lineOf(
        memberColumns(type, format).map((member) => fields[member]),
        format.lines,
      );
    }
    const named: Record<string, unknown> = {};
    for (const [member, shown] of Object.entries(record)) named[names[member] ?? member] = shown;
    return format.lines ? lineOf(named, format.lines) : JSON.stringify(named);
  }
}

function writeAddresses(record: Record<string, unknown>, form: AddressForm): void {
  for (const member of ["address", "source", "destination"]) {
    const text = record[member];
    if (typeof text === "string") record[member] = addressIn(form, text);
  }
}

/** Whole seconds, rounded up: a record is listed with 0 only once it has expired. */
const secondsLeft = (ms: number) => (ms > 0 ? Math.ceil(ms / 1000) : 0);
const secondsPast = (ms: number) => (ms > 0 ? Math.floor(ms / 1000) : 0);
