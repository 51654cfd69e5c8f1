import { visible } from "../../model/foreign-text";
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
  const held = records === undefined ? "its records cannot be counted" : `it holds ${records} records`;
  const message = `The state was broken and is set aside as ${file}: ${held}, and every table starts again. "forward spool" lists, exports and sends the records that can be read.`;
  log.error({ file, records }, message);
}

/** Says nothing. */
export const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };

/** A subject that may flap: when its last line was written, and the lines since that were left out. */
interface Limited {
  at: number;
  lines: number;
  leftOut: number;
  last: (more: string) => void;
}

/** Lines of a subject within a minute: that it began, and that it is over. */
const LINES = 2;

/** True for troubles of deliveries: a sink may fail and recover with each of them. */
const flaps = (key: string): boolean => /^(sink|stuck)\//.test(key);

/**
 * Present troubles by subject: each is reported once when it begins, again when its words
 * change, and once when it is over. A node that is down for a day is two lines. So is a sink that flaps for a minute: further
 * lines are left out, and the next one says how many and what holds then.
 */
export class Troubles {
  private readonly open = new Map<string, string>();
  private readonly limited = new Map<string, Limited>();

  /** @param clock For what flaps. Default: nothing is left out. */
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

  /** Writes what was left out for a minute; to be called now and then. */
  flush(): void {
    for (const limited of this.limited.values()) if (limited.leftOut > 0) this.pass(limited);
  }

  /** Drops troubles whose subject is gone. */
  forget(keys: (key: string) => boolean): void {
    for (const key of this.open.keys()) if (keys(key)) this.open.delete(key);
  }

  private say(key: string, line: (more: string) => void): void {
    if (!flaps(key)) {
      line("");
      return;
    }
    const limited = this.limited.get(key) ?? { at: Number.NEGATIVE_INFINITY, lines: 0, leftOut: 0, last: line };
    this.limited.set(key, limited);
    limited.last = line;
    limited.leftOut++;
    if (limited.lines < LINES && this.clock.monotonic() - limited.at < TIMES.troubleEveryMs) this.write(limited);
    else this.pass(limited);
  }

  /** Writes the last line if a minute is over, which begins another one. */
  private pass(limited: Limited): void {
    const now = this.clock.monotonic();
    if (now - limited.at < TIMES.troubleEveryMs) return;
    limited.at = now;
    limited.lines = 0;
    this.write(limited);
  }

  private write(limited: Limited): void {
    const more = limited.leftOut - 1;
    limited.leftOut = 0;
    limited.lines++;
    limited.last(more > 0 ? ` (${more} more lines about this were left out in the last minute.)` : "");
  }

  /** Present troubles. */
  get all(): ReadonlyMap<string, string> {
    return this.open;
  }
}
