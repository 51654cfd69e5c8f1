import type { MarkType } from "../../model/mark";
import { lineOf } from "../http/lines";
import { type AddressForm, addressIn } from "../packets/address";
import { protocolNumber } from "../packets/protocols";
import { type MarkFormat, memberColumns, memberNames } from "./mark-format";
import { readKey } from "./mark-key";
import type { HeldMark, MarkTable } from "./mark-table";

export type { MarkFormat } from "./mark-format";

/** Length of a chunk: few writes, and some milliseconds of encoding. */
const CHUNK_CHARACTERS = 256 * 1024;

type Families = { readonly 4?: MarkTable; readonly 6?: MarkTable };

/** A list that was encoded whole. */
interface EncodedList {
  readonly format: string;
  /** Of the tables that it was read from. */
  readonly version: number;
  /** Milliseconds of the clock: from the first on, and before the second, the same list would come out. */
  readonly from: number;
  readonly until: number;
  readonly chunks: readonly Buffer[];
  readonly bytes: number;
}

/** The last list of a table, kept while it would come out the same. */
export interface MarkListCache {
  /** Bytes of the largest list that is kept. */
  readonly limit: number;
  kept?: EncodedList | undefined;
}

/** What a list is made of. */
export interface MarkListSource {
  readonly type: MarkType;
  readonly tables: Families;
  readonly format: MarkFormat;
  /** Milliseconds of the clock: lifetimes and ages are those of this moment. */
  readonly now: number;
  readonly cache: MarkListCache | undefined;
}

/**
 * A list of marks as JSON or in lines: an iterable of chunks, each encoded when it is asked for, in some milliseconds.
 * A server that turns to other work between chunks, as with `paced`, is never busy for longer than that.
 */
export class MarkList implements Iterable<Buffer> {
  private readonly cached: EncodedList | undefined;
  private readonly key: string;

  constructor(private readonly source: MarkListSource) {
    this.key = JSON.stringify(source.format);
    const kept = source.cache?.kept;
    const isSame = kept?.format === this.key && kept.version === this.version;
    this.cached = isSame && source.now >= kept.from && source.now < kept.until ? kept : undefined;
  }

  /** The length of the whole list in bytes, known beforehand only when nothing changed since the last one. */
  get byteLength(): number | undefined {
    return this.cached?.bytes;
  }

  [Symbol.iterator](): Iterator<Buffer, void> {
    return this.cached ? this.cached.chunks.values() : this.encode();
  }

  /** The whole list as text: for tests and small tables. */
  toString(): string {
    return Buffer.concat([...this]).toString("utf8");
  }

  private get version(): number {
    return (this.source.tables[4]?.version ?? 0) + (this.source.tables[6]?.version ?? 0);
  }

  private *encode(): Generator<Buffer, void> {
    const { version } = this;
    const { tables, format, now, cache } = this.source;
    const [open, close] = format.envelope ?? ['{"data":[', "]}"];
    const names = memberNames(format);
    const between = format.lines ? "" : ",";
    const kept: Buffer[] = [];
    let bytes = 0;
    let until = Number.POSITIVE_INFINITY;
    let text = open;
    let separator = "";
    const take = () => {
      const chunk = Buffer.from(text);
      text = "";
      bytes += chunk.length;
      if (bytes <= (cache?.limit ?? 0)) kept.push(chunk);
      else kept.length = 0;
      return chunk;
    };
    // The memory is given back before there is another list: there are never two.
    if (cache) cache.kept = undefined;
    for (const family of [4, 6] as const) {
      for (const mark of tables[family]?.records() ?? []) {
        const keep = format.expired ? (tables[family]?.options.keepExpired ?? 0) : 0;
        if (!(mark.expires + keep > now)) continue;
        text += `${separator}${this.record(mark, family, names)}`;
        separator = between;
        until = Math.min(until, changesAt(mark, { now, keep, isAgeShown: format.age ?? false }));
        if (text.length >= CHUNK_CHARACTERS) yield take();
      }
    }
    text += close;
    yield take();
    if (cache && this.version === version && bytes <= cache.limit) {
      cache.kept = { format: this.key, version, from: now, until, chunks: kept, bytes };
    }
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

/** When a record is next listed in another way, or not at all, if nothing but time goes on. */
function changesAt(
  { created, expires }: HeldMark,
  { now, keep, isAgeShown }: { now: number; keep: number; isAgeShown: boolean },
): number {
  const isEndless = expires === Number.POSITIVE_INFINITY;
  const lifetime = isEndless
    ? expires
    : expires > now
      ? expires - (secondsLeft(expires - now) - 1) * 1000
      : expires + keep;
  return isAgeShown ? Math.min(lifetime, created + (secondsPast(now - created) + 1) * 1000) : lifetime;
}
