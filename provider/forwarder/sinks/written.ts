import type { ForwardRecord } from "../record/record";
import { nextTurn, RECORDS_A_SLICE } from "../slices";

/** Writes records out, each as a text, a slice at a time: others have their turn in between. */
export async function written(
  records: readonly ForwardRecord[],
  text: (record: ForwardRecord) => string,
): Promise<string> {
  return (await inSlicesOf(records, (slice) => slice.map(text).join(""))).join("");
}

/** Runs `work` on one slice of the records after the other, and gathers what it answers. */
export async function inSlicesOf<T>(
  records: readonly ForwardRecord[],
  work: (slice: readonly ForwardRecord[]) => T,
): Promise<T[]> {
  const results: T[] = [];
  for (let start = 0; start < records.length; start += RECORDS_A_SLICE) {
    await nextTurn();
    results.push(work(records.slice(start, start + RECORDS_A_SLICE)));
  }
  return results;
}
