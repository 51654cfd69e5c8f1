import { isUnreachable } from "../../client/errors";
import { MARK_TYPES, type MarkType } from "../../model/mark";
import { formatUrl, type MarkUrl, type ResourceUrl } from "../../model/resource-url";
import { TIMING } from "../timing";
import type { Answer } from "./answer";
import { Asker } from "./asker";
import type { Listing } from "./listing";
import { Skipped, Unclear } from "./outcome";
import type { Receiver } from "./receiver";
import { takeSample } from "./sample";
import type { Watch } from "./set-changes";
import type { Targets } from "./targets";
import { tryStart } from "./trial";
import type { WorkSet } from "./work-set";

/** One table of marks, and the answer to its list. */
export type Table = Listing<MarkUrl> & { readonly table: MarkType };

/** The node, its resources, the set to write to, and the receiver, as points use them. */
export class Bench extends Asker {
  /** The set to write to; absent without permission to write. */
  work: WorkSet | undefined;
  /** Reason why this node cannot be asked any further. */
  blocked: string | undefined;
  receiver: Receiver | undefined;
  private listed: Promise<Table[]> | undefined;
  private sampled: ReturnType<typeof takeSample> | undefined;
  private tried: ReturnType<typeof tryStart> | undefined;

  constructor(
    readonly targets: Targets,
    ...asked: ConstructorParameters<typeof Asker>
  ) {
    super(...asked);
  }

  /** Any url, for questions about the node as a whole. @throws {Skipped} */
  get first(): ResourceUrl {
    if (this.targets.first) return this.targets.first;
    throw new Skipped("no url is named");
  }

  /** The set to write to. @throws {Skipped} */
  get set(): WorkSet {
    if (this.work) return this.work;
    throw new Skipped("nothing may be written");
  }

  /** @throws {Skipped} */
  get signaling(): Receiver {
    if (this.receiver) return this.receiver;
    throw new Skipped("no receiver is asked");
  }

  /**
   * Sends a request that may be too large: some nodes break the connection instead of an answer.
   *
   * @returns `undefined` then. @throws {RequestError} if the node answers other requests no more, either.
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

  /** Repeats a plain insert after a request that was refused. @throws {Unclear} if that is refused as well: the reason is another one. */
  async confirmRefusal(): Promise<void> {
    const plain = await this.set.insert([["203.0.113.128/25", 1]], "plain insert after it");
    if (this.verdicts.judge("insert", plain) !== "success")
      throw new Unclear("a plain insert is refused as well", [plain]);
  }

  /** Every table of every profile, listed once for all points. */
  tables(): Promise<Table[]> {
    this.listed ??= this.listTables();
    return this.listed;
  }

  /** Result of a sample of entries, written once for all points. @throws {Unclear} */
  sample() {
    this.sampled ??= takeSample(this.set, this);
    return this.sampled;
  }

  /** Result of a start and its refusals, tried once for all points. @throws {Unclear} */
  trial() {
    this.tried ??= tryStart(this.signaling);
    return this.tried;
  }

  /** Patience for changes that may have no effect: by the measured delay of commits, they show soon or never. */
  get briefly(): Pick<Watch, "patienceMs"> {
    return { patienceMs: TIMING.brief + 4 * this.learned.commitDelay };
  }

  /** Notes the facts that help to take back writes. */
  noteLearnt(): void {
    const { learned, movedTo, work, receiver } = this;
    this.note({
      learnt: {
        ...{ node: { answers: learned.answers }, movedTo, receiver: { answers: receiver?.answers } },
        ...{ commitDelayMs: learned.measuredDelay, isProved: work?.isProved, statusDelayMs: receiver?.delayMs },
      },
    });
  }

  override async close(): Promise<void> {
    await Promise.all([super.close(), this.receiver?.close()]);
  }

  private async listTables(): Promise<Table[]> {
    const tables: Table[] = [];
    for (const url of this.targets.marks) {
      for (const table of MARK_TYPES) {
        const asked = `list ${formatUrl(url)} ${table}`;
        tables.push({ url, table, answer: await this.list(url, { table, headers: this.userArena(url), asked }) });
      }
    }
    return tables;
  }
}
