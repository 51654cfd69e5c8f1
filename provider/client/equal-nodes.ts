import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { attempt } from "../model/errors";
import type { NodeHabits } from "../wire/answers";
import { refusePartialAnswer } from "../wire/envelope";
import { ShapeError } from "../wire/json";
import { done, type Reading } from "./answer-readers";
import type { HttpAnswer } from "./http";
import type { ChunkLimits } from "./node-connection";

interface Read<T> {
  readonly value: T;
  readonly length: number;
}

interface Known<T extends object> {
  readonly habits: NodeHabits;
  readonly keyedPlaces: ReadonlySet<string> | undefined;
  readonly value: WeakRef<T>;
  readonly length: number;
}

/** Number of answers that are remembered. */
const KNOWN = 32;

/**
 * Lists that were read last, by the text of the answer. Nodes with equal sets mostly send equal answers, which are then
 * parsed once. A list is remembered only while other code uses it.
 */
export class EqualAnswers<T extends object> {
  private readonly known = new Map<string, Known<T>>();

  /** @param read Reads an answer that is not remembered. */
  of(answer: HttpAnswer, habits: NodeHabits, read: () => Reading<Read<T>>): Reading<T> {
    // A user's module may return something else each time.
    if (habits.answers?.read !== undefined) return withoutLength(read());
    const digest = hash("sha256", answer.body, "base64");
    const earlier = this.known.get(digest);
    const value = earlier?.value.deref();
    if (earlier && value && isDeepStrictEqual(earlier.habits, habits) && isWhole(answer, earlier.length, habits)) {
      for (const place of earlier.keyedPlaces ?? []) habits.keyedPlaces?.add(place);
      return done(value);
    }
    const before = { ...habits, ...(habits.keyedPlaces && { keyedPlaces: new Set(habits.keyedPlaces) }) };
    const reading = read();
    if (reading.kind === "done") this.keep(digest, before, habits, reading.value);
    return withoutLength(reading);
  }

  private keep(digest: string, habits: NodeHabits, { keyedPlaces }: NodeHabits, { value, length }: Read<T>): void {
    this.known.delete(digest);
    const [oldest] = this.known.keys();
    if (this.known.size >= KNOWN && oldest !== undefined) this.known.delete(oldest);
    const places = keyedPlaces && new Set(keyedPlaces);
    this.known.set(digest, { habits, keyedPlaces: places, value: new WeakRef(value), length });
  }
}

/** Status and headers may mark the same text as a part of a list. */
function isWhole(answer: HttpAnswer, length: number, habits: NodeHabits): boolean {
  const judge = () => refusePartialAnswer(answer, length, habits.answers) === undefined;
  return attempt(judge, ShapeError) ?? false;
}

function withoutLength<T>(reading: Reading<Read<T>>): Reading<T> {
  return reading.kind === "done" ? done(reading.value.value) : reading;
}

/** Some of the entries as the body of one request, and the start of the next chunk. */
interface Chunk {
  readonly body: string;
  readonly end: number;
}

/**
 * Entries of an insert or delete as JSON, and the request bodies made of them. Nodes that receive the same entries share
 * the bodies.
 */
export class EntryTexts {
  private readonly sizes: readonly number[];
  private readonly chunks = new Map<string, Chunk>();

  /** @param texts Each entry as JSON. */
  constructor(private readonly texts: readonly string[]) {
    this.sizes = texts.map((text) => Buffer.byteLength(text));
  }

  get length(): number {
    return this.texts.length;
  }

  /** The entries from `start` that fit into one request, between the two parts of its body. */
  chunk({ head, tail }: { readonly head: string; readonly tail: string }, start: number, limits: ChunkLimits): Chunk {
    const key = JSON.stringify([head, start, limits.entries, limits.bytes]);
    const earlier = this.chunks.get(key);
    if (earlier) return earlier;
    const end = chunkEnd(this.sizes, start, Buffer.byteLength(head) + tail.length, limits);
    const chunk = { body: `${head}${this.texts.slice(start, end).join(",")}${tail}`, end };
    this.chunks.set(key, chunk);
    return chunk;
  }
}

/** The texts made last. Deletes of equal nodes have equal entries, but each comes from a list of its own. */
export class EqualTexts {
  private last: { readonly key: string; readonly texts: WeakRef<EntryTexts> } | undefined;

  /** @param make One entry as JSON. */
  constructor(private readonly make: (item: string) => string) {}

  of(items: readonly string[]): EntryTexts {
    const key = JSON.stringify(items);
    const earlier = this.last?.key === key ? this.last.texts.deref() : undefined;
    if (earlier) return earlier;
    const texts = new EntryTexts(items.map(this.make));
    this.last = { key, texts: new WeakRef(texts) };
    return texts;
  }
}

/**
 * Index after the last entry, from `start`, that fits into one request. At least one entry is sent, since it cannot be
 * divided; the node judges its size.
 *
 * @param sizes Bytes of each entry as JSON.
 * @param frame Bytes of the body around the entries.
 */
function chunkEnd(sizes: readonly number[], start: number, frame: number, limits: ChunkLimits): number {
  const last = Math.min(sizes.length, start + limits.entries);
  let bytes = frame;
  for (let index = start; index < last; index++) {
    const separator = index === start ? 0 : 1;
    bytes += (sizes[index] ?? 0) + separator;
    if (bytes > limits.bytes && index > start) return index;
  }
  return last;
}
