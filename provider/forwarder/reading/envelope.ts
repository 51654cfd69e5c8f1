import type { NodeHabits } from "../../wire/answers";
import { findList } from "../../wire/envelope";
import { errorIn } from "../../wire/error-marker";
import { ShapeError, short } from "../../wire/shape";
import { ListRefused } from "./list-refused";

/** Longer than any envelope. */
export const MAX_ENVELOPE = 4_096;

/** What may close the objects around a list. */
const ENDS = ["", "}", "}}", "}}}"];

/** No total beside the beginning of a list can be larger: how long the list is, its end tells. */
const ANY_LENGTH = 2 ** 32 - 1;

/**
 * What stands around the list of an answer, before it and behind it. Whether that is an envelope is the plain reader's
 * judgement in both places, so that a stream and a whole answer cannot differ.
 */
export class Envelope {
  private tail = "";

  private constructor(
    private readonly head: string,
    private readonly habits: NodeHabits,
    /** Where the first record begins in the bytes that were looked at. */
    readonly end: number,
  ) {}

  /**
   * Looks for the beginning of a list of records.
   *
   * @returns `"more"` when it may be in bytes to come, `"none"` when this is no such list: a plain reader may know better.
   */
  static find(bytes: Buffer, habits: NodeHabits): Envelope | "more" | "none" {
    const text = bytes.toString("latin1", 0, Math.min(bytes.length, MAX_ENVELOPE));
    const match = /\[\s*(?=\{)/.exec(text);
    if (!match) return bytes.length < MAX_ENVELOPE ? "more" : "none";
    const head = text.slice(0, match.index).replace(/^\u00ef\u00bb\u00bf/, "");
    if (!ENDS.some((end) => mayBegin(head, end, habits))) return "none";
    return new Envelope(head, habits, match.index + match[0].length);
  }

  /** Takes bytes from behind the list. @throws {ShapeError} when they are more than an envelope. */
  behind(bytes: Buffer): void {
    this.tail += bytes.toString("latin1");
    if (this.tail.length > MAX_ENVELOPE) throw new ShapeError("more than a list stands in the answer");
  }

  /**
   * The answer is whole, and its list has so many elements.
   *
   * @throws {ShapeError | ListRefused} when the answer says that this was not the whole list, or none.
   */
  close(length: number): void {
    if (surrounds(this.head, this.tail, length, this.habits)) return;
    throw new ShapeError(`behind the list stands ${short(this.tail.trim())}`);
  }
}

/** What the plain reader would refuse is refused by it, once the whole answer is there. */
function mayBegin(head: string, end: string, habits: NodeHabits): boolean {
  try {
    return surrounds(head, end, ANY_LENGTH, habits);
  } catch (error) {
    if (error instanceof ShapeError) return false;
    throw error;
  }
}

const LIST = "\u0001list\u0001";

/**
 * True when the plain reader takes a list of `length` elements between these texts as that of the answer.
 *
 * @throws {ShapeError} when the answer itself says that it is not the whole list. @throws {ListRefused}
 */
function surrounds(head: string, tail: string, length: number, habits: NodeHabits): boolean {
  const list: unknown[] = new Array(length);
  let json: unknown;
  try {
    json = JSON.parse(`${head}${JSON.stringify(LIST)}${tail}`, (_, value: unknown) => (value === LIST ? list : value));
  } catch {
    return false;
  }
  const message = errorIn(json);
  if (message !== undefined) throw new ListRefused(message);
  const found = findList(json, "marks", habits);
  return found.kind === "array" && found.elements === list;
}
