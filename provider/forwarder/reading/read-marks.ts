import { readList } from "../../client/reading";
import type { Mark, MarkType } from "../../model/mark";
import type { NodeHabits } from "../../wire/answers";
import { readMarkList } from "../../wire/mark-list";

/** An answer that is no list of marks. `message` is half a sentence, which the poller completes with node and table. */
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
 * @throws {UnreadList} for an answer that is no list, not the whole list, or longer than `maxListRecords`.
 */
export function readMarks(body: readonly Uint8Array[], type: MarkType, habits: NodeHabits): Mark[] {
  const answer = { status: 200, header: () => undefined, body: Buffer.concat(body).toString("utf8") };
  const reading = readList(answer, (json, known) => readMarkList(json, type, known), habits);
  if (reading.kind === "done") return reading.value;
  throw new UnreadList(reading.message, reading.outcome === "refused", reading.remedy);
}
