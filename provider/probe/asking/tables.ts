import { MARK_TYPES, type MarkType } from "../../model/mark";
import { formatUrl, type MarkUrl } from "../../model/resource-url";
import type { Answer } from "./answer";
import type { Targets } from "./targets";

/** One table of marks, and what was answered to its list. */
export interface Table {
  readonly url: MarkUrl;
  readonly type: MarkType;
  readonly answer: Answer;
}

/** What lists a table. */
export interface ListsMarks {
  readonly targets: Targets;
  userArena(url: MarkUrl): Record<string, string>;
  list(
    url: MarkUrl,
    more: { readonly table: MarkType; readonly headers: Record<string, string>; readonly asked: string },
  ): Promise<Answer>;
}

/** The tables of marks of the named profiles, each listed once, at the pace that this process keeps. */
export class Tables {
  /** Milliseconds that the node asked to wait, although lists of one table were kept apart. */
  waited = 0;
  private listed: Promise<Table[]> | undefined;

  constructor(private readonly bench: ListsMarks) {}

  /** Lists every type of every profile, all in one go, since the pace is that of a table. */
  all(): Promise<Table[]> {
    this.listed ??= this.list();
    return this.listed;
  }

  /** The answered table with the shortest list, to ask about again; `undefined` where all were refused. */
  async shortest(): Promise<Table | undefined> {
    const answered = (await this.all()).filter(({ answer }) => !answer.isRefusal);
    return answered.toSorted((a, b) => a.answer.body.length - b.answer.body.length)[0];
  }

  /** Is told when the node turned a list of marks away for coming too soon. */
  turnedAway(waitMs: number): void {
    this.waited = Math.max(this.waited, waitMs);
  }

  private async list(): Promise<Table[]> {
    const tables: Table[] = [];
    for (const url of this.bench.targets.marks) {
      for (const type of MARK_TYPES) {
        const headers = this.bench.userArena(url);
        const asked = `list ${formatUrl(url)} ${type}`;
        tables.push({ url, type, answer: await this.bench.list(url, { table: type, headers, asked }) });
      }
    }
    return tables;
  }
}
