import { compareNames, some } from "../model/text";
import type { Notices } from "./notices";

/** The set that a notice is about, and where it is. */
export interface NoticePlace {
  readonly url: string;
  /** How messages call the node, where it is known. */
  readonly at: string | undefined;
}

/** Says something of a set: at once, or together with what is said of the same set elsewhere. */
export interface SetNotices {
  info(place: NoticePlace, text: string): void;
  warn(place: NoticePlace, text: string): void;
}

/** Each notice at once, in a line of its own. */
export function eachAtOnce(notices: Notices): SetNotices {
  return {
    info: ({ url, at }, text) => notices.info(line(url, at, text)),
    warn: ({ url, at }, text) => notices.warn(line(url, at, text)),
  };
}

/** Notices of a set on many nodes: those of which the same is said share a line, which names a few. */
export class FoldedNotices implements SetNotices {
  private readonly said = new Map<string, { kind: "info" | "warn"; url: string; at: Set<string>; text: string }>();

  constructor(private readonly notices: Notices) {}

  info(place: NoticePlace, text: string): void {
    this.add("info", place, text);
  }

  warn(place: NoticePlace, text: string): void {
    this.add("warn", place, text);
  }

  /** Shows what was said so far, of the most nodes first, whichever was done first. */
  flush(): void {
    const lines = [...this.said.values()].map((notice) => ({ ...notice, at: [...notice.at].sort(compareNames) }));
    lines.sort((a, b) => b.at.length - a.at.length || compareNames(a.text, b.text));
    for (const { kind, url, at, text } of lines)
      this.notices[kind](line(url, at.length > 0 ? some(at) : undefined, text));
    this.said.clear();
  }

  private add(kind: "info" | "warn", { url, at }: NoticePlace, text: string): void {
    const key = JSON.stringify([kind, url, text]);
    const notice = this.said.get(key) ?? { kind, url, at: new Set(), text };
    if (at !== undefined) notice.at.add(at);
    this.said.set(key, notice);
  }
}

function line(url: string, at: string | undefined, text: string): string {
  return `Set ${url}${at === undefined ? "" : ` on ${at}`}: ${text}`;
}
