import { readAbsent } from "../../client/reading";
import { formatUrl, type PrefixSetUrl } from "../../model/resource-url";
import { some } from "../../model/text";
import { commitCommand, dataCommand, deleteEntry, insertEntry } from "../../wire/node-command";
import type { ListedEntry } from "../../wire/prefix-set-list";
import { documentationIn, isDocumentation, isNearDocumentation, tracesDocumentation } from "../documentation";
import { placeOfList } from "../shapes/list-place";
import { prefixesIn, wordsIn } from "../shapes/status-search";
import { TIMING } from "../timing";
import type { Answer } from "./answer";
import type { Asker } from "./asker";
import { isSame, type Raw } from "./baseline";
import { readListed, whyUnread } from "./listing";
import { UNREAD, Unclear } from "./outcome";

/** Thrown if entries of the set changed that are not the probe's: another writer works with it. */
export class ForeignEntries extends Error {}

/** Most spellings by which an entry is deleted. */
const SPELLINGS = 3;

/** Longest list before the first write that is noted, in characters. */
const LONGEST_NOTE = 100_000;

/** Times of a wait for a change. */
export interface Watch {
  /** Milliseconds after which it will not show any more. */
  readonly patienceMs: number;
  /** Milliseconds between two lists, after so many milliseconds. */
  readonly pause: (ms: number) => number;
}

/**
 * The set that a probe writes to. Each insert is remembered before it is sent, so that {@link clear} can remove its entries
 * after any failure. Older entries stay, and are compared with every list.
 */
export class WorkSet {
  private readonly placed = new Set<string>();
  /** Entries whose delete succeeded, and is not yet committed for certain. */
  private readonly leaving = new Set<string>();
  /** True if something was sent since the set was last known to be as before. */
  isTouched = false;
  /** Entries that were listed when the last {@link clear} gave up. */
  private listed: ListedEntry[] | undefined;
  /** Last refusal during the cleaning up. */
  refusal: Answer | undefined;
  /** List of a filled set before the first write. */
  private before: Answer | undefined;
  /** List before the first write, whatever its shape. */
  private baseline: Raw | undefined;
  /** True once a list has shown entries of the probe, by which the shape of lists is known. */
  isProved = false;
  /** True if entries were taken and committed, and no list showed them: an empty list then shows nothing. */
  isBlind = false;
  /** True if a list has shown the entries that are to be removed. */
  isHeld = false;
  /** First entry that was sent. */
  private sent: string | undefined;
  /** True once a list that no setting reads was tried, see {@link tryEmpty}. */
  private hasTried = false;
  /** Lists in a row that cannot be read although the shape of lists is known. */
  private unread = 0;

  /** @param keeps True if the set may hold entries, which stay. */
  constructor(
    readonly url: PrefixSetUrl,
    private readonly asker: Asker,
    readonly keeps = false,
  ) {}

  /** Entries that are left: those of the last list, else all that may be there or staged. */
  get left(): readonly string[] {
    return this.listed?.map(({ spelling }) => spelling) ?? this.remains;
  }

  /** Spellings that were sent, and may be in the set or staged. */
  private get remains(): readonly string[] {
    return [...this.placed, ...this.leaving];
  }

  /** Takes over the entries of a killed probe. @param before List before its first write. */
  inherit(texts: readonly string[], before: Raw | undefined, isProved: boolean): void {
    for (const text of texts) this.placed.add(text);
    this.sent = texts[0];
    this.isTouched = true;
    this.baseline = before;
    this.isProved = isProved;
  }

