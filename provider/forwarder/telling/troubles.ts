import { visible } from "../../model/foreign-text";
import type { SetAside } from "../ledger/protocol";

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

/**
 * Present troubles by subject: each is reported once when it begins, again when its words
 * change, and once when it is over. A node that is down for a day is two lines.
 */
export class Troubles {
  private readonly open = new Map<string, string>();

  constructor(private readonly log: Log) {}

  /** Notes that something is wrong. */
  begin(key: string, members: Readonly<Record<string, unknown>>, words: string): void {
    const message = visible(words);
    if (this.open.get(key) === message) return;
    this.open.set(key, message);
    this.log.warn(members, message);
  }

  /** Notes that it is over; nothing when nothing was wrong. */
  end(key: string, members: Readonly<Record<string, unknown>>, message: string): void {
    if (this.open.delete(key)) this.log.info(members, message);
  }

  /** Drops troubles whose subject is gone. */
  forget(keys: (key: string) => boolean): void {
    for (const key of this.open.keys()) if (keys(key)) this.open.delete(key);
  }

  /** Present troubles. */
  get all(): ReadonlyMap<string, string> {
    return this.open;
  }
}
