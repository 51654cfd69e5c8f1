const MIN_CAPACITY = 64;

/**
 * A hash table from keys of a fixed number of 32-bit words to slots: small integers with which the owner
 * addresses columns of its own. Open addressing with linear probing over one `Int32Array`; at most half of the
 * cells are taken, and a removal closes its gap, so that nothing gets slower with age.
 *
 * A key is looked up by writing it into {@link key} first: no object is made for it.
 */
export class KeyTable {
  /** The key that {@link find} and {@link add} work with. */
  readonly key: Int32Array;
  /** The keys of all slots, `words` a slot. Replaced when the table grows. */
  keys: Int32Array;
  /** Slots that were ever given out: all slots in use are below. */
  used = 0;
  /** Slots in use. */
  size = 0;
  /** Slots there is room for. */
  capacity: number;
  /** Cells hold slot + 1; 0 is an empty cell. */
  private cells: Int32Array;
  /** First of the slots that were given back, linked through the first word of their keys; -1 for none. */
  private free = -1;

  constructor(
    /** Words in a key. */
    readonly words: number,
    /** Called with the new capacity before a slot beyond the old one is given out. */
    private readonly onGrow: (capacity: number) => void = () => {},
  ) {
    this.key = new Int32Array(words);
    this.capacity = MIN_CAPACITY;
    this.keys = new Int32Array(words * MIN_CAPACITY);
    this.cells = new Int32Array(2 * MIN_CAPACITY);
  }

  /** Bytes in use for keys and cells. */
  get bytes(): number {
    return this.keys.byteLength + this.cells.byteLength;
  }

  /** The slot of {@link key}, or -1. */
  find(): number {
    const { key, keys, cells, words } = this;
    const mask = cells.length - 1;
    for (let cell = hash(key, 0, words) & mask; ; cell = (cell + 1) & mask) {
      const slot = (cells[cell] as number) - 1;
      if (slot < 0) return -1;
      const first = slot * words;
      let word = 0;
      while (word < words && keys[first + word] === key[word]) word++;
      if (word === words) return slot;
    }
  }

  /** A slot for {@link key}, which must not be in the table. */
  add(): number {
    let slot = this.free;
    if (slot >= 0) this.free = this.keys[slot * this.words] as number;
    else {
      if (this.used === this.capacity) this.grow();
      slot = this.used++;
    }
    this.keys.set(this.key, slot * this.words);
    this.place(slot);
    this.size++;
    return slot;
  }

  /** Takes the key of `slot` out and gives the slot back. */
  remove(slot: number): void {
    const { cells, keys, words } = this;
    const mask = cells.length - 1;
    let hole = hash(keys, slot * words, words) & mask;
    while (cells[hole] !== slot + 1) hole = (hole + 1) & mask;
    for (let cell = (hole + 1) & mask; cells[cell] !== 0; cell = (cell + 1) & mask) {
      const home = hash(keys, ((cells[cell] as number) - 1) * words, words) & mask;
      // an entry may move back into the hole only if that does not put it before its home cell
      if (((cell - home) & mask) >= ((cell - hole) & mask)) {
        cells[hole] = cells[cell] as number;
        hole = cell;
      }
    }
    cells[hole] = 0;
    keys[slot * words] = this.free;
    this.free = slot;
    this.size--;
  }

  /** Takes all keys out; the room stays. */
  clear(): void {
    if (this.used === 0) return;
    this.cells.fill(0);
    this.used = 0;
    this.size = 0;
    this.free = -1;
  }

  private grow(): void {
    this.capacity *= 2;
    const keys = new Int32Array(this.words * this.capacity);
    keys.set(this.keys);
    this.keys = keys;
    this.cells = new Int32Array(2 * this.capacity);
    // no slot is free here: growth happens only when all are in use
    for (let slot = 0; slot < this.used; slot++) this.place(slot);
    this.onGrow(this.capacity);
  }

  private place(slot: number): void {
    const { cells } = this;
    const mask = cells.length - 1;
    let cell = hash(this.keys, slot * this.words, this.words) & mask;
    while (cells[cell] !== 0) cell = (cell + 1) & mask;
    cells[cell] = slot + 1;
  }
}

/** Mixes all words (the finalizer of MurmurHash3), so that neighbouring addresses do not share cells. */
function hash(words: Int32Array, first: number, count: number): number {
  let mixed = 0x2545f491;
  for (let index = first; index < first + count; index++) {
    mixed = Math.imul(mixed ^ (words[index] as number), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    mixed ^= mixed >>> 16;
  }
  return mixed;
}