  /** Takes the list before the first write, with which the last one is compared. */
  begin({ status, body }: Raw): void {
    this.baseline ??= { status, body };
    if (body.length <= LONGEST_NOTE) this.asker.note({ before: { of: "set", status, body } });
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
      throw new Error(`${where} holds ${shown}, in or beside the documentation prefixes that the probe writes`);
    }
    this.before = list;
  }

  async insert(entries: readonly (readonly [prefix: string, value: number])[], asked = "insert"): Promise<Answer> {
    const { head, tail } = dataCommand(this.url, "insert");
    const items = entries.map(([p, v]) => insertEntry(p, v));
    const added = entries.map(([p]) => p).filter((p) => !this.placed.has(p));
    for (const p of added) this.placed.add(p);
    this.sent ??= added[0];
    if (added.length > 0) this.asker.note({ insert: added });
    const answer = await this.send("insert", head + items.join(",") + tail, asked);
    // A single refused entry is not there; of several some may be, and of an answer in doubt all.
    if (answer.isRefusal && answer.doubt === undefined && !answer.isPage && entries.length === 1) {
      for (const p of added) this.placed.delete(p);
    }
    return answer;
  }

  async delete(texts: readonly string[], asked = "delete"): Promise<Answer> {
    const { head, tail } = dataCommand(this.url, "delete");
    const answer = await this.send("delete", head + texts.map(deleteEntry).join(",") + tail, asked);
    if (!answer.isRefusal) {
      for (const text of texts) if (this.placed.delete(text)) this.leaving.add(text);
    }
    return answer;
  }

  commit(asked = "commit"): Promise<Answer> {
    return this.send("commit", commitCommand(this.url, this.asker.node.commitUrl), asked);
  }

  /** @throws {Error} at the third list in a row that cannot be read although the shape of lists is known. */
  async list(asked = "list"): Promise<Answer> {
    const list = await this.asker.list(this.url, { asked });
    const isKnown = this.isProved && (this.hasTried || list.isRefusal);
    const isUnread = isKnown && this.reading(list).kind !== "done" && !this.isOut(list) && !this.isTraced(list);
    this.unread = isUnread ? this.unread + 1 : 0;
    if (this.unread < UNREAD || this.asker.ending.isCleaning) return list;
    throw new Error(`${UNREAD} lists in a row cannot be read, the last one: ${list.quote}`);
  }

  /** True for a list that shows entries of the probe, if only in a spelling that no reader knows. */
  private isTraced({ body, status }: Answer): boolean {
    return status < 300 && tracesDocumentation(body);
  }

  /** The probe's entries, as the set lists them. @throws {Unclear} if that cannot be read. @throws {ForeignEntries} */
  async entries(): Promise<ListedEntry[]> {
    return this.read(await this.list());
  }

  /**
   * Commits, and lists the set until it fits or the patience ends. The lists are few, by the measured delay of commits.
   *
   * @returns the answer to the commit, the last list, whether it fits, and the milliseconds until then and until the list before.
   */
  async committed(fits: (answer: Answer) => boolean, watch: Partial<Watch> = {}) {
    const { world, limits, learned } = this.asker;
    const usual = TIMING.firstPause + Math.ceil(1.25 * learned.commitDelay);
    const { patienceMs = limits.patienceMs, pause = (ms) => (ms === 0 ? usual : TIMING.listPause) } = watch;
    const commit = await this.commit();
    const began = world.monotonic();
    for (let earlierMs = 0; ; ) {
      const list = await this.list("list after the commit");
      const ms = Math.max(0, this.asker.sentAt - began);
      if (fits(list)) return { commit, list, shown: true, ms, earlierMs };
      if (ms >= patienceMs) return { commit, list, shown: false, ms, earlierMs };
      earlierMs = ms;
      await this.asker.pause(pause(ms));
    }
  }

  /** Inserts and commits, and returns the listed entries. @throws {Unclear} if the insert is refused. */
  async hold(entries: readonly (readonly [prefix: string, value: number])[]): Promise<ListedEntry[]> {
    const inserted = await this.insert(entries);
    if (inserted.isRefusal) throw new Unclear("a plain insert is refused", [inserted]);
    const { commit, list, shown } = await this.committed((answer) => !this.isClear(answer));
    const held = this.read(list);
    this.isHeld = shown && held.length > 0;
    if (this.isHeld) this.succeeded("insert", inserted, commit, entries.length);
    return held;
  }

  /** Keeps the answers to a change that a list has shown: every other answer is compared with them. */
  private succeeded(change: "insert" | "delete", answer: Answer, commit: Answer, count: number): void {
    this.asker.verdicts.succeeded(change, answer, count);
    this.asker.verdicts.succeeded("commit", commit, count);
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
  private isGone(answer: Answer): boolean {
    return this.before === undefined && this.asker.learned.isAbsent(answer, this.url.set);
  }

  private reading(answer: Answer) {
    const { answers, keyedPlaces, absentIsEmpty } = this.asker.learned;
    const absent = absentIsEmpty ? readAbsent(answer.http, answers.absent) : undefined;
    return absent ?? readListed({ answer, url: this.url }, answers, keyedPlaces);
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

  /**
   * Removes all entries of the probe, applied or staged, and checks that the set is as before: again after the delay of a commit.
   *
   * @throws {Error} if entries stay. @throws {ForeignEntries}
   */
  async clear(): Promise<void> {
    if (!this.isTouched) return;
    // A refusal may be about one entry that is not there: the list after the commit decides.
    const own = [...this.placed];
    const wasHeld = this.isHeld && own.length > 0;
    const deleted = await this.takeOut(
      own.map((text) => [text]),
      false,
    );
    const { learned, limits } = this.asker;
    const patiences = [TIMING.brief + 4 * learned.commitDelay, ...Array<number>(SPELLINGS).fill(limits.patienceMs)];
    for (const [round, patienceMs] of patiences.entries()) {
      const { commit, list } = await this.settled(patienceMs);
      if (this.isOut(list)) {
        this.cleared(list);
        if (round === 0 && deleted && wasHeld) this.succeeded("delete", deleted, commit, own.length);
        return;
      }
      this.listed = this.ours(list);
      await this.tryEmpty(list);
      await this.takeOut(
        this.waysToDelete(list).map((ways) => [...ways.slice(round % ways.length), ...ways]),
        true,
      );
    }
    throw new Error(
      this.listed === undefined
        ? `the list of ${formatUrl(this.url)} cannot be read`
        : `Set ${formatUrl(this.url)} still lists entries after they were deleted and committed.`,
    );
  }

  /**
   * Tries whether a list is an empty one that no setting reads: inserts an entry of the probe once more, and waits for a list
   * that shows it. If one does, the first list was an answer about the set, and not a refusal.
   */
  private async tryEmpty(list: Answer): Promise<void> {
    const { sent } = this;
    if (this.hasTried || sent === undefined || list.status >= 300 || this.isTraced(list)) return;
    this.hasTried = true;
    await this.insert([[sent, 1]]);
    if (!(await this.committed((shown) => this.isTraced(shown))).shown) return;
    this.isProved = true;
    this.baseline = { status: list.status, body: list.body };
  }

  /** Checks again after the delay of commits, and removes late entries. @throws as {@link clear} */
  async lookAgain(): Promise<void> {
    if (this.sent === undefined) return;
    await this.asker.pause(2 * this.lateMs);
    if (this.isOut(await this.asker.list(this.url))) return;
    this.isTouched = true;
    await this.clear();
  }

  /** Commits, and returns a list without the probe's entries that no earlier commit can change any more; else the last list. */
  private async settled(patienceMs: number): Promise<{ readonly commit: Answer; readonly list: Answer }> {
    const { commit, list } = await this.committed((answer) => this.isOut(answer), { patienceMs });
    if (this.lateMs === 0 || !this.isOut(list)) return { commit, list };
    await this.asker.pause(Math.ceil(1.25 * this.lateMs));
    return { commit, list: await this.list("list once the commit has had its time") };
  }

  /** Milliseconds after which a commit may still show; a guess if the probe ended before it was measured. */
  private get lateMs(): number {
    return this.asker.learned.measuredDelay ?? (this.asker.ending.isCleaning ? TIMING.unmeasured : 0);
  }

  private isOut(list: Answer): boolean {
    return this.isWithoutOwn(list) || this.isGone(list);
  }

  /** @throws {Error} if the list shows nothing, since none has ever shown an entry. */
  private cleared(list: Answer): void {
    const { learned } = this.asker;
    if (this.isBlind)
      throw new Error("no list has shown what was taken and committed, so an empty one does not show that it is gone");
    this.placed.clear();
    this.leaving.clear();
    this.listed = undefined;
    this.isTouched = false;
    this.asker.note({ clear: "set" });
    // Compares the entries that stay.
    if (this.before !== undefined || !(this.isClear(list) || this.isGone(list))) {
      this.read(list);
      return;
    }
    learned.cleared = list;
  }

  /** Entries of a list that the probe may have written; `undefined` if it cannot be read. */
  private ours(list: Answer): ListedEntry[] | undefined {
    const reading = this.reading(list);
    return reading.kind === "done" ? reading.value.filter(({ prefix }) => isDocumentation(prefix)) : undefined;
  }

  /** Spellings by which each entry may be deleted: that of the list, then the usual ones. */
  private waysToDelete(list: Answer): string[][] {
    const listed = this.ours(list)?.map(({ spelling }) => spelling) ?? [
      ...this.remains,
      ...wordsIn(list.body).filter((word) => documentationIn(word) !== undefined),
    ];
    return listed.map((spelling) => {
      const prefix = documentationIn(spelling);
      const usual = prefix ? [prefix.toString(), prefix.toString().replace(/\/(32|128)$/, "")] : [];
      return [...new Set([spelling, ...usual])];
    });
  }

  /** Returns the answer, if there is only one. Deletes entries by the first of their spellings. `divide`: a refused delete is repeated one by one, in all spellings. */
  private async takeOut(all: readonly (readonly string[])[], divide: boolean): Promise<Answer | undefined> {
    const most = this.asker.learned.entriesAtOnce;
    let only: Answer | undefined;
    for (let at = 0; at < all.length; at += most) {
      const some = all.slice(at, at + most);
      const answer = await this.delete(some.flatMap(([first]) => first ?? []));
      only = at === 0 ? answer : undefined;
      if (!answer.isRefusal || !divide) continue;
      for (const ways of some) {
        for (const way of ways.slice(some.length === 1 ? 1 : 0)) if (!(await this.delete([way])).isRefusal) break;
      }
    }
    return only;
  }

  private async send(command: "insert" | "delete" | "commit", body: string, asked: string): Promise<Answer> {
    this.isTouched = true;
    if (command !== "commit") this.isHeld = false;
    const answer = await this.asker.ask({ url: this.url, command, body, asked });
    if (this.asker.ending.isCleaning && answer.isRefusal) this.refusal = answer;
    return answer;
  }
}
