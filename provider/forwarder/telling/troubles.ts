import { visible } from "../../model/foreign-text";
import { count } from "../../model/text";
import { TIMES } from "../defaults";
import type { SetAside } from "../ledger/protocol";
import type { ForwarderWorld } from "../world";

/** Log of the forwarder: one line an event, with members for programs. Never a secret. */
export interface Log {
  /** Normal events. */
  info(members: Readonly<Record<string, unknown>>, message: string): void;
  /** Troubles that the forwarder repairs by itself. */
  warn(members: Readonly<Record<string, unknown>>, message: string): void;
  /** Troubles that need an operator. */
  error(members: Readonly<Record<string, unknown>>, message: string): void;
}

/** Says what became of a state that was broken. */
export function tellSetAside(log: Log, { file, records }: SetAside): void {
  const held = records === undefined ? "its records cannot be counted" : `it holds ${count(records, "record")}`;
  const message = `The state was broken and is set aside as ${file}: ${held}, and every table starts again. "forward spool" lists, exports and sends the records that can be read.`;
  log.error({ file, records }, message);
}

/** Says nothing. */
export const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };

/** Lines about a subject: when its minute began, those of it, those that were left out, and the last of these. */
interface Limited {
  at: number;
  lines: number;
  leftOut: number;
  last: (more: string) => void;
}

/** Lines of a subject within a minute: that it began, and that it is over. */
const LINES = 2;

/**
 * Present troubles by subject: each is reported once when it begins, again when its words
 * change, and once when it is over. A node that is down for a day is two lines. A subject that flaps has two lines in the first minute
 * and one in each further one, which says what holds then and how many were left out: the rate limit of Vector's own log.
 */
export class Troubles {
  private readonly open = new Map<string, string>();
  private readonly limited = new Map<string, Limited>();

  /** @param clock For the limit. Default: nothing is left out. */
  constructor(
    private readonly log: Log,
    private readonly clock: Pick<ForwarderWorld, "monotonic"> = { monotonic: () => Number.POSITIVE_INFINITY },
  ) {}

  /** Notes that something is wrong. */
  begin(key: string, members: Readonly<Record<string, unknown>>, words: string): void {
    const message = visible(words);
    if (this.open.get(key) === message) return;
    this.open.set(key, message);
    this.say(key, (more) => this.log.warn(members, `${message}${more}`));
  }

  /** Notes that it is over; nothing when nothing was wrong. */
  end(key: string, members: Readonly<Record<string, unknown>>, message: string): void {
    if (this.open.delete(key)) this.say(key, (more) => this.log.info(members, `${message}${more}`));
  }

  /** Writes what was left out for a minute; to be called now and then. @param isEnd True at the end: all that was left out. */
  flush(isEnd = false): void {
    for (const limited of this.limited.values()) {
      if (limited.leftOut === 0) continue;
      if (isEnd) this.write(limited);
      else this.pass(limited);
    }
  }

  /** Drops troubles whose subject is gone. */
  forget(keys: (key: string) => boolean): void {
    for (const map of [this.open, this.limited]) for (const key of map.keys()) if (keys(key)) map.delete(key);
  }

  private say(key: string, line: (more: string) => void): void {
    const limited = this.limited.get(key) ?? { at: Number.NEGATIVE_INFINITY, lines: 0, leftOut: 0, last: line };
    this.limited.set(key, limited);
    limited.last = line;
    limited.leftOut++;
    if (limited.lines < LINES && this.clock.monotonic() - limited.at < TIMES.troubleEveryMs) this.write(limited);
    else this.pass(limited);
  }

  /** Writes the last line if a minute is over, which begins another one. Behind lines that were left out it is the only one of its minute. */
  private pass(limited: Limited): void {
    const now = this.clock.monotonic();
    if (now - limited.at < TIMES.troubleEveryMs) return;
    limited.at = now;
    limited.lines = limited.leftOut > 1 ? LINES - 1 : 0;
    this.write(limited);
  }

  private write(limited: Limited): void {
    const more = limited.leftOut - 1;
    limited.leftOut = 0;
    limited.lines++;
    limited.last(
      more > 0
        ? ` (${count(more, "more line")} about this ${more === 1 ? "was" : "were"} left out in the last minute.)`
        : "",
    );
  }

  get all(): ReadonlyMap<string, string> {
    return this.open;
  }
}
