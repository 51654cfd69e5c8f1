import type { MarkType } from "../../model/mark";
import { writeAddress4, writeAddress6 } from "../packets/address";
import { protocolName } from "../packets/protocols";
import { type MarkFormat, type RecordText, recordText } from "./mark-format";
import type { MarkTable } from "./mark-table";

/** Bytes in a chunk: large enough to cost few writes, small enough to be encoded in about a millisecond. */
const CHUNK_BYTES = 256 * 1024;
/** No record is longer: two IPv6 addresses, all members and all names, even those of a dialect, are below 500 bytes. */
const LONGEST_RECORD = 512;

/**
 * Writes mark records as JSON straight from the columns of a table into buffers, byte by byte: no object and no
 * string is made for a record. Used for one list, from its first record to its last.
 */
export class RecordWriter {
  /** Milliseconds from the time of the list for which its content stays the same, if nothing but time goes on. */
  validFor = Number.POSITIVE_INFINITY;
  private out = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  private end = 0;
  private first = true;
  private readonly text: RecordText;
  private readonly close: Buffer;

  constructor(
    private readonly type: MarkType,
    private readonly format: MarkFormat,
    /** The time of the list, in milliseconds of the clock. */
    private readonly now: number,
  ) {
    this.text = recordText(type, format);
    const [open, close] = format.envelope ?? ['{"data":[', "]}"];
    this.end = this.out.write(open, "utf8");
    this.close = Buffer.from(close, "utf8");
  }

  /** Writes records from slot `from` on until the chunk is full, and returns the slot to go on with. */
  fill(table: MarkTable, family: 4 | 6, from: number): number {
    const { now, format } = this;
    const { keys, stride, values, created, expires, used } = table;
    const limit = CHUNK_BYTES - LONGEST_RECORD;
    const keep = format.expired ? table.options.keepExpired : 0;
    let slot = from;
    for (; slot < used && this.end < limit; slot++) {
      const left = (expires[slot] as number) - now;
      if (!(left + keep > 0)) continue; // over, or NaN: no record here
      if (!this.first) this.out[this.end++] = 0x2c;
      this.first = false;
      this.writeKey(keys, slot * stride, family);
      this.writeNumber((keys[slot * stride + stride - 1] as number) >>> 0);
      this.write(this.text.value);
      this.writeNumber(values[slot] as number);
      if (left < Number.POSITIVE_INFINITY) this.writeLifetime(left, keep);
      if (format.age) this.writeAge(now - (created[slot] as number));
      if (format.expired) this.write(left > 0 ? this.text.active : this.text.expired);
      this.out[this.end++] = 0x7d;
    }
    return slot;
  }

  /** The chunk written so far; the next one is begun. */
  take(): Buffer {
    const chunk = this.out.subarray(0, this.end);
    this.out = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    this.end = 0;
    return chunk;
  }

  /** The last chunk, with the end of the envelope. A copy: it is mostly short, and may be kept. */
  finish(): Buffer {
    return Buffer.concat([this.out.subarray(0, this.end), this.close]);
  }

  private writeKey(keys: Int32Array, at: number, family: 4 | 6): void {
    const { text, type } = this;
    this.write(text.first);
    let next = this.writeAddress(keys, at, family);
    if (type !== "shost" && type !== "dhost") {
      this.write(text.destination);
      next = this.writeAddress(keys, next, family);
    }
    if (type !== "conn") {
      this.write(text.idAfterText);
      return;
    }
    const ports = keys[next] as number;
    this.write(text.sourcePort);
    this.writeNumber(ports >>> 16);
    this.write(text.destinationPort);
    this.writeNumber(ports & 0xffff);
    this.write(text.protocol);
    const number = keys[next + 1] as number;
    if (this.format.keys === "long") this.end += this.out.write(JSON.stringify(protocolName(number)), this.end);
    else this.writeNumber(number);
    this.write(text.id);
  }

  /** Whole seconds, rounded up: a record is listed with 0 only once it has expired. */
  private writeLifetime(left: number, keep: number): void {
    const seconds = left > 0 ? Math.ceil(left / 1000) : 0;
    this.write(this.text.lifetime);
    this.writeNumber(seconds);
    this.validFor = Math.min(this.validFor, left > 0 ? left - (seconds - 1) * 1000 : left + keep);
  }

  private writeAge(age: number): void {
    const seconds = age > 0 ? Math.floor(age / 1000) : 0;
    this.write(this.text.age);
    this.writeNumber(seconds);
    this.validFor = Math.min(this.validFor, (seconds + 1) * 1000 - age);
  }

  private writeAddress(keys: Int32Array, at: number, family: 4 | 6): number {
    const word = keys[at] as number;
    if (family === 4) {
      this.end = writeAddress4(this.out, this.end, word);
      if (this.format.cidr) this.write(LENGTH_4);
      return at + 1;
    }
    const last = keys[at + 3] as number;
    this.end = writeAddress6(this.out, this.end, word, keys[at + 1] as number, keys[at + 2] as number, last);
    if (this.format.cidr) this.write(LENGTH_6);
    return at + 4;
  }

  private write(text: Uint8Array): void {
    const { out } = this;
    let end = this.end;
    for (let index = 0; index < text.length; index++) out[end++] = text[index] as number;
    this.end = end;
  }

  private writeNumber(value: number): void {
    if (value > MAX_UINT32) {
      this.end += this.out.write(String(value), this.end, "latin1");
      return;
    }
    const { out } = this;
    let rest = value >>> 0;
    const end = this.end + digits(rest);
    this.end = end;
    for (let at = end - 1; ; at--) {
      const tenth = (rest / 10) >>> 0;
      out[at] = 0x30 + rest - tenth * 10;
      if (tenth === 0) return;
      rest = tenth;
    }
  }
}

const LENGTH_4 = Buffer.from("/32");
const LENGTH_6 = Buffer.from("/128");
const MAX_UINT32 = 0xffffffff;

function digits(value: number): number {
  if (value < 10) return 1;
  if (value < 100) return 2;
  if (value < 1000) return 3;
  if (value < 10_000) return 4;
  if (value < 100_000) return 5;
  if (value < 1_000_000) return 6;
  if (value < 10_000_000) return 7;
  if (value < 100_000_000) return 8;
  return value < 1_000_000_000 ? 9 : 10;
}
