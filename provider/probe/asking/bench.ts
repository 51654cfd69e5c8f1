import { isUnreachable } from "../../client/errors";
import { MARK_TYPES, type MarkType } from "../../model/mark";
import { formatUrl, type MarkUrl, type ResourceUrl } from "../../model/resource-url";
import { TIMING } from "../timing";
import type { Learnt } from "../undo";
import type { Answer } from "./answer";
import { Asker } from "./asker";
import { Skipped } from "./outcome";
import type { Receiver } from "./receiver";
import { takeSample } from "./sample";
import type { Targets } from "./targets";
import { tryStart } from "./trial";
import type { Watch, WorkSet } from "./work-set";

/** One table of marks, and what was answered to its list. */
export interface Table {
  readonly url: MarkUrl;
  readonly type: MarkType;
  readonly answer: Answer;
}

/** What points work with: the node, what is named, the set to write to, and the receiver. */
export class Bench extends Asker {
  /** The set to write to; absent without permission to write. */
  work: WorkSet | undefined;
  /** Why nothing more can be asked of this node; absent where more can. */
  blocked: string | undefined;
  /** The signaling receiver; absent where none is asked. */
  receiver: Receiver | undefined;
  private listed: Promise<Table[]> | undefined;
  private sampled: ReturnType<typeof takeSample> | undefined;
  private noted = "";
  private tried: ReturnType<typeof tryStart> | undefined;

  constructor(
    readonly targets: Targets,
    ...asked: ConstructorParameters<typeof Asker>
  ) {
    super(...asked);
  }

  /** A url to ask about the node as a whole. @throws {Skipped} where none is named. */
  get first(): ResourceUrl {
    if (this.targets.first) return this.targets.first;
    throw new Skipped("no url is named");
  }

  /** The set to write to. @throws {Skipped} where nothing may be written. */
  get set(): WorkSet {
    if (this.work) return this.work;
    throw new Skipped("nothing may be written");
  }

  /** The receiver to ask. @throws {Skipped} where none is. */
  get signaling(): Receiver {
    if (this.receiver) return this.receiver;
    throw new Skipped("no receiver is asked");
  }

  /**
   * Asks with a request that may be too large: some nodes break the connection instead of an answer.
   *
   * @returns `undefined` then, if the node still answers others. @throws {RequestError} where it does not.
   */
  async askLarge(send: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await send();
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      await this.set.list("list after a broken connection");
      return undefined;
    }
  }

  /** Every type of every profile, listed once for all points, in one go, since the pace is that of a table. */
  tables(): Promise<Table[]> {
    this.listed ??= this.listTables();
    return this.listed;
  }

  /** What a sample of entries showed; taken once, for all points. @throws {Unclear} */
  sample() {
    this.sampled ??= takeSample(this.set, this);
    return this.sampled;
  }

  /** What a start and its refusals showed; tried once, for all points. @throws {Blocked | Unclear} */
  trial() {
    this.tried ??= tryStart(this.signaling);
    return this.tried;
  }

  /** For changes that may well not show: by what was seen of commits, they do soon or never. */
  get briefly(): Pick<Watch, "patienceMs"> {
    return { patienceMs: TIMING.brief + 4 * this.learned.commitDelay };
  }

  /** Notes what has been learnt since it was last noted, and helps to take back what is written. */
  noteLearnt(): void {
    const { answers, measuredDelay } = this.learned;
    const { movedTo } = this;
    const learnt: Learnt = {
      node: { answers },
      ...(movedTo !== undefined && { movedTo }),
      receiver: this.receiver ? { answers: this.receiver.answers } : {},
      ...(measuredDelay !== undefined && { commitDelayMs: measuredDelay }),
      ...(this.receiver?.delayMs !== undefined && { statusDelayMs: this.receiver.delayMs }),
    };
    const text = JSON.stringify(learnt);
    if (text !== this.noted) this.note({ learnt });
    this.noted = text;
  }

  override async close(): Promise<void> {
    await Promise.all([super.close(), this.receiver?.close()]);
  }

  private async listTables(): Promise<Table[]> {
    const tables: Table[] = [];
    for (const url of this.targets.marks) {
      for (const type of MARK_TYPES) {
        const asked = `list ${formatUrl(url)} ${type}`;
        tables.push({ url, type, answer: await this.list(url, { table: type, headers: this.userArena(url), asked }) });
      }
    }
    return tables;
  }
}
