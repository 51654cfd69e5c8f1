import { readAbsent } from "../../client/reading";
import { formatUrl, type PrefixSetUrl } from "../../model/resource-url";
import { some } from "../../model/text";
import { commitCommand, dataCommand, deleteEntry, insertEntry } from "../../wire/node-command";
import { type ListedEntry, readPrefixSetList } from "../../wire/prefix-set-list";
import { documentationIn, isDocumentation, isNearDocumentation, tracesDocumentation } from "../documentation";
import { isHollow, placeOfList } from "../shapes/list-place";
import { wordsIn } from "../shapes/status-search";
import { TIMING } from "../timing";
import type { Answer } from "./answer";
import type { Asker } from "./asker";
import { readListed, whyUnread } from "./listing";
import { Blocked, Unclear } from "./outcome";

/** Thrown when the set holds what no probe writes, or lacks what it held before: another writer works with it. */
export class ForeignEntries extends Error {}

/** How many texts an entry is deleted by at most. */
const SPELLINGS = 3;

/** How closely a change is watched for. */
export interface Watch {
  /** Milliseconds after which it will not show any more. */
  readonly patienceMs: number;
  /** Milliseconds between two looks, after so many milliseconds. */
  readonly pause: (ms: number) => number;
}

/**
 * The set that a probe writes to. Whatever may have been put into it is remembered before it is sent, so that
 * {@link clear} can take it out again after any failure. What was in it before stays, and is compared with every list.
 */
export class WorkSet {
  private readonly placed = new Set<string>();
  /** Those whose delete was answered with success, and not yet committed for certain. */
  private readonly leaving = new Set<string>();
  private touched = false;
  private wasTouched = false;
  /** What was still listed when the last try to clear the set gave up. */
  private listed: ListedEntry[] | undefined;
  /** While the probe cleans up nothing ends it early. */
  private calm = false;
  /** The last refusal since the probe cleans up. */
  refusal: Answer | undefined;
  /** The list of a filled set before anything was written. */
  private before: Answer | undefined;

  /** @param keeps True where the set may hold entries, which stay. */
  constructor(
    readonly url: PrefixSetUrl,
    private readonly asker: Asker,
    readonly keeps = false,
  ) {}

  /** True when something was sent since the set was last known to be as before. */
  get isTouched(): boolean {
    return this.touched;
  }

  /** What is left: as the node lists it where it does, else all that was sent and may be there or staged. */
  get left(): readonly string[] {
    return this.listed?.map(({ spelling }) => spelling) ?? this.remains;
  }

  /** Prefixes, as they were sent, that may be in the set or staged. */
  private get remains(): readonly string[] {
    return [...this.placed, ...this.leaving];
  }

  /** Takes over what a probe that was killed may have left. */
  inherit(texts: readonly string[]): void {
    for (const text of texts) this.placed.add(text);
    this.touched = true;
    this.wasTouched = true;
  }

  /**
   * Takes a list as what the set holds and keeps.
   *
   * @throws {Blocked} where it cannot be read, so that nothing could be compared, or holds what the probe would remove.
   */
  keep(list: Answer): void {
    const reading = this.reading(list);
    const where = formatUrl(this.url);
    if (reading.kind !== "done")
      throw new Blocked(`--keep needs a set whose list can be read, and of ${where} ${whyUnread(reading)}`);
    const own = reading.value.filter(({ prefix }) => isNearDocumentation(prefix));
    if (own.length > 0) {
      const named = some(
        own.map(({ spelling }) => spelling),
        3,
      );
      throw new Blocked(`${where} holds ${named}, in or beside the documentation prefixes that the probe writes`);
    }
    this.before = list;
  }

