import { readList } from "../../client/answer-readers";
import type { Mark } from "../../model/mark";
import type { NodeHabits } from "../../wire/answers";
import { readMarkList } from "../../wire/mark-list";
import { SIZES } from "../defaults";
import { type Details, furtherKey, keyOf, type MarkKey, type RowWriter } from "../record/rows";
import type { ArrivedList } from "./arrived-list";
import type { Baseline } from "./baseline";

/** An answer that is not a list of marks. `message` is half a sentence, which the poller completes with node and table. */
export class UnreadList extends Error {
  override readonly name = "UnreadList";

  constructor(
    message: string,
    /** The node said no, in its own words. */
    readonly refused: boolean,
    /** A sentence with the setting that would read the answer, where there is one. */
    readonly remedy?: string,
  ) {
    super(message);
  }
}

/**
 * The marks of a whole answer, read as the client reads it.
 *
 * @throws {UnreadList} for an answer that is not a list, not the whole list, or longer than `maxListRecords`.
 */
export function readMarks({ table, head, body, habits }: ArrivedList): Mark[] {
  const { status, headers } = head ?? { status: 200, headers: {} };
  const header = (name: string) => [headers[name]].flat()[0];
  const answer = { status, header, headers, body: Buffer.concat(body).toString("utf8") };
  const read = (json: unknown, known: NodeHabits) => readMarkList(json, table.type, known);
  const reading = readList(answer, "marks", read, { ...habits, place: table });
  if (reading.kind === "done") return reading.value;
  throw new UnreadList(reading.message, reading.outcome === "refused", reading.remedy);
}

/** Lifetimes are whole seconds, so one that has a second left may have run out. */
const ROUNDING_MS = 1_000;

/**
 * One list of a table: compares each mark with the last reading that was taken over, and takes its place in the baseline at
 * once. A reading that fails half-way leaves an unusable baseline, which is loaded again.
 *
 * - new: `added`; also one that was reported as expired and is active again
 * - another value, status or id: `changed`; else a lifetime that rose: `renewed`
 * - a status that says so: `expired`, once; all else of that mark is silence
 * - not listed any more: `expired` when its last lifetime had run out, else `gone`, with its last id and value
 */
export class Reading {
  constructor(
    /** The number of this reading; another one each time. */
    private readonly number: number,
    private readonly baseline: Baseline,
    private readonly changes: RowWriter,
    /** Rows of all that is listed, where they are wanted. */
    private readonly snapshot?: RowWriter,
    /** Rows of a mark that is in no baseline, but that sinks had before a reset. Default: those of what changed. */
    private readonly addedAgain: (key: MarkKey, isEnded: boolean) => RowWriter = () => changes,
    /** Rows of the table as it is now, which follow what changed. Default: it is not sent as a whole. */
    private readonly anew?: typeof addedAgain,
  ) {}

  /**
   * Compares the marks of a whole list; what it does not hold is gone. Yields between slices.
   *
   * @param elapsed Milliseconds since the last reading, at least.
   */
  *compare(marks: readonly Mark[], elapsed: number): Generator<void> {
    for (let start = 0; start < marks.length; start += SIZES.rowsASlice) {
      if (start > 0) yield;
      for (const mark of marks.slice(start, start + SIZES.rowsASlice)) this.take(mark);
    }
    if (marks.length > SIZES.rowsASlice) yield;
    yield* this.finish(elapsed);
  }

