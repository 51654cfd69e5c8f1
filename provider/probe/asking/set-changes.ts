import { commitCommand, dataCommand, deleteEntry, insertEntry } from "../../wire/node-command";
import type { ListedEntry } from "../../wire/prefix-set-list";
import { TIMING } from "../timing";
import type { Answer } from "./answer";
import { UNREAD } from "./outcome";
import { SetLists } from "./set-lists";

/** Times of a wait for a change. */
export interface Watch {
  /** Milliseconds after which it will not show any more. */
  readonly patienceMs: number;
  /** Milliseconds between two lists, after so many milliseconds. */
  readonly pause: (ms: number) => number;
}

/** Requests to the set that a probe writes to. Each insert is remembered before it is sent. */
export class SetChanges extends SetLists {
  protected readonly placed = new Set<string>();
  /** Entries whose delete succeeded, and is not yet committed for certain. */
  protected readonly leaving = new Set<string>();
  /** True if something was sent since the set was last known to be as before. */
  isTouched = false;
  /** Last refusal during the cleaning up. */
  refusal: Answer | undefined;
  /** True if a list has shown the entries that are to be removed. */
  isHeld = false;
  /** First entry that was sent. */
  protected sent: string | undefined;
  /** True once it was tried whether a list that no setting reads is an empty one. */
  protected hasTried = false;
  /** Lists in a row that cannot be read although the shape of lists is known. */
  private unread = 0;

  /** Spellings that were sent, and may be in the set or staged. */
  protected get remains(): readonly string[] {
    return [...this.placed, ...this.leaving];
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

  private async send(command: "insert" | "delete" | "commit", body: string, asked: string): Promise<Answer> {
    this.isTouched = true;
    if (command !== "commit") this.isHeld = false;
    const answer = await this.asker.ask({ url: this.url, command, body, asked });
    if (this.asker.ending.isCleaning && answer.isRefusal) this.refusal = answer;
    return answer;
  }
}
