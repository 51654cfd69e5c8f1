import type { MarkType } from "../../model/mark";
import { formatKey, type MarkFormat } from "./mark-format";
import type { MarkTable } from "./mark-table";
import { RecordWriter } from "./record-writer";

export type { MarkFormat } from "./mark-format";

type Families = { readonly 4?: MarkTable; readonly 6?: MarkTable };

/** The last list of a table, kept while it would come out the same. */
export class MarkListCache {
  private kept?: { format: string; version: number; from: number; until: number; chunks: Buffer[]; bytes: number };

  /** @param limit Bytes of the largest list that is kept. */
  constructor(readonly limit: number) {}

  /** The chunks of the same list, if there are any. */
  get(format: string, version: number, now: number): { chunks: Buffer[]; bytes: number } | undefined {
    const { kept } = this;
    if (kept?.format !== format || kept.version !== version || now < kept.from || now >= kept.until) return undefined;
    return kept;
  }

  set(format: string, version: number, now: number, validFor: number, chunks: Buffer[], bytes: number): void {
    this.kept = { format, version, from: now, until: now + validFor, chunks, bytes };
  }

  /** Gives the memory back: called when a new list begins, so that there are never two. */
  drop(): void {
    this.kept = undefined;
  }
}

/**
 * A list of marks as JSON: an iterable of chunks, each encoded when it is asked for, in about a millisecond.
 * A server that lets other work in between chunks is never busy for longer; `paced` does that.
 */
export class MarkList implements Iterable<Buffer> {
  private readonly cached: { chunks: Buffer[]; bytes: number } | undefined;
  private readonly key: string;

  constructor(
    private readonly type: MarkType,
    private readonly tables: Families,
    private readonly format: MarkFormat,
    private readonly now: number,
    private readonly cache: MarkListCache | undefined,
  ) {
    this.key = formatKey(format);
    this.cached = cache?.get(this.key, this.version, now);
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
    return (this.tables[4]?.version ?? 0) + (this.tables[6]?.version ?? 0);
  }

  private *encode(): Generator<Buffer, void> {
    const { version, cache } = this;
    const writer = new RecordWriter(this.type, this.format, this.now);
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
      const table = this.tables[family];
      for (let slot = 0; table && slot < table.used; ) {
        slot = writer.fill(table, family, slot);
        if (slot < table.used) yield keep(writer.take());
      }
    }
    yield keep(writer.finish());
    if (this.version === version && bytes <= (cache?.limit ?? 0)) {
      cache?.set(this.key, version, this.now, writer.validFor, kept, bytes);
    }
  }
}
