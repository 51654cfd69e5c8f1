/** Buckets of the wheel, one a tick: lifetimes up to 68 minutes lie in it, longer ones wait outside. */
const SPAN = 4096;
const FAR = SPAN;
const EXPIRED = SPAN + 1;
const NOWHERE = 0xffff;

/** What the owner does about a slot whose tick has come. */
export type OnDue = (slot: number) => void;

/**
 * A timer wheel over the slots of a table: says which slots are due, without a timer of its own and without
 * a comparison of all with all. Lists are linked through columns, so that a slot costs ten bytes.
 *
 * Three kinds of list, each in the order in which slots were put there: one bucket a tick for slots that are
 * due within 4096 ticks; one for all that are due later or never; one for slots that have expired.
 */
export class ExpiryWheel {
  private readonly heads = new Int32Array(SPAN + 2).fill(-1);
  private readonly tails = new Int32Array(SPAN + 2).fill(-1);
  private next = new Int32Array(0);
  private previous = new Int32Array(0);
  private bucket = new Uint16Array(0);
  /** No bucket before this tick holds a slot. */
  private earliest = 0;

  /** @param cursor The last tick that is over. */
  constructor(public cursor: number) {}

  /** Bytes in use. */
  get bytes(): number {
    return 2 * this.heads.byteLength + this.next.byteLength + this.previous.byteLength + this.bucket.byteLength;
  }

  /** Makes room for slots up to `capacity`. */
  grow(capacity: number): void {
    const next = new Int32Array(capacity);
    const previous = new Int32Array(capacity);
    const bucket = new Uint16Array(capacity).fill(NOWHERE);
    next.set(this.next);
    previous.set(this.previous);
    bucket.set(this.bucket);
    this.next = next;
    this.previous = previous;
    this.bucket = bucket;
  }

  /** Puts a slot where it is due at `tick` (`Infinity`: never). A slot that is in that list already keeps its place. */
  schedule(slot: number, tick: number): void {
    const due = Math.max(tick, this.cursor + 1);
    const isFar = due - this.cursor >= SPAN;
    this.move(slot, isFar ? FAR : due % SPAN);
    if (!isFar && due < this.earliest) this.earliest = due;
  }

  /** Puts a slot at the end of the expired ones. */
  expire(slot: number): void {
    this.move(slot, EXPIRED);
  }

  /** True when the slot is among the expired ones. */
  isExpired(slot: number): boolean {
    return this.bucket[slot] === EXPIRED;
  }

  /** Forgets a slot. */
  remove(slot: number): void {
    const bucket = this.bucket[slot] as number;
    if (bucket === NOWHERE) return;
    const before = this.previous[slot] as number;
    const after = this.next[slot] as number;
    if (before < 0) this.heads[bucket] = after;
    else this.next[before] = after;
    if (after < 0) this.tails[bucket] = before;
    else this.previous[after] = before;
    this.bucket[slot] = NOWHERE;
  }

  /** Forgets all slots. */
  clear(): void {
    this.heads.fill(-1);
    this.tails.fill(-1);
    this.bucket.fill(NOWHERE);
  }

  /** Lets time pass up to and including `tick`; each slot that is due meanwhile is handed out, and must be moved then. */
  advance(tick: number, onDue: OnDue): void {
    const from = this.cursor;
    if (tick <= from) return;
    this.cursor = tick;
    const last = Math.min(tick, from + SPAN);
    for (let passed = Math.max(from + 1, this.earliest); passed <= last; passed++) this.drain(passed % SPAN, onDue);
    this.earliest = Math.max(this.earliest, tick + 1);
    // twice in a turn is often enough to catch every far slot before its tick
    if (Math.floor((2 * tick) / SPAN) !== Math.floor((2 * from) / SPAN)) this.drain(FAR, onDue);
  }

  /** Hands out the slots that come with the tick after the present one: those that may be due before it is over. */
  peek(onSlot: OnDue): void {
    this.drain((this.cursor + 1) % SPAN, onSlot);
  }

  /** Hands out all expired slots, the longest expired first. */
  eachExpired(onSlot: OnDue): void {
    this.drain(EXPIRED, onSlot);
  }

  /** The slot that has been expired for longest, or -1. */
  oldestExpired(): number {
    return this.heads[EXPIRED] as number;
  }

  /** The slot that is due next; then those due later or never, in the order in which they came; -1 for none. */
  nextDue(): number {
    const end = this.cursor + SPAN;
    let tick = Math.max(this.earliest, this.cursor + 1);
    while (tick < end && (this.heads[tick % SPAN] as number) < 0) tick++;
    this.earliest = tick;
    return tick < end ? (this.heads[tick % SPAN] as number) : (this.heads[FAR] as number);
  }

  private drain(bucket: number, onSlot: OnDue): void {
    let slot = this.heads[bucket] as number;
    while (slot >= 0) {
      const after = this.next[slot] as number;
      onSlot(slot);
      slot = after;
    }
  }

  private move(slot: number, bucket: number): void {
    if (this.bucket[slot] === bucket) return;
    this.remove(slot);
    const tail = this.tails[bucket] as number;
    this.previous[slot] = tail;
    this.next[slot] = -1;
    if (tail < 0) this.heads[bucket] = slot;
    else this.next[tail] = slot;
    this.tails[bucket] = slot;
    this.bucket[slot] = bucket;
  }
}
