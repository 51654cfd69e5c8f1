import type { MarkType } from "../../model/mark";
import { formatKey, type MarkFormat } from "./mark-format";
import type { MarkTable } from "./mark-table";
import { RecordWriter } from "./record-writer";

export type { MarkFormat } from "./mark-format";

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
export class MarkListCache {
  private kept?: EncodedList;

  /** @param limit Bytes of the largest list that is kept. */
  constructor(readonly limit: number) {}

  /** The chunks of the same list, if there are any. */
  get(format: string, version: number, now: number): EncodedList | undefined {
    const { kept } = this;
    if (kept?.format !== format || kept.version !== version || now < kept.from || now >= kept.until) return undefined;
    return kept;
  }

  set(list: EncodedList): void {
    this.kept = list;
  }

  /** Gives the memory back: called when a new list begins, so that there are never two. */
  drop(): void {
    this.kept = undefined;
  }
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
 * A list of marks as JSON: an iterable of chunks, each encoded when it is asked for, in about a millisecond.
 * A server that turns to other work between chunks, as with `paced`, is never busy for longer than that.
 */
export class MarkList implements Iterable<Buffer> {
  private readonly cached: EncodedList | undefined;
  private readonly key: string;

  constructor(private readonly source: MarkListSource) {
    this.key = formatKey(source.format);
    this.cached = source.cache?.get(this.key, this.version, source.now);
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
    const { type, tables, format, now, cache } = this.source;
    const writer = new RecordWriter(type, format, now);
    const kept: Buffer[] = [];
    let bytes = 0;
    const keep = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= (cache?.limit ?? 0)) kept.push(chunk);
      else kept.length = 0;
      return chunk;
    };
    cache?.drop();
    for (const family of [4, 6] as const) {
      const table = tables[family];
      for (let slot = 0; table && slot < table.used; ) {
        slot = writer.fill(table, family, slot);
        if (slot < table.used) yield keep(writer.take());
      }
    }
    yield keep(writer.finish());
    if (this.version === version && bytes <= (cache?.limit ?? 0)) {
      cache?.set({ format: this.key, version, from: now, until: now + writer.validFor, chunks: kept, bytes });
    }
  }
}
