import type { ResourceUrl } from "../../model/resource-url";
import type { Answer } from "./answer";
import type { Bench } from "./bench";
import { elementsIn } from "./listing";
import { readerOf } from "./needed";
import { Skipped } from "./outcome";

/** An entry that the set to write to holds while its list is compared with others. */
const HELD = "203.0.113.0/24";

/** A list that holds something, by which others are judged. */
interface FilledList {
  readonly url: ResourceUrl;
  readonly plain: Answer;
  /** The elements of another answer; `undefined` if it is not such a list. */
  read(answer: Answer): readonly unknown[] | undefined;
}

/**
 * Lists the set to write to with an entry in it, or else the first named resource that lists anything.
 *
 * @throws {Skipped} if nothing lists anything: an empty list is the same as a refusal in an unknown form.
 */
export async function filledList(bench: Bench): Promise<FilledList> {
  const { work, targets, learned } = bench;
  const readBy = (url: ResourceUrl) => (answer: Answer) => elementsIn(answer, url, readerOf(url), learned.answers);
  if (work?.isProved) await work.hold([[HELD, 1]]);
  const urls = [...(work ? [work.url] : []), ...targets.sets, ...targets.arenas, ...targets.profiles];
  for (const url of urls) {
    const plain = await bench.list(url);
    const read = readBy(url);
    if ((read(plain)?.length ?? 0) > 0) return { url, plain, read };
  }
  throw new Skipped("no list holds anything that other answers can be compared with");
}