  async insert(entries: readonly (readonly [prefix: string, value: number])[], asked = "insert"): Promise<Answer> {
    const { head, tail } = dataCommand(this.url, "insert");
    const items = entries.map(([p, v]) => insertEntry(p, v));
    const added = entries.map(([p]) => p).filter((p) => !this.placed.has(p));
    for (const p of added) this.placed.add(p);
    if (added.length > 0) this.asker.note({ insert: added });
    const answer = await this.send("insert", head + items.join(",") + tail, asked);
    // A lone entry that was refused is not there; of several some may be. What only seems refused may be there.
    if (answer.isRefusal && answer.doubt === undefined && entries.length === 1) {
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
    return this.send("commit", commitCommand(this.url), asked);
  }

  list(asked = "list"): Promise<Answer> {
    return this.asker.list(this.url, { asked, calm: this.calm });
  }

  /** What the probe has put into the set, as it lists it. @throws {Unclear} when that cannot be read. @throws {ForeignEntries} */
  async entries(): Promise<ListedEntry[]> {
    return this.read(await this.list());
  }

  /**
   * Commits, and looks until the set is as it should be, or the patience ends. The looks are few, and rest on how long
   * commits took before.
   *
   * @returns the answer to the commit, the last list, whether it fits, and the milliseconds until then.
   */
  async committed(fits: (answer: Answer) => boolean, watch: Partial<Watch> = {}) {
    const { world, limits, learned } = this.asker;
    const usual = TIMING.firstPause + Math.ceil(1.25 * learned.commitDelay);
    const { patienceMs = limits.patienceMs, pause = (ms) => (ms === 0 ? usual : TIMING.listPause) } = watch;
    const commit = await this.commit();
    const began = world.monotonic();
    for (let ms = 0; ; ms = world.monotonic() - began) {
      const list = await this.list("list after the commit");
      if (fits(list)) return { commit, list, shown: true, ms };
      if (ms >= patienceMs) return { commit, list, shown: false, ms };
      await this.asker.pause(pause(ms), { calm: this.calm });
    }
  }

  /** Inserts and commits, and returns what the set lists then. @throws {Unclear} when that is refused. */
  async hold(entries: readonly (readonly [prefix: string, value: number])[]): Promise<ListedEntry[]> {
    const inserted = await this.insert(entries);
    if (inserted.isRefusal) throw new Unclear("a plain insert is refused", [inserted]);
    const { list } = await this.committed((answer) => !this.isClear(answer));
    return this.read(list);
  }

  /** Of a list what the probe has put there. @throws {Unclear | ForeignEntries} */
  read(answer: Answer): ListedEntry[] {
    if (this.before === undefined && this.isClear(answer)) return [];
    const reading = this.reading(answer);
    if (reading.kind === "failed") throw new Unclear("the list of the set is refused", [answer]);
    if (reading.kind !== "done") throw new Unclear(`the list is not understood: ${reading.message}`, [answer]);
    const foreign = this.foreignIn(reading.value);
    if (foreign === undefined) return reading.value.filter(({ prefix }) => isDocumentation(prefix));
    throw new ForeignEntries(`Set ${formatUrl(this.url)} ${foreign}: another writer works with it. It is left there.`);
  }

  /** True for a list in which nothing stands that the probe may have written, whatever its shape. */
  isClear(answer: Answer): boolean {
    const reading = this.reading(answer);
    if (reading.kind === "done") return reading.value.every(({ prefix }) => this.keeps && !isDocumentation(prefix));
    if (this.before !== undefined || answer.isRefusal) return false;
    // A list that no reader knows may hold what was sent all the same.
    return isHollow(answer) && !tracesDocumentation(answer.body);
  }

  /** True where the set vanished when it became empty, after which such an answer is an empty list. */
  private isGone(answer: Answer): boolean {
    return this.before === undefined && this.asker.learned.isAbsent(answer, this.url.set);
  }

  private reading(answer: Answer) {
    const { answers, keyedPlaces, absentIsEmpty } = this.asker.learned;
    const absent = absentIsEmpty ? readAbsent(answer.http, answers.absent) : undefined;
    return absent ?? readListed(answer, this.url, readPrefixSetList, answers, keyedPlaces);
  }

  /** What is listed otherwise than before, as the middle of a sentence. */
  private foreignIn(listed: readonly ListedEntry[]): string | undefined {
    const before = this.before && this.reading(this.before);
    const kept = new Map((before?.kind === "done" ? before.value : []).map((entry) => [entry.spelling, entry.value]));
    const seen = new Set<string>();
    for (const { prefix, spelling, value } of listed) {
      if (isDocumentation(prefix)) continue;
      if (!kept.has(spelling)) return `lists ${spelling}, which the probe did not write`;
      if (kept.get(spelling) !== value)
        return `lists ${spelling} with the value ${value}, which was ${kept.get(spelling)} before`;
      seen.add(spelling);
    }
    const gone = [...kept.keys()].find((spelling) => !seen.has(spelling));
    return gone === undefined ? undefined : `does not list ${gone} any more, which the probe did not remove`;
  }

  /**
   * Takes out whatever may be there, applied or staged, and looks that the set is as before, once more when the last commit
   * has had its time. Does nothing when nothing was sent.
   *
   * @param calm Goes on when the user asked to stop.
   * @throws {Error} when the set does not become so. @throws {ForeignEntries}
   */
  async clear({ calm = false } = {}): Promise<void> {
    if (!this.touched) return;
    this.calm = calm;
    try {
      // One refusal may be about a single one that is not there. What is listed after the commit is.
      await this.takeOut(
        [...this.placed].map((text) => [text]),
        false,
      );
      const { learned, limits } = this.asker;
      const patiences = [TIMING.brief + 4 * learned.commitDelay, ...Array<number>(SPELLINGS).fill(limits.patienceMs)];
      for (const [round, patienceMs] of patiences.entries()) {
        const list = await this.settled(patienceMs);
        if (this.isOut(list)) return this.cleared(list);
        this.listed = this.ours(list);
        await this.takeOut(
          this.waysToDelete(list).map((ways) => [...ways.slice(round % ways.length), ...ways]),
          true,
        );
      }
    } finally {
      this.calm = false;
    }
    throw new Error(`Set ${formatUrl(this.url)} still lists entries after they were deleted and committed.`);
  }

  /** Looks once more, after as long as commits have taken, and takes out what has come late. @throws as {@link clear} */
  async lookAgain(): Promise<void> {
    if (!this.wasTouched) return;
    await this.asker.pause(2 * this.lateMs, { calm: true });
    if (this.isOut(await this.asker.list(this.url, { calm: true }))) return;
    this.touched = true;
    await this.clear({ calm: true });
  }

  /** Commits, and gives the list once nothing of the probe is in it and no earlier commit can put something there. */
  private async settled(patienceMs: number): Promise<Answer> {
    const { list } = await this.committed((answer) => this.isOut(answer), { patienceMs });
    if (this.lateMs === 0 || !this.isOut(list)) return list;
    await this.asker.pause(Math.ceil(1.25 * this.lateMs), { calm: this.calm });
    return this.list("list once the commit has had its time");
  }

  /** How late a commit may show. A probe that is ended before it has measured that waits a while. */
  private get lateMs(): number {
    return this.asker.learned.measuredDelay ?? (this.calm ? TIMING.unmeasured : 0);
  }

  /** True for a list in which nothing stands that the probe has written, whatever else does. */
  private isOut(list: Answer): boolean {
    return this.isClear(list) || this.isGone(list) || this.ours(list)?.length === 0;
  }

  private cleared(list: Answer): void {
    const { learned } = this.asker;
    this.placed.clear();
    this.leaving.clear();
    this.listed = undefined;
    this.touched = false;
    this.asker.note({ clear: "set" });
    // Compares what stays with what was there.
    if (this.before !== undefined || !this.isClear(list)) {
      this.read(list);
      return;
    }
    learned.cleared = list;
    learned.emptyBody ||= list.body;
    learned.empty.set ??= list.isEmpty ? "nothing" : placeOfList(list.json, "prefixset", learned.answers, this.url);
  }

  /** Of what a list shows, the entries that the probe may have written; `undefined` where it cannot be read. */
  private ours(list: Answer): ListedEntry[] | undefined {
    const reading = this.reading(list);
    return reading.kind === "done" ? reading.value.filter(({ prefix }) => isDocumentation(prefix)) : undefined;
  }

  /** The texts with which each entry may be deleted, the likeliest first: that of the list, then those of usual nodes. */
  private waysToDelete(list: Answer): string[][] {
    const told = this.ours(list)?.map(({ spelling }) => spelling) ?? [
      ...this.remains,
      ...wordsIn(list.body).filter((word) => documentationIn(word) !== undefined),
    ];
    return told.map((spelling) => {
      const prefix = documentationIn(spelling);
      const usual = prefix ? [prefix.toString(), prefix.toString().replace(/\/(32|128)$/, "")] : [];
      return [...new Set([spelling, ...usual])];
    });
  }

  /** Deletes all of them, each by the first of its texts. `divide`: where that is refused, by halves, and each by its other texts. */
  private async takeOut(all: readonly (readonly string[])[], divide: boolean): Promise<void> {
    const most = this.asker.learned.entriesAtOnce;
    for (let at = 0; at < all.length; at += most) {
      const some = all.slice(at, at + most);
      const answer = await this.delete(some.flatMap(([first]) => first ?? []));
      if (!answer.isRefusal || !divide) continue;
      const [ways = []] = some;
      const others = ways.slice(1);
      if (some.length === 1) {
        for (const way of others) if (!(await this.delete([way])).isRefusal) break;
        continue;
      }
      const half = Math.ceil(some.length / 2);
      await this.takeOut(some.slice(0, half), divide);
      await this.takeOut(some.slice(half), divide);
    }
  }

  private async send(command: "insert" | "delete" | "commit", body: string, asked: string): Promise<Answer> {
    this.touched = true;
    this.wasTouched = true;
    const answer = await this.asker.ask({ url: this.url, command, body, asked }, { calm: this.calm });
    if (this.calm && answer.isRefusal) this.refusal = answer;
    return answer;
  }
}
