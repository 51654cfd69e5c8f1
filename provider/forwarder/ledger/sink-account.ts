import { z } from "zod";
import { SIZES } from "../defaults";
import type { Loss, LossCause } from "../loss";
import { passing } from "../record/filter";
import { type TableName, takes } from "../table";
import type { Backlog, SinkSpec, SpooledBatch } from "./protocol";
import type { Store } from "./store";

const entryRow = z.object({
  seq: z.number(),
  records: z.number(),
  bytes: z.number(),
  /** When it was taken over: milliseconds since 1970. */
  taken: z.number(),
  /** The same on the clock that is never set. */
  now: z.number(),
  table_id: z.number(),
});

/** A batch as far as sinks count it. */
export type Entry = z.infer<typeof entryRow>;

/** One that a sink does not get. */
type Dropped = Entry & { readonly cause: LossCause };

const sumRow = z.object({ records: z.number(), bytes: z.number() });
const nameRow = z.object({ name: z.string() });
const bodyRow = nameRow.extend({
  position: z.number(),
  records: z.number(),
  body: z.instanceof(Uint8Array<ArrayBuffer>),
});
const knownRow = nameRow.extend({ behind: z.number() });

/** The batches that a sink has to take, behind one of them. */
const UNREAD = "FROM unread CROSS JOIN batches USING (seq) WHERE sink = ? AND seq > ?";

/** When a list came, on both clocks. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly wall: number;
  readonly now: number;
}

function recordsIn(entries: readonly Pick<Entry, "records">[]): number {
  return entries.reduce((sum, { records }) => sum + records, 0);
}

/** Unacknowledged records of one sink: each sink counts for itself, so that a dead one fills no other sink's spool. */
export class SinkAccount {
  /**
   * By key of a table, the reading before which it had every record: infinite of one that is complete. Of any other it missed
   * readings, since it had no room, and gets it anew; 0 where it is not known what it had. Absent: it had changes alone.
   */
  known = new Map<string, number>();
  /** By key of a table, the batch since which it has every record: it may have dropped what those before it name as resent. */
  private readonly completeFrom = new Map<string, number>();
  /** Numbers of tables of which it is known that it lacks records, to be noted in the store. */
  readonly incomplete: number[] = [];
  private records = 0;
  private bytes = 0;
  private oldest: Entry | undefined;
  /** The newest batch that was handed out. */
  private handed = 0;
  /** Dropped after they were handed out: they still arrive, unless the run ends before. */
  private underWay: Dropped[] = [];
  /** Dropped, and not reported yet. */
  private lost: Dropped[] = [];
  /** Bytes of the last whole table that did not fit. */
  tried = 0;

  constructor(
    private readonly store: Store,
    public spec: SinkSpec,
    /** All batches up to here are acknowledged or dropped. */
    public position: number,
    /** Records that were dropped, those that are under way among them. */
    public dropped: number,
    /** Batches up to here are of earlier runs: of their age only the date is known. */
    private readonly earlier: number,
  ) {}

  /** Goes on with these limits and tables, and counts what the store holds for it. */
  become(spec: SinkSpec): void {
    this.spec = spec;
    const sql = "SELECT name, behind FROM known JOIN tables ON id = table_id WHERE sink = ?";
    const rows = this.store.all(knownRow, sql, spec.name);
    const before = (name: string) => (this.isSelecting ? 0 : (this.known.get(name) ?? 0));
    this.known = new Map(rows.map(({ name, behind }) => [name, behind ? before(name) : Number.POSITIVE_INFINITY]));
    const { records, bytes } = this.sumTo(Number.MAX_SAFE_INTEGER);
    this.records = records;
    this.bytes = bytes;
    this.oldest = this.first();
  }

  /** True where it takes some records of its tables alone: it has every record of none. */
  get isSelecting(): boolean {
    return passing(this.spec.only) !== undefined;
  }

  /** True of a table that it is to get anew. */
  isBehind(table: string): boolean {
    return Number.isFinite(this.known.get(table));
  }

  takes(table: TableName): boolean {
    return takes(this.spec.only, table);
  }

  /** Notes a batch that is on the disk for it. */
  add(entry: Entry): void {
    this.records += entry.records;
    this.bytes += entry.bytes;
    this.oldest ??= entry;
  }

  /** The sink has taken all batches up to here. */
  acknowledge(position: number): void {
    this.advance(position);
    const arrived = this.underWay.filter(({ seq }) => seq <= position);
    this.underWay = this.underWay.filter(({ seq }) => seq > position);
    this.dropped -= recordsIn(arrived);
  }

  /**
   * True when `more` bytes do not fit. An empty spool takes any reading, or a large table would never be read.
   *
   * @param reserved Bytes that are about to be added.
   */
  isFullFor(more: number, at: Moment, reserved: number): boolean {
    const { maxBytes } = this.spec.limits;
    if (!this.oldest && reserved === 0) return false;
    return this.isLate(at) || this.bytes + reserved + more > maxBytes;
  }

  /** True when what it missed fits again, as far as it is known. */
  hasRoomAgain(at: Moment): boolean {
    return (
      this.spec.limits.whenFull !== "pause" ||
      !this.isFullFor(Math.max(this.spec.limits.maxBytes / 2, this.tried), at, 0)
    );
  }

