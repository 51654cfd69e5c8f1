import { RATE_KEYS } from "../defaults";
import { packetKey } from "../marks/mark-key";
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
  private readonly counts = new Map<string, number>();
  private together = 0;

  constructor(private readonly spec: RateSpec) {
    this.length = (spec.window ?? 1) * 1000;
  }

  /** Counts a packet, and tells whether its kind is above the rate now, this packet included. */
  isAbove(packet: PacketView, now: number): boolean {
    const window = Math.floor(now / this.length);
    if (window !== this.window) {
      this.window = window;
      this.together = 0;
      this.counts.clear();
    }
    const amount = this.spec.unit === "bytes" ? packet.length * packet.count : packet.count;
    return this.add(packet, amount) > this.spec.above;
  }

  private add(packet: PacketView, amount: number): number {
    const { per = "source" } = this.spec;
    // Keys of the two families differ in their number of words.
    const key = per === "rule" ? undefined : String(packetKey(tables[per], packet));
    const before = key === undefined ? undefined : this.counts.get(key);
    if (key === undefined || (before === undefined && this.counts.size >= RATE_KEYS)) {
      this.together += amount;
      return this.together;
    }
    this.counts.set(key, (before ?? 0) + amount);
    return (before ?? 0) + amount;
  }
}
