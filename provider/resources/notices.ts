import { compareNames, some } from "../model/text";

/** Messages to the user during a deployment, beside errors. */
export class Notices {
  private readonly said = new Set<string>();
  /** Messages about several subjects alike, by subject. */
  private readonly alike = new Map<string, { readonly all: unknown[]; readonly text: () => string }>();
  private works = 0;

  /** @param print Shows one line. */
  constructor(private readonly print: (line: string) => void) {}

  /** Shows a line once; the engine asks the same question twice for one resource. */
  info(line: string): void {
    if (this.said.has(line)) return;
    this.said.add(line);
    this.print(line);
  }

  /** Shows a warning, once. */
  warn(message: string): void {
    this.info(`warning: ${message}`);
  }

  /**
   * Shows a warning of which others may have the same, each with something of its own: at once, or in work on many nodes
   * together with theirs, at its end.
   *
   * @param about What all have in common.
   * @param words Makes one sentence of what they have of their own.
   */
  warnAlike<T>(about: string, own: T, words: (all: readonly T[]) => string): void {
    const all: T[] = [];
    const alike = this.alike.get(about) ?? { all, text: () => words(all) };
    alike.all.push(own);
    this.alike.set(about, alike);
    if (this.works === 0) this.sayAlike();
  }

  /** Carries out work on many nodes. */
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
export interface NoticePlace {
  readonly url: string;
  /** Name of the node in messages, if it is known. */
  readonly at: string | undefined;
}

/** Says something of a set: at once, or together with what is said of the same set elsewhere. */
export interface SetNotices {
  info(place: NoticePlace, text: string): void;
  warn(place: NoticePlace, text: string): void;
  /** Warns of what a look saw, in a sentence that the set begins. */
  seen(place: NoticePlace, text: string): void;
}

/** Each notice at once, in a line of its own. */
export function eachAtOnce(notices: Notices): SetNotices {
  return {
    info: ({ url, at }, text) => notices.info(line(url, at, text)),
    warn: ({ url, at }, text) => notices.warn(line(url, at, text)),
    seen: ({ url, at }, text) => notices.warn(seenLine(url, at, text)),
  };
}

/** Notices of a set on many nodes: those of which the same is said share a line, which names a few. */
export class FoldedNotices implements SetNotices {
  private readonly said = new Map<
    string,
    { kind: "info" | "warn" | "seen"; url: string; at: Set<string>; text: string }
  >();

  constructor(private readonly notices: Notices) {}

  info(place: NoticePlace, text: string): void {
    this.add("info", place, text);
  }

  warn(place: NoticePlace, text: string): void {
    this.add("warn", place, text);
  }

  seen(place: NoticePlace, text: string): void {
    this.add("seen", place, text);
  }

  /** Shows what was said so far, of the most nodes first, whichever was done first. */
  flush(): void {
    const lines = [...this.said.values()].map((notice) => ({ ...notice, at: [...notice.at].sort(compareNames) }));
    lines.sort((a, b) => b.at.length - a.at.length || compareNames(a.text, b.text));
    const one = eachAtOnce(this.notices);
    for (const { kind, url, at, text } of lines) one[kind]({ url, at: at.length > 0 ? some(at) : undefined }, text);
    this.said.clear();
  }

  private add(kind: "info" | "warn" | "seen", { url, at }: NoticePlace, text: string): void {
    const key = JSON.stringify([kind, url, text]);
    const notice = this.said.get(key) ?? { kind, url, at: new Set(), text };
    if (at !== undefined) notice.at.add(at);
    this.said.set(key, notice);
  }
}

function seenLine(url: string, at: string | undefined, text: string): string {
  return `${at === undefined ? "" : `${at} `}${url} ${text}`;
}

function line(url: string, at: string | undefined, text: string): string {
  return `Set ${url}${at === undefined ? "" : ` on ${at}`}: ${text}`;
}
