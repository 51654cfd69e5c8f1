import { formatUrl } from "../../model/resource-url";
import type { ListedEntry } from "../../wire/prefix-set-list";
import { documentationIn } from "../documentation";
import { wordsIn } from "../shapes/status-search";
import { TIMING } from "../timing";
import type { Answer } from "./answer";
import type { Raw } from "./baseline";
import { Unclear } from "./outcome";
import { SetChanges } from "./set-changes";

/** Most spellings by which an entry is deleted. */
const SPELLINGS = 3;

/**
 * The set that a probe writes to. Each insert is remembered before it is sent, so that {@link clear} can remove its entries
 * after any failure. Older entries stay, and are compared with every list.
 */
export class WorkSet extends SetChanges {
  /** Entries that were listed when the last {@link clear} gave up. */
  private listed: ListedEntry[] | undefined;
  /** True if entries were taken and committed, and no list showed them: an empty list then shows nothing. */
  isBlind = false;

  /** Entries that are left: those of the last list, else all that may be there or staged. */
  get left(): readonly string[] {
    return this.listed?.map(({ spelling }) => spelling) ?? this.remains;
  }

  /** Takes over the entries of a killed probe. @param before List before its first write. */
  inherit(texts: readonly string[], before: Raw | undefined, isProved: boolean): void {
    for (const text of texts) this.placed.add(text);
    this.sent = texts[0];
    this.isTouched = true;
    this.baseline = before;
    this.isProved = isProved;
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
}