  private take(mark: Mark): void {
    const { baseline, snapshot } = this;
    const listed = keyOf(mark);
    const numbers = numbersOf(mark);
    const [id, value, lifetime] = numbers;
    const details = detailsOf(mark);
    let key = listed;
    let row = baseline.row(key);
    const isAgain = row !== undefined && this.isListed(row);
    if (isAgain || (baseline.hasFurther && (row === undefined || !Object.is(baseline.ids[row], id)))) {
      // A node may have marks of one address by several rules: those behind the first have further keys, also where the first is gone.
      const further = furtherKey(listed, id);
      const other = baseline.row(further);
      if (isAgain || other !== undefined) [key, row] = [further, other];
      if (row !== undefined && this.isListed(row)) return;
    }
    snapshot?.add("seen", key, id, value, lifetime, details);
    if (row === undefined) {
      row = baseline.add(key, this.number);
      this.addedAgain(key, isExpired(details?.status)).add("added", key, id, value, lifetime, details);
      baseline.found(row, this.number, id, value, lifetime);
      if (details) baseline.speak(row, details, false);
    } else this.compareOne(key, row, numbers, details);
    if (this.anew && !baseline.spokenOf(row)?.ended)
      this.anew(key, false).add("added", key, id, value, lifetime, details);
  }

  /** Compares a listed mark with its row. */
  private compareOne(
    key: MarkKey,
    row: number,
    [id, value, lifetime]: ReturnType<typeof numbersOf>,
    details: Details | undefined,
  ): void {
    const { baseline, changes } = this;
    const spoken = baseline.spokenOf(row);
    const expired = isExpired(details?.status);
    if (expired) {
      if (!spoken?.ended) changes.add("expired", key, id, value, lifetime, details);
    } else if (spoken?.ended) {
      baseline.bornAgain(row, this.number);
      changes.add("added", key, id, value, lifetime, details);
    } else if (
      !Object.is(baseline.values[row], value) ||
      !Object.is(baseline.ids[row], id) ||
      spoken?.status !== details?.status ||
      !sameDigits(spoken?.exact, details?.exact)
    ) {
      changes.add("changed", key, id, value, lifetime, details);
    } else if (lifetime > baseline.listedLifetime(row)) {
      changes.add("renewed", key, id, value, lifetime, details);
    }
    baseline.found(row, this.number, id, value, lifetime);
    if (details || spoken) baseline.speak(row, details, expired);
  }

  /** True once this reading has found the mark of a row. */
  private isListed(row: number): boolean {
    return this.baseline.readingOf(row) === this.number;
  }

  private *finish(elapsed: number): Generator<void> {
    const { baseline, changes } = this;
    for (let row = 0; row < baseline.rowCount; row++) {
      if (row % SIZES.rowsASlice === SIZES.rowsASlice - 1) yield;
      const key = this.isListed(row) ? undefined : baseline.keyOf(row);
      if (key === undefined) continue;
      const spoken = baseline.spokenOf(row);
      if (!spoken?.ended) {
        const [id, value, lifetime] = baseline.numbersOf(row);
        const ranOut = isExpired(spoken?.status) || lifetime * 1_000 - ROUNDING_MS <= elapsed;
        const details = spoken && { ...(spoken.exact && { exact: spoken.exact }) };
        const event = ranOut ? "expired" : "gone";
        changes.add(event, key, id, value, Number.NaN, details?.exact ? details : undefined);
      }
      baseline.remove(key);
    }
  }
}

/** Id, value and lifetime; `NaN` for those that the node did not send. */
export function numbersOf({ id, value, lifetime }: Mark): [id: number, value: number, lifetime: number] {
  return [id ?? Number.NaN, value ?? Number.NaN, lifetime ?? Number.NaN];
}

/** Members of a mark beyond its key and its numbers, which most marks lack. */
export function detailsOf({ age, status, exact, extra }: Mark): Details | undefined {
  if (age === undefined && status === undefined && exact === undefined && extra === undefined) return undefined;
  return {
    ...(age !== undefined && { age }),
    ...(status !== undefined && { status }),
    ...(exact !== undefined && { exact }),
    ...(extra !== undefined && { extra }),
  };
}

/** True for a status that says that a mark has ended. */
function isExpired(status: string | undefined): boolean {
  return status !== undefined && status.toLowerCase() === "expired";
}

function sameDigits(
  before: Readonly<Record<string, string>> | undefined,
  now: Readonly<Record<string, string>> | undefined,
): boolean {
  // A lifetime or an age that runs down in long digits is not a change, either.
  return before?.value === now?.value && before?.id === now?.id;
}
