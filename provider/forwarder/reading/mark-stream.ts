import type { MarkType } from "../../model/mark";
import type { NodeHabits } from "../../wire/answers";
import { parseJson } from "../../wire/json";
import { readMarkList } from "../../wire/mark-list";
import { readAnswer } from "../../wire/node-answer";
import { ShapeError, short } from "../../wire/shape";
import { Envelope } from "./envelope";
import { learnTemplate } from "./learn-template";
import { ListRefused } from "./list-refused";
import { type TakeMark, takeMark } from "./listed-mark";
import { MORE_BYTES, OTHER_FORM, type RecordTemplate } from "./record-template";

/** Longer than any record. */
const MAX_RECORD = 65_536;
/** What is not read while it arrives is gathered; more than two million marks are not. */
const MAX_GATHERED = 128 * 1024 * 1024;

const OPEN = 0x7b;
const CLOSE = 0x7d;
const CLOSE_LIST = 0x5d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const SPACE = 0x20;

const NOTHING = Buffer.alloc(0);

/**
 * Reads the answer to a list of marks while it arrives, and hands each mark on at once. The envelope is what the plain
 * reader takes as one, the form of the records is learned from the first (see {@link RecordTemplate}), and a record of
 * another form is read by the plain reader alone. An answer whose beginning is no such list (an object keyed by address,
 * an empty list, an error, HTML) is gathered and goes to the plain reader as a whole.
 *
 * Marks are handed on before the end is seen: what was taken counts only once {@link end} has returned.
 *
 * @example
 * ```ts
 * const stream = new MarkStream("shost", (key, id, value) => …);
 * for await (const chunk of response) stream.write(chunk);
 * stream.end();   // 100000
 * ```
 */
export class MarkStream {
  /** How many marks were handed on. */
  listed = 0;
  /** How many of them the plain reader read. */
  plain = 0;
  private state: "head" | "record" | "separator" | "tail" | "gather" = "head";
  private rest: Buffer = NOTHING;
  private envelope: Envelope | undefined;
  private template: RecordTemplate | undefined;
  private readonly gathered: Buffer[] = [];
  private gatheredBytes = 0;

  constructor(
    private readonly type: MarkType,
    private readonly take: TakeMark,
    private readonly habits: NodeHabits = {},
  ) {}

  /** Takes the next bytes of the body. @throws {ShapeError} for a record that is none. */
  write(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (this.state === "gather") this.gather(bytes);
    else this.rest = this.advance(this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]));
  }

  /** Says that the body is whole. @returns how many marks it lists. @throws {ShapeError | ListRefused} */
  end(): number {
    if (this.state === "record" || this.state === "separator") {
      throw new ShapeError(`the answer ends within the list, after ${this.listed} marks`);
    }
    if (this.state === "tail") this.envelope?.close(this.listed);
    else this.readWhole(Buffer.concat([...this.gathered, this.rest]).toString("utf8"));
    return this.listed;
  }

  /** Reads what is whole, and answers the bytes that are not. */
  private advance(bytes: Buffer): Buffer {
    let at = 0;
    if (this.state === "head") {
      const found = Envelope.find(bytes, this.habits);
      if (found === "more") return bytes;
      if (found === "none") {
        this.state = "gather";
        this.gather(bytes);
        return NOTHING;
      }
      this.envelope = found;
      this.state = "record";
      at = found.end;
    }
    if (this.state !== "tail") at = this.readRecords(bytes, at);
    if (this.state === "tail") {
      this.envelope?.behind(bytes.subarray(at));
      return NOTHING;
    }
    // A view would keep the whole chunk in memory.
    return Buffer.from(bytes.subarray(at));
  }

  private gather(bytes: Buffer): void {
    this.gatheredBytes += bytes.length;
    if (this.gatheredBytes > MAX_GATHERED) throw new ShapeError(`the answer is longer than ${MAX_GATHERED} bytes`);
    this.gathered.push(bytes);
  }

  /** Where the first byte stands that was not read. */
  private readRecords(bytes: Buffer, start: number): number {
    let at = start;
    for (;;) {
      while (at < bytes.length && (bytes[at] as number) <= SPACE) at++;
      if (at === bytes.length) return at;
      if (this.state === "separator") {
        const byte = bytes[at++];
        if (byte === CLOSE_LIST) {
          this.state = "tail";
          return at;
        }
        if (byte !== COMMA) {
          throw new ShapeError(`after element ${this.listed - 1} stands ${short(String.fromCharCode(byte ?? 0))}`);
        }
        this.state = "record";
        continue;
      }
      const end = this.readRecord(bytes, at);
      if (end === MORE_BYTES) return at;
      at = end;
      this.listed++;
      this.state = "separator";
    }
  }

  private readRecord(bytes: Buffer, start: number): number {
    const quick = this.template ? this.template.read(bytes, start, this.take) : OTHER_FORM;
    if (quick >= 0) return quick;
    if (bytes[start] !== OPEN) throw new ShapeError(`element ${this.listed} is no object`);
    const end = endOfRecord(bytes, start);
    if (end === MORE_BYTES) {
      if (bytes.length - start <= MAX_RECORD) return MORE_BYTES;
      throw new ShapeError(`element ${this.listed} is longer than ${MAX_RECORD} bytes`);
    }
    const text = bytes.toString("utf8", start, end);
    if (this.listed === 0) this.template = learnTemplate(text, this.type, this.habits);
    // Also the first one: how it is read then does not rest on what was learned from it.
    takeMark(this.plainMark(text), this.take);
    this.plain++;
    return end;
  }

  private plainMark(text: string) {
    let json: unknown;
    try {
      json = parseJson(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new ShapeError(`element ${this.listed} is no JSON`);
    }
    try {
      const [mark] = readMarkList([json], this.type, this.habits);
      if (mark) return mark;
    } catch (error) {
      // The plain reader was given one element, which it calls the first.
      if (!(error instanceof ShapeError)) throw error;
      throw new ShapeError(error.message.replace(/^element 0\b/, `element ${this.listed}`));
    }
    throw new ShapeError(`element ${this.listed} is no mark`);
  }

  private readWhole(body: string): void {
    const answer = readAnswer(body);
    switch (answer.kind) {
      case "json":
        for (const mark of readMarkList(answer.json, this.type, this.habits)) {
          takeMark(mark, this.take);
          this.listed++;
          this.plain++;
        }
        return;
      case "error":
        throw new ListRefused(answer.message);
      case "empty":
        throw new ShapeError("the answer is empty");
      case "html":
        throw new ShapeError(`the answer is ${answer.title}`);
      case "text":
        throw new ShapeError(`the answer is no JSON: ${short(answer.text)}`);
    }
  }
}

/** Where the object that begins at `start` ends; {@link MORE_BYTES} when its end is not there yet. */
function endOfRecord(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
    } else if (byte === OPEN) depth++;
    else if (byte === CLOSE && --depth === 0) return at + 1;
  }
  return MORE_BYTES;
}
