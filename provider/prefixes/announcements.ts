import type { Announced } from "../model/announced";
import { count as counted } from "../model/text";
import type { Place, Problems } from "./problems";

interface Made extends Announced {
  readonly place: Place;
  /** Number of records before it. */
  readonly before: number;
}

const REMEDY = "fetch it again (or set allowEmpty: true)";

/**
 * Numbers of records that comments announce. A file may hold several lists: each number is judged for the records that it
 * covers, which follow it as far as the next number, or precede it where all numbers are last lines.
 */
export class Announcements {
  private readonly made: Made[] = [];

  add(announced: Announced, place: Place, before: number): void {
    this.made.push({ ...announced, place, before });
  }

  /** Adds a problem for each number that is not that of its records. @param total Records of the file. */
  judge(total: number, problems: Problems): void {
    const { made } = this;
    const areLast = made.length > 0 && made[0]?.before !== 0 && made.at(-1)?.before === total;
    for (const [index, { count, noun, place, before }] of made.entries()) {
      const records = areLast ? before - (made[index - 1]?.before ?? 0) : (made[index + 1]?.before ?? total) - before;
      if (records !== count)
        problems.add(place, `announces ${counted(count, noun, noun)}, ${contradiction(count, records, areLast)}`);
    }
  }
}

/** Second half of a sentence about a number that is not that of the records of its list. */
export function contradiction(announced: number, records: number, isBefore: boolean): string {
  const found = `but ${counted(records, "record")} ${records === 1 ? "stands" : "stand"} ${isBefore ? "before" : "after"} it`;
  if (records < announced) return `${found}: the list is incomplete, ${REMEDY}.`;
  const other = isBefore ? "an earlier list has lost its last line" : "records of another list follow";
  return `${found}: ${other}. Read each list from a file of its own, or ${REMEDY}.`;
}
