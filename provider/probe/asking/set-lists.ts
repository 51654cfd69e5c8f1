import { readAbsent } from "../../client/answer-readers";
import { formatUrl, type PrefixSetUrl } from "../../model/resource-url";
import { some } from "../../model/text";
import type { ListedEntry } from "../../wire/prefix-set-list";
import { isDocumentation, isNearDocumentation, tracesDocumentation } from "../documentation";
import { placeOfList } from "../shapes/list-place";
import { prefixesIn } from "../shapes/status-search";
import type { Answer } from "./answer";
import type { Asker } from "./asker";
import { isSame, type Raw } from "./baseline";
import { readListed, whyUnread } from "./listing";
import { Unclear } from "./outcome";
import { notesBefore } from "./undo";

/** Thrown if entries of the set changed that are not the probe's: another writer works with it. */
export class ForeignEntries extends Error {}

/** Reads lists of the set that a probe writes to. Older entries stay, and are compared with every list. */
export class SetLists {
  /** List of a filled set before the first write. */
  protected before: Answer | undefined;
  /** List before the first write, whatever its shape. */
  protected baseline: Raw | undefined;
  /** True once a list has shown entries of the probe, by which the shape of lists is known. */
  isProved = false;

  /** @param keeps True if the set may hold entries, which stay. */
  constructor(
    readonly url: PrefixSetUrl,
    protected readonly asker: Asker,
    readonly keeps = false,
  ) {}

  /** Takes the list before the first write, with which the last one is compared. */
  begin({ status, body }: Raw): void {
    this.baseline ??= { status, body };
    for (const note of notesBefore("set", { status, body })) this.asker.note(note);
  }

  /**
   * Takes the list of entries that stay.
   *
   * @throws {Error} if it cannot be read or compared, or holds prefixes that the probe would remove.
   */
  keep(list: Answer): void {
    const reading = this.reading(list);
    const where = formatUrl(this.url);
    // Names of the node's own are known once the set holds entries of the probe; its prefixes can be seen before.
    const held = reading.kind === "done" ? reading.value.map(({ prefix }) => prefix) : prefixesIn(list.body);
    if (reading.kind !== "done" && held.length === 0)
      throw new Error(`--keep needs a set whose list can be read, and of ${where} ${whyUnread(reading)}`);
    const own = held.filter(isNearDocumentation);
    if (own.length > 0 || (reading.kind !== "done" && this.isTraced(list))) {
      // A spelling that no reader knows is quoted with the list.
      const shown = own.length > 0 ? some(own.map(String), 3) : list.quote;
      throw new Error(`${where} holds ${shown}, in, around or beside the documentation prefixes that the probe writes`);
    }
    this.before = list;
  }

  /** True for a list that shows entries of the probe, if only in a spelling that no reader knows. */
  protected isTraced({ body, status }: Answer): boolean {
    return status < 300 && tracesDocumentation(body);
  }

  /** The probe's entries in a list. @throws {Unclear | ForeignEntries} */
  read(answer: Answer): ListedEntry[] {
    if (this.before === undefined && this.isClear(answer)) return [];
    const reading = this.reading(answer);
    if (reading.kind === "failed") throw new Unclear("the list of the set is refused", [answer]);
    if (reading.kind !== "done") throw new Unclear(`the list is not understood: ${reading.message}`, [answer]);
    const foreign = this.foreignIn(reading.value);
    if (foreign === undefined) return reading.value.filter(({ prefix }) => isDocumentation(prefix));
    throw new ForeignEntries(`Set ${formatUrl(this.url)} ${foreign}: another writer works with it. It is left there.`);
  }

  /** True for a list in a known shape without entries, or with `keeps` without those of the probe. */
  isClear(answer: Answer): boolean {
    const reading = this.reading(answer);
    return this.isWithoutOwn(answer) && (this.keeps || reading.kind !== "done" || reading.value.length === 0);
  }

  /**
   * True for a list without entries of the probe. An empty one must have an array in the place of the entries, or be the same
   * as before the first write: any other answer may be a refusal or a page.
   */
  private isWithoutOwn(answer: Answer): boolean {
    const reading = this.reading(answer);
    if (reading.kind === "done" && reading.value.length > 0)
      return reading.value.every(({ prefix }) => !isDocumentation(prefix));
    if (tracesDocumentation(answer.body)) return false;
    if (reading.kind === "done" && this.isEmptyPlace(answer)) return true;
    if (this.baseline === undefined || !isSame(answer, this.baseline)) return false;
    return reading.kind === "done" || this.isProved;
  }

  /** True for an empty array, or for nothing where a list has shown entries. */
  private isEmptyPlace({ json }: Answer): boolean {
    const { answers, places } = this.asker.learned;
    const place = placeOfList(json, "prefixset", answers, this.url);
    if (place?.kind === "array") return place.elements.length === 0;
    return place !== undefined && (place.kind === "null" || places.prefixset?.path === place.path);
  }

  /** True if the set vanished when it became empty: such an answer is an empty list from then on. */
  protected isGone(answer: Answer): boolean {
    return this.before === undefined && this.asker.learned.isAbsent(answer, this.url.set);
  }

  protected reading(answer: Answer) {
    const { answers, keyedPlaces, absentIsEmpty } = this.asker.learned;
    const listed = readListed({ answer, url: this.url }, answers, keyedPlaces);
    const absent = absentIsEmpty && listed.kind !== "done" ? readAbsent(answer.http, answers.absent) : undefined;
    return absent ?? listed;
  }

  /** The first difference from the list before, as the middle of a sentence. */
  private foreignIn(listed: readonly ListedEntry[]): string | undefined {
    const before = this.before && this.reading(this.before);
    const kept = new Map((before?.kind === "done" ? before.value : []).map((entry) => [entry.spelling, entry.value]));
    const present = new Set<string>();
    for (const { prefix, spelling, value } of listed) {
      if (isDocumentation(prefix)) continue;
      if (!kept.has(spelling)) return `lists ${spelling}, which the probe did not write`;
      if (kept.get(spelling) !== value)
        return `lists ${spelling} with the value ${value}, which was ${kept.get(spelling)} before`;
      present.add(spelling);
    }
    const gone = [...kept.keys()].find((spelling) => !present.has(spelling));
    return gone === undefined ? undefined : `does not list ${gone} any more, which the probe did not remove`;
  }

  protected isOut(list: Answer): boolean {
    return this.isWithoutOwn(list) || this.isGone(list);
  }

  /** Entries of a list that the probe may have written; `undefined` if it cannot be read. */
  protected ours(list: Answer): ListedEntry[] | undefined {
    const reading = this.reading(list);
    return reading.kind === "done" ? reading.value.filter(({ prefix }) => isDocumentation(prefix)) : undefined;
  }
}
