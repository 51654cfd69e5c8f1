import { SIZES } from "../defaults";
import { type TableName, tableOf, takes } from "../table";
import type { Backlog, SinkSpec } from "./protocol";

/** A batch as far as sinks count it. */
export interface Entry {
  readonly seq: number;
  readonly table: TableName;
  readonly records: number;
  readonly bytes: number;
  /** When it was taken over. */
  readonly taken: number;
  /** The same on the clock that is never set, of what this run has taken over. */
  readonly now?: number;
}

/** When a list came, on both clocks. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly wall: number;
  readonly now: number;
}

/** Age of a batch; of one from an earlier run only the date is known. */
function ageOf({ taken, now }: Entry, at: Moment): number {
  return now === undefined ? at.wall - taken : at.now - now;
}

function recordsIn(entries: readonly Entry[]): number {
  return entries.reduce((sum, { records }) => sum + records, 0);
}

/** Unacknowledged records of one sink: each sink counts for itself, so that a dead one fills no other sink's spool. */
export class SinkAccount {
  private unread: Entry[] = [];
  private first = 0;
  private records = 0;
  private bytes = 0;
  /** The newest batch that was handed out. */
  private handed = 0;
  /** Dropped after they were handed out: they arrive all the same, unless the run ends before. */
  private underWay: Entry[] = [];
  /** Bytes of the last whole table that did not fit. */
  tried = 0;

  constructor(
    public spec: SinkSpec,
    /** All batches up to here are acknowledged or dropped. */
    public position: number,
    /** Records that were dropped, those that are under way among them. */
    public dropped: number,
    /** Tables of which it missed a reading, since it had no room: it gets them again with the next one that is told whole. */
    public behind: ReadonlySet<string> = new Set(),
    /** It needs a batch no more. */
    private readonly release: (seq: number) => void = () => {},
  ) {}

  /** Goes on with other limits, or takes other tables: what it has to read and takes no more is given up. */
  become(spec: SinkSpec): void {
    this.spec = spec;
    const unread = this.unread.slice(this.first);
    this.clear();
    for (const entry of unread) if (!this.add(entry)) this.release(entry.seq);
    this.behind = new Set([...this.behind].filter((key) => this.takes(tableOf(key))));
  }

  /** There is no such sink any more: what it has not read is given up. */
  end(): void {
    for (const { seq } of this.unread.slice(this.first)) this.release(seq);
    this.clear();
  }

  takes(table: TableName): boolean {
    return takes(this.spec.only, table);
  }

  /** Notes a batch, when the sink takes it. @returns whether it does. */
  add(entry: Entry): boolean {
    if (entry.seq <= this.position || !this.takes(entry.table)) return false;
    this.unread.push(entry);
    this.records += entry.records;
    this.bytes += entry.bytes;
    return true;
  }

  /** The sink has taken all batches up to here. */
  acknowledge(position: number): void {
    this.advance(position);
    const arrived = this.underWay.filter(({ seq }) => seq <= position);
    this.underWay = this.underWay.filter(({ seq }) => seq > position);
    this.dropped -= recordsIn(arrived);
  }

  /** Moves the sink's mark. */
  private advance(position: number): void {
    this.position = Math.max(this.position, position);
    for (let entry = this.oldest; entry && entry.seq <= this.position; entry = this.oldest) {
      this.records -= entry.records;
      this.bytes -= entry.bytes;
      this.first++;
      this.release(entry.seq);
    }
    if (this.first > 1_000) {
      this.unread = this.unread.slice(this.first);
      this.first = 0;
    }
  }

  /**
   * True when `more` bytes do not fit. An empty spool takes any reading, or a large table would never be read.
   *
   * @param reserved Bytes that are about to be added.
   */
  isFullFor(more: number, at: Moment, reserved: number): boolean {
    const { maxBytes, maxAgeMs } = this.spec.limits;
    const { oldest } = this;
    if (!oldest && reserved === 0) return false;
    const isLate = oldest !== undefined && maxAgeMs > 0 && ageOf(oldest, at) > maxAgeMs;
    return isLate || this.bytes + reserved + more > maxBytes;
  }

  /** True when what it missed fits again, as far as it is known. */
  hasRoomAgain(at: Moment): boolean {
    return !this.isFullFor(Math.max(this.spec.limits.maxBytes / 2, this.tried), at, 0);
  }

  /**
   * Gives up the oldest batches until the limits hold; of those that are too large the last one stays.
   *
   * @returns whether there were any.
   */
  dropOldest(at: Moment): boolean {
    const { maxBytes, maxAgeMs } = this.spec.limits;
    return this.dropWhile((oldest) => {
      const tooMuch = this.bytes > maxBytes && this.unread.length - this.first > 1;
      return tooMuch || (maxAgeMs > 0 && ageOf(oldest, at) > maxAgeMs);
    });
  }

  /** Gives up the oldest batches of so many bytes. @returns whether there were any. */
  dropBytes(bytes: number): boolean {
    const rest = this.bytes - bytes;
    return this.dropWhile(() => this.bytes > rest);
  }

  /** The numbers of the batches behind the mark and behind `after`, from the oldest, as `Ledger.next` has them. */
  next(maxRecords: number, after: number): number[] {
    // Reading from the mark begins anew: batches handed out before do not arrive any more.
    if (after === 0) {
      this.handed = 0;
      this.underWay = [];
    }
    const batches: number[] = [];
    let records = 0;
    let bytes = 0;
    for (let index = this.first; index < this.unread.length; index++) {
      const entry = this.unread[index] as Entry;
      if (entry.seq <= after) continue;
      records += entry.records;
      bytes += entry.bytes;
      if (batches.length > 0 && (records > maxRecords || bytes > SIZES.portionBytes)) break;
      batches.push(entry.seq);
    }
    this.handed = Math.max(this.handed, ...batches.slice(-1));
    return batches;
  }

  backlog(): Backlog {
    const { oldest } = this;
    return {
      name: this.spec.name,
      records: this.records,
      bytes: this.bytes,
      ...(oldest && { oldest: oldest.taken }),
      ...(oldest?.now !== undefined && { oldestNow: oldest.now }),
      dropped: this.dropped - recordsIn(this.underWay),
      behind: [...this.behind],
      limitBytes: this.spec.limits.maxBytes,
    };
  }

  private clear(): void {
    this.unread = [];
    this.first = this.records = this.bytes = 0;
  }

  private get oldest(): Entry | undefined {
    return this.unread[this.first];
  }

  private dropWhile(isToGo: (oldest: Entry) => boolean): boolean {
    const before = this.position;
    for (let { oldest } = this; oldest && isToGo(oldest); oldest = this.oldest) {
      this.dropped += oldest.records;
      if (oldest.seq <= this.handed) this.underWay.push(oldest);
      this.advance(oldest.seq);
    }
    return this.position !== before;
  }
}
