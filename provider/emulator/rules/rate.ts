import { RATE_KEYS } from "../defaults";
import { KeyTable } from "../marks/key-table";
import { writePacketKey } from "../marks/mark-key";
import { keyWords } from "../marks/mark-record";
import type { PacketView } from "../packets/packet";
import type { RateSpec } from "./rule-schema";

const tables = { source: "shost", destination: "dhost", pair: "sdhost", connection: "conn" } as const;

/**
 * Counts packets in windows of fixed length that begin at multiples of it on the clock: simple, repeatable, and
 * without memory of earlier windows. Keys beyond {@link RATE_KEYS} in one window are counted together as one.
 */
export class RateCounter {
  private window = Number.NaN;
  private readonly length: number;
  private readonly families: { 4: Counts; 6: Counts };
  private readonly type: (typeof tables)[keyof typeof tables] | undefined;
  private readonly bytes: boolean;
  private together = 0;

  constructor(private readonly spec: RateSpec) {
    this.length = (spec.window ?? 1) * 1000;
    this.bytes = spec.unit === "bytes";
    const per = spec.per ?? "source";
    this.type = per === "rule" ? undefined : tables[per];
    const words = (family: 4 | 6) => (this.type ? keyWords(this.type, family) : 1);
    this.families = { 4: new Counts(words(4)), 6: new Counts(words(6)) };
  }

  /** Counts a packet, and tells whether its kind is above the rate now, this packet included. */
  isAbove(packet: PacketView, now: number): boolean {
    const window = Math.floor(now / this.length);
    if (window !== this.window) {
      this.window = window;
      this.together = 0;
      this.families[4].clear();
      this.families[6].clear();
    }
    const amount = this.bytes ? packet.length * packet.count : packet.count;
    return this.add(packet, amount) > this.spec.above;
  }

  private add(packet: PacketView, amount: number): number {
    if (this.type !== undefined) {
      const counts = this.families[packet.family];
      writePacketKey(this.type, packet, counts.key);
      const total = counts.add(amount);
      if (total !== undefined) return total;
    }
    this.together += amount;
    return this.together;
  }
}

/** A counter for each key of a window. */
class Counts {
  private readonly table: KeyTable;
  private counts: Float64Array;

  constructor(words: number) {
    this.table = new KeyTable(words, (capacity) => {
      const counts = new Float64Array(capacity);
      counts.set(this.counts);
      this.counts = counts;
    });
    this.counts = new Float64Array(this.table.capacity);
  }

  get key(): Int32Array {
    return this.table.key;
  }

  /** The count of the key; `undefined` when there is no room for a new one. */
  add(amount: number): number | undefined {
    let slot = this.table.find();
    if (slot < 0) {
      if (this.table.size >= RATE_KEYS) return undefined;
      slot = this.table.add();
      this.counts[slot] = 0;
    }
    const total = (this.counts[slot] as number) + amount;
    this.counts[slot] = total;
    return total;
  }

  clear(): void {
    this.table.clear();
  }
}
