import { MARK_TYPES, type MarkType } from "../../model/mark";
import {
  type ArenaUrl,
  formatUrl,
  type MarkUrl,
  type PrefixSetUrl,
  type ProfileUrl,
  type ResourceUrl,
} from "../../model/resource-url";
import type { Answer } from "./answer";

/**
 * What is asked about: the urls that were named, the arenas and profiles that they lie in, and where no profile is named
 * the first one that the arena lists.
 */
export class Targets {
  readonly sets: readonly PrefixSetUrl[];
  readonly arenas: readonly ArenaUrl[];
  private readonly named: ReadonlySet<string>;
  private readonly profilesOf: Map<string, { readonly arena: string; readonly profile: string }>;

  constructor(urls: readonly ResourceUrl[]) {
    this.named = new Set(urls.map(formatUrl));
    this.sets = urls.filter((url) => url.kind === "prefixset");
    const arenas = new Map(urls.map(({ arena }) => [arena, { kind: "arena", arena } as const]));
    this.arenas = [...arenas.values()];
    const within = urls.flatMap((url) =>
      url.kind === "arena" || url.profile === undefined ? [] : [{ arena: url.arena, profile: url.profile }],
    );
    this.profilesOf = new Map(within.map((one) => [`${one.arena}/${one.profile}`, one]));
  }

  get profiles(): readonly ProfileUrl[] {
    return [...this.profilesOf.values()].map((one) => ({ kind: "profile", ...one }));
  }

  get marks(): readonly MarkUrl[] {
    return [...this.profilesOf.values()].map((one) => ({ kind: "mark", ...one }));
  }

  /** Any of them, for questions about the node as a whole. */
  get first(): ResourceUrl | undefined {
    return this.sets[0] ?? this.arenas[0];
  }

  /** True for a url that the user wrote; a refusal of any other is no failure. */
  isNamed(url: ResourceUrl): boolean {
    return this.named.has(formatUrl(url));
  }

  /** A profile that a list showed, where none was named. */
  offer(arena: string, profile: string): void {
    if (this.profilesOf.size === 0) this.profilesOf.set(`${arena}/${profile}`, { arena, profile });
  }
}

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
