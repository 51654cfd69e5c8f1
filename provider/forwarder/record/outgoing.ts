import { inSlicesOf, nextTurn, written } from "../slices";
import { type Format, formatter } from "./formats";
import { type LineBefore, type RowRange, writeLines } from "./lines";
import { type ForwardRecord, readBatch } from "./record";
import { joined, type Sheet } from "./sheet";

/** Bytes of a line of an address with a short rule, and of the line before it, with some room. */
export const USUAL_LINE = 512;

/** Rows of a batch of the spool, as its bytes, and where its lines are written; or records. */
type Part =
  | (RowRange & { readonly body: Buffer; readonly sheet: Sheet })
  | { readonly records: readonly ForwardRecord[] };

/**
 * Records on their way to a sink, in their order. Batches of the spool stay bytes until a sink asks for records, which most
 * sinks do only after a refusal. All reading and writing is in slices.
 */
export class Outgoing {
  private constructor(private readonly parts: readonly Part[]) {}

  /**
   * A batch of the spool, with so many records.
   *
   * @param sheet Where its lines are written: those of batches that are written one after the other need no joining.
   * @param sink The sink that gets it.
   */
  static ofBatch(body: Uint8Array<ArrayBuffer>, count: number, sheet: Sheet, sink: string): Outgoing {
    const { buffer, byteOffset, length } = body;
    return new Outgoing([{ body: Buffer.from(buffer, byteOffset, length), sheet, start: 0, end: count, sink }]);
  }

  static of(records: readonly ForwardRecord[]): Outgoing {
    return new Outgoing([{ records }]);
  }

  static all(several: readonly Outgoing[]): Outgoing {
    return new Outgoing(several.flatMap(({ parts }) => parts));
  }

  get count(): number {
    return this.parts.reduce((sum, part) => sum + countOf(part), 0);
  }

  slice(start: number, end: number): Outgoing {
    const parts: Part[] = [];
    let at = 0;
    for (const part of this.parts) {
      const count = countOf(part);
      const from = Math.max(0, start - at);
      const to = Math.min(count, end - at);
      if (from < to) parts.push(sliceOf(part, from, to));
      at += count;
    }
    return new Outgoing(parts);
  }

  split(pieces: number): Outgoing[] {
    const { count } = this;
    const place = (piece: number) => Math.round((count * piece) / pieces);
    return Array.from({ length: pieces }, (_, piece) => this.slice(place(piece), place(piece + 1)));
  }

  async records(): Promise<readonly ForwardRecord[]> {
    const read: ForwardRecord[][] = [];
    for (const part of this.parts) {
      if ("records" in part) read.push([...part.records]);
      else {
        // A batch is a slice, in rows and in bytes.
        await nextTurn();
        read.push(readBatch(part.body, part));
      }
    }
    return read.flat();
  }

  async map<T>(work: (record: ForwardRecord) => T): Promise<T[]> {
    return (await inSlicesOf(await this.records(), (slice) => slice.map(work))).flat();
  }

  /** Lines of JSON in a format; `before` is a separate line before each. */
  async lines(format: Format, before?: LineBefore): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (const part of this.parts) {
      if ("body" in part && format === "plain") {
        await nextTurn();
        pieces.push(writeLines(part.body, part, part.sheet, before));
      } else {
        const document = formatter(format);
        const head = (record: ForwardRecord) => (before ? `${before[0]}${record.recordId}${before[1]}\n` : "");
        const line = (record: ForwardRecord) => `${head(record)}${JSON.stringify(document(record))}\n`;
        pieces.push(Buffer.from(await written(await new Outgoing([part]).records(), line)));
      }
    }
    return joined(pieces);
  }
}

function countOf(part: Part): number {
  return "records" in part ? part.records.length : part.end - part.start;
}

function sliceOf(part: Part, from: number, to: number): Part {
  if ("records" in part) return { records: part.records.slice(from, to) };
  return { ...part, start: part.start + from, end: part.start + to };
}