  /**
   * Gives up the oldest batches until the limits hold; of those that are too large the last one stays.
   *
   * @returns whether there were any.
   */
  dropOldest(at: Moment): boolean {
    const { maxBytes } = this.spec.limits;
    return this.dropWhile(({ records }) => {
      if (this.isLate(at)) return "age";
      return this.bytes > maxBytes && this.records > records ? "full" : undefined;
    });
  }

  /** Gives up the oldest batches of so many bytes. @returns whether there were any. */
  dropBytes(bytes: number): boolean {
    const rest = this.bytes - bytes;
    return this.dropWhile(() => (this.bytes > rest ? "disk" : undefined));
  }

  /** The batches behind the mark and behind `after`, from the oldest, as `Ledger.next` has them. */
  next(maxRecords: number, after: number): SpooledBatch[] {
    // Reading starts again at the mark: batches handed out before do not arrive any more.
    if (after === 0) {
      this.handed = 0;
      this.lost.push(...this.underWay.splice(0));
    }
    const name = "(SELECT name FROM tables WHERE id = table_id) AS name";
    const sql = `SELECT seq AS position, records, CAST(body AS BLOB) AS body, ${name} ${UNREAD} ORDER BY seq LIMIT 1`;
    const batches: SpooledBatch[] = [];
    let at = Math.max(after, this.position);
    let [records, bytes] = [0, 0];
    for (;;) {
      const batch = this.store.get(bodyRow, sql, this.spec.name, at);
      records += batch?.records ?? 0;
      bytes += batch?.body.length ?? 0;
      const isFull = batches.length > 0 && (records > maxRecords || bytes > SIZES.portionBytes);
      if (!batch || isFull) break;
      const { name: table, ...rest } = batch;
      const had = this.known.get(table) && batch.position >= (this.completeFrom.get(table) ?? 0);
      batches.push({ ...rest, sink: had ? this.spec.name : "" });
      at = batch.position;
    }
    if (batches.length > 0) this.handed = Math.max(this.handed, at);
    return batches;
  }

  backlog(): Backlog {
    const { oldest } = this;
    return {
      name: this.spec.name,
      records: this.records,
      bytes: this.bytes,
      ...(oldest && { oldest: oldest.taken }),
      ...(oldest && oldest.seq > this.earlier && { oldestNow: oldest.now }),
      dropped: this.dropped - recordsIn(this.underWay),
      behind: [...this.known.keys()].filter((table) => this.isBehind(table)),
      limitBytes: this.spec.limits.maxBytes,
    };
  }

  /** It gets all of a table, from this batch on. */
  complete(key: string, from: number): void {
    if (!this.known.get(key)) this.completeFrom.set(key, from);
    this.known.set(key, Number.POSITIVE_INFINITY);
  }

  /** Batches that it missed, since it had no room. */
  miss(key: string, reading: number, entries: readonly Entry[]): void {
    this.known.set(key, Math.min(this.known.get(key) ?? 0, reading));
    this.lost.push(...entries.map((entry): Dropped => ({ ...entry, cause: "missed" })));
  }

  /** Records that are lost and were not reported yet. @param isEnd True when those under way do not arrive any more. */
  takeLost(isEnd: boolean): Loss[] {
    const lost = [...this.lost.splice(0), ...(isEnd ? this.underWay.splice(0) : [])];
    return lost.map(({ table_id, records, taken, cause }) => {
      return { sink: this.spec.name, cause, table: this.nameOf(table_id), records, first: taken, last: taken };
    });
  }

  private lacks(table: number): void {
    const name = this.nameOf(table);
    if (this.isBehind(name)) this.known.set(name, 0);
    else if (this.known.delete(name)) this.incomplete.push(table);
  }

  private nameOf(table: number): string {
    return this.store.get(nameRow, "SELECT name FROM tables WHERE id = ?", table)?.name ?? "";
  }

  private isLate({ wall, now }: Moment): boolean {
    const { oldest } = this;
    const { maxAgeMs } = this.spec.limits;
    if (!oldest || maxAgeMs === 0) return false;
    return (oldest.seq > this.earlier ? now - oldest.now : wall - oldest.taken) > maxAgeMs;
  }

  /** Moves the sink's mark. */
  private advance(position: number): void {
    if (position <= this.position) return;
    const { records, bytes } = this.sumTo(position);
    this.records -= records;
    this.bytes -= bytes;
    this.position = position;
    this.oldest = this.first();
  }

  private dropWhile(causeOf: (oldest: Entry) => LossCause | undefined): boolean {
    const before = this.position;
    for (let { oldest } = this; oldest; oldest = this.oldest) {
      const cause = causeOf(oldest);
      if (cause === undefined) break;
      this.dropped += oldest.records;
      this.lacks(oldest.table_id);
      (oldest.seq <= this.handed ? this.underWay : this.lost).push({ ...oldest, cause });
      this.advance(oldest.seq);
    }
    return this.position !== before;
  }

  private first(): Entry | undefined {
    const sql = `SELECT seq, records, bytes, taken, now, table_id ${UNREAD} ORDER BY seq LIMIT 1`;
    return this.store.get(entryRow, sql, this.spec.name, this.position);
  }

  private sumTo(position: number): z.infer<typeof sumRow> {
    const sql = `SELECT total(records) AS records, total(bytes) AS bytes ${UNREAD} AND seq <= ?`;
    return this.store.get(sumRow, sql, this.spec.name, this.position, position) ?? { records: 0, bytes: 0 };
  }
}
