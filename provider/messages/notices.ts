import { compareNames, some } from "../model/text";

/** Messages to the user during a deployment, beside errors. */
export class Notices {
  private readonly said = new Set<string>();
  /** Messages about several subjects alike, by subject. */
  private readonly alike = new Map<
    string,
    { readonly all: { at: string; own: unknown }[]; readonly text: () => string }
  >();
  private works = 0;

  constructor(private readonly print: (line: string) => void) {}

  /** Shows a line once; the engine asks the same question twice for one resource. */
  info(line: string): void {
    if (this.said.has(line)) return;
    this.said.add(line);
    this.print(line);
  }

  warn(message: string): void {
    this.info(`warning: ${message}`);
  }

  /**
   * Shows a warning that several subjects may share: at once, or at the end of work on many nodes as one sentence.
   *
   * @param about Common part of these warnings.
   * @param at Name of this subject.
   * @param own Part of this subject.
   * @param words Makes one sentence of the parts of all subjects, in the order of their names.
   */
  warnAlike<T>(about: string, at: string, own: T, words: (all: readonly T[]) => string): void {
    const all: { at: string; own: unknown }[] = [];
    const sorted = () => all.toSorted((a, b) => compareNames(a.at, b.at)).map((it) => it.own as T);
    const alike = this.alike.get(about) ?? { all, text: () => words(sorted()) };
    alike.all.push({ at, own });
    this.alike.set(about, alike);
    if (this.works === 0) this.sayAlike();
  }

  /** Carries out work on many nodes, whose shared warnings wait for its end. */
  async together<T>(work: () => Promise<T>): Promise<T> {
    this.works += 1;
    try {
      return await work();
    } finally {
      this.works -= 1;
      if (this.works === 0) this.sayAlike();
    }
  }

  private sayAlike(): void {
    for (const { text } of this.alike.values()) this.warn(text());
    this.alike.clear();
  }
}

/** Shows a line as one of the stack: the engine takes what a dynamic provider prints. */
export function toEngine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The set that a notice is about, and where it is. */
interface NoticePlace {
  readonly url: string;
  /** Name of the node in messages, if it is known. */
  readonly at: string | undefined;
}

/** A message or a warning about a set, or a warning about the result of a look: a sentence that the set begins. */
type NoticeKind = "info" | "warn" | "seen";

/** Reports something about a set: at once, or together with the same text about other nodes. */
export type SayOfSet = (kind: NoticeKind, place: NoticePlace, text: string) => void;

/** Each notice at once, in a line of its own. */
export function eachAtOnce(notices: Notices): SayOfSet {
  return (kind, { url, at }, text) => {
    if (kind === "seen") notices.warn(`${at === undefined ? "" : `${at} `}${url} ${text}`);
    else notices[kind](`Set ${url}${at === undefined ? "" : ` on ${at}`}: ${text}`);
  };
}

/** Notices of a set on many nodes: equal texts share a line, which names a few nodes. */
export class FoldedNotices {
  private readonly said = new Map<string, { kind: NoticeKind; url: string; at: Set<string>; text: string }>();

  constructor(private readonly notices: Notices) {}

  /** Keeps a notice for {@link flush}. */
  readonly say: SayOfSet = (kind, { url, at }, text) => {
    const key = JSON.stringify([kind, url, text]);
    const notice = this.said.get(key) ?? { kind, url, at: new Set(), text };
    if (at !== undefined) notice.at.add(at);
    this.said.set(key, notice);
  };

  /** Shows the notices, those about the most nodes first, in whatever order they came. */
  flush(): void {
    const lines = [...this.said.values()].map((notice) => ({ ...notice, at: [...notice.at].sort(compareNames) }));
    lines.sort((a, b) => b.at.length - a.at.length || compareNames(a.text, b.text));
    const say = eachAtOnce(this.notices);
    for (const { kind, url, at, text } of lines) say(kind, { url, at: at.length > 0 ? some(at) : undefined }, text);
    this.said.clear();
  }
}
