import type { Announced } from "../model/list-totals";
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
 * covers. These precede a line that says that it ends the list, or all numbers if the last one is the last line; they follow
 * other numbers, as far as the next one. What follows the last such line has no number: it is an incomplete list.
 */
export class Announcements {
  private readonly made: Made[] = [];

  add(announced: Announced, place: Place, before: number): void {
    this.made.push({ ...announced, place, before });
  }

  /**
   * Adds a problem for each number that is not that of its records.
   * @param total Records of the file. @param areSingle True if each record is one address.
   */
  judge(total: number, areSingle: () => boolean, problems: Problems): void {
    const made = this.made.some(({ isOfAddresses }) => isOfAddresses && !areSingle())
      ? this.made.filter(({ isOfAddresses }) => !isOfAddresses)
      : this.made;
    const [first, last] = [made[0], made.at(-1)];
    if (first === undefined || last === undefined) return;
    const hasEnds = made.some(({ isEnd }) => isEnd);
    const areLast = !hasEnds && first.before !== 0 && last.before === total;
    let isWrong = false;
    let fitsBefore = true;
    const [sinceEarlier, untilLater] = gaps(made, total);
    for (const [index, { isEnd, count, noun, place }] of made.entries()) {
      const comesAfter = hasEnds ? isEnd : areLast;
      const records = (comesAfter ? sinceEarlier : untilLater)[index] as number;
      if (sinceEarlier[index] !== count) fitsBefore = false;
      if (records === count) continue;
      isWrong = true;
      problems.add(place, `announces ${counted(count, noun, noun)}, ${contradiction(count, records, comesAfter)}`);
    }
    const isClosed = hasEnds ? last.isEnd : first.before !== 0 && fitsBefore;
    if (!isWrong && isClosed && last.before < total)
      problems.add(
        last.place,
        `closes a list, and ${counted(total - last.before, "record")} of another list without a number ${total - last.before === 1 ? "follows" : "follow"}: read each list from a file of its own, or ${REMEDY}.`,
      );
  }
}

/** Numbers of records since the announcement before each one, and until the one after it. Those in one place are one. */
function gaps(made: readonly Made[], total: number): readonly [number[], number[]] {
  const [since, until]: [number[], number[]] = [[], []];
  for (let index = 0, from = 0; index < made.length; ) {
    const at = (made[index] as Made).before;
    let next = index;
    while (made[next]?.before === at) next++;
    for (; index < next; index++) {
      since.push(at - from);
      until.push((made[next]?.before ?? total) - at);
    }
    from = at;
  }
  return [since, until];
}

/** Second half of a sentence about a number that is not that of the records of its list. */
export function contradiction(announced: number, records: number, isBefore: boolean): string {
  const found = `but ${counted(records, "record")} ${records === 1 ? "stands" : "stand"} ${isBefore ? "before" : "after"} it`;
  if (records < announced) return `${found}: the list is incomplete, ${REMEDY}.`;
  const other = isBefore ? "an earlier list has lost its last line" : "records of another list follow";
  return `${found}: ${other}. Read each list from a file of its own, or ${REMEDY}.`;
}
