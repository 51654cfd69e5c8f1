import { z } from "zod";
import type { PrefixLike } from "../../model/given-entries";
import { Prefix } from "../../model/prefix";
import { type Address, formatAddress, maskWord, prefixWords } from "../packet/address";
import { type Packet, PacketView } from "../packet/packet";
import { seededRandom } from "../time/random";
import { strictly } from "../validation/strict";

/** Senders, recipients and rate of traffic. */
export interface TrafficOptions {
  /** Seed of random choices. Default 1. */
  readonly seed?: number;
  /** Prefixes of recipients, all equally likely. */
  readonly to: readonly PrefixLike[];
  /** Prefixes of senders. Default: the documentation prefixes 203.0.113.0/24 and 2001:db8:bad::/48. */
  readonly from?: readonly PrefixLike[];
  /** Rate, which gives the packets evenly spaced times (`at`). Default: they arrive when they are received. */
  readonly packetsPerSecond?: number;
  /** With `packetsPerSecond`: the time of the first packet, in milliseconds of the clock. Default 0. */
  readonly start?: number;
}

const given = z.union([z.string(), z.custom<Prefix>((one) => one instanceof Prefix)]);

const optionsSchema = z.strictObject({
  seed: z.int().min(0).optional(),
  to: z.array(given),
  from: z.array(given).min(1).optional(),
  packetsPerSecond: z.number().positive().optional(),
  start: z.number().optional(),
} satisfies Record<keyof TrafficOptions, z.ZodType>);

/** Checks the options of a kind of traffic, with its own ones. @throws {TypeError} naming the mistake. */
export function checkTraffic(kind: string, options: unknown, own: Record<string, z.ZodType> = {}): void {
  strictly(optionsSchema.extend(own), options, `${kind}()`);
}

/** A prefix from which addresses are drawn. */
export type Range = Address & { readonly length: number };

/** Fills in the packets of one kind of traffic. Takes a packet with random addresses of the ranges, which it may change. */
export type Shape = (packet: PacketView, random: RandomIntegers, to: Range) => void;

/**
 * An endless source of packets. Iterate it for packet objects, or call `next` with a view of your own for millions each
 * second.
 *
 * @example
 * ```ts
 * const source = synFlood({ to: ["198.51.100.7"], seed: 7 });
 * for (const packet of source.take(3)) console.log(packet.from);
 * ```
 */
export class TrafficSource implements Iterable<Packet> {
  /** @param next Writes the next packet into a view. */
  constructor(readonly next: (packet: PacketView) => void) {}

  *[Symbol.iterator](): Generator<Packet, never> {
    for (;;) yield this.packet();
  }

  /** The next `count` packets. */
  take(count: number): Packet[] {
    return Array.from({ length: count }, () => this.packet());
  }

  private packet(): Packet {
    const view = new PacketView();
    this.next(view);
    return view.toPacket();
  }
}

const DEFAULT_SENDERS = ["203.0.113.0/24", "2001:db8:bad::/48"];

/**
 * A source of one kind of traffic.
 *
 * @throws {TypeError} if `to` is empty, a prefix is not valid, or recipients of a family have no senders.
 */
export function trafficSource(options: TrafficOptions, shape: Shape): TrafficSource {
  const { seed = 1, packetsPerSecond, start = 0 } = options;
  const recipients = ranges(options.to);
  const senders = senderRanges(options);
  const sendersOf = {
    4: senders.filter(({ family }) => family === 4),
    6: senders.filter(({ family }) => family === 6),
  };
  if (recipients.length === 0) throw new TypeError("`to` must name at least one prefix");
  for (const { family } of recipients) {
    if (sendersOf[family].length === 0)
      throw new TypeError(`\`from\` must name an IPv${family} prefix, as \`to\` does`);
  }
  const random = new RandomIntegers(seed);
  let made = 0;
  return new TrafficSource((packet) => {
    const to = recipients[random.below(recipients.length)] as Range;
    const possible = sendersOf[to.family];
    const from = possible[random.below(possible.length)] as Range;
    packet.family = to.family;
    packet.source[0] = draw(from, 0, random);
    packet.destination[0] = draw(to, 0, random);
    if (to.family === 6) {
      for (const at of [1, 2, 3] as const) packet.source[at] = draw(from, at, random);
      for (const at of [1, 2, 3] as const) packet.destination[at] = draw(to, at, random);
    }
    packet.sport = 0;
    packet.dport = 0;
    packet.flags = 0;
    packet.count = 1;
    packet.at = packetsPerSecond === undefined ? -1 : start + (made++ * 1000) / packetsPerSecond;
    shape(packet, random, to);
  });
}

/** A word of an address in a range: the bits of the prefix, then random ones. */
function draw({ words, length }: Range, at: 0 | 1 | 2 | 3, random: RandomIntegers): number {
  const kept = maskWord(-1, 32 * at, length);
  return kept === -1 ? words[at] : words[at] | (random.word() & ~kept);
}

export function senderRanges(options: TrafficOptions): Range[] {
  return ranges(options.from ?? DEFAULT_SENDERS);
}

export function drawAddress(range: Range, random: RandomIntegers): string {
  const words = ([0, 1, 2, 3] as const).map((at) => draw(range, at, random));
  return formatAddress(range.family, words);
}

function ranges(prefixes: readonly PrefixLike[]): Range[] {
  return prefixes.map((one) => prefixWords(one instanceof Prefix ? one : Prefix.parse(one)));
}

/** Random integers for packets; the same for the same seed. */
export class RandomIntegers {
  private readonly next: () => number;

  /** @param seed Any integer. */
  constructor(seed: number) {
    this.next = seededRandom(seed);
  }

  /** 32 random bits, as a signed integer. */
  word(): number {
    return (this.next() * 2 ** 32) | 0;
  }

  /** An integer from 0 up to and without `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** An integer from `from` to `to`, both included. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1);
  }
}
