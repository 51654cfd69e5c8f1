import { type Packet, PROTOCOLS, portSchema, TCP_FLAGS } from "../packet/packet";
import { seededRandom } from "../time/random";
import {
  checkTraffic,
  drawAddress,
  RandomIntegers,
  type Range,
  senderRanges,
  type TrafficOptions,
  TrafficSource,
  trafficSource,
} from "./traffic-source";

const RESOLVERS_PER_PREFIX = 32;

/**
 * Usual traffic: requests to web servers mostly, some UDP and ICMP, packets of all sizes.
 *
 * @example
 * ```ts
 * await emulator.receiveTraffic(background({ to: ["198.51.100.0/24"] }), 1_000);
 * ```
 */
export function background(options: TrafficOptions): TrafficSource {
  checkTraffic("background", options);
  return trafficSource(options, (packet, random) => {
    const kind = random.below(100);
    packet.sport = random.between(1024, 65535);
    if (kind < 85) {
      const opens = random.below(12) === 0;
      packet.proto = PROTOCOLS.tcp;
      packet.dport = random.below(10) < 8 ? 443 : 80;
      packet.flags = opens ? TCP_FLAGS.syn : TCP_FLAGS.ack | (random.below(3) === 0 ? TCP_FLAGS.psh : 0);
      packet.length = opens ? 60 : random.between(52, 1500);
    } else if (kind < 97) {
      packet.proto = PROTOCOLS.udp;
      packet.dport = random.below(3) === 0 ? 53 : 443;
      packet.length = random.between(60, 1350);
    } else {
      packet.proto = packet.family === 4 ? PROTOCOLS.icmp : PROTOCOLS.icmp6;
      packet.sport = 0;
      packet.length = 84;
    }
  });
}

/**
 * SYN flood: small TCP packets with only SYN set, from everywhere, to one port.
 *
 * @param options `dport`: default 443.
 * @example
 * ```ts
 * await emulator.receiveTraffic(synFlood({ to: ["198.51.100.7"], dport: 80 }), 1_000);
 * ```
 */
export function synFlood(options: TrafficOptions & Pick<Packet, "dport">): TrafficSource {
  checkTraffic("synFlood", options, { dport: portSchema.optional() });
  const { dport = 443 } = options;
  return trafficSource(options, (packet, random) => {
    packet.proto = PROTOCOLS.tcp;
    packet.flags = TCP_FLAGS.syn;
    packet.sport = random.between(1024, 65535);
    packet.dport = dport;
    packet.length = random.below(2) === 0 ? 40 : 60;
  });
}

/**
 * DNS amplification: large UDP answers from port 53 of few resolvers, at most 32 in each prefix of senders.
 *
 * @example
 * ```ts
 * await emulator.receiveTraffic(dnsAmplification({ to: ["198.51.100.7"] }), 1_000);
 * ```
 */
export function dnsAmplification(options: TrafficOptions): TrafficSource {
  checkTraffic("dnsAmplification", options);
  const random = new RandomIntegers(options.seed ?? 1);
  const resolvers = senderRanges(options).flatMap((range) => {
    return Array.from({ length: RESOLVERS_PER_PREFIX }, () => drawAddress(range, random));
  });
  return trafficSource({ ...options, from: resolvers }, (packet, random) => {
    packet.proto = PROTOCOLS.udp;
    packet.sport = 53;
    packet.dport = random.between(1024, 65535);
    packet.length = random.between(1100, 1500);
  });
}

/**
 * Carpet bombing: packets to every address of the recipients' prefixes in turn, too few for each address to be noticed.
 *
 * @example
 * ```ts
 * await emulator.receiveTraffic(carpetBombing({ to: ["198.51.100.0/24"] }), 1_000);
 * ```
 */
export function carpetBombing(options: TrafficOptions): TrafficSource {
  checkTraffic("carpetBombing", options);
  const positions = new Map<Range, number>();
  return trafficSource(options, (packet, random, to) => {
    const position = positions.get(to) ?? 0;
    positions.set(to, (position + 1) | 0);
    packet.proto = PROTOCOLS.udp;
    packet.sport = random.between(1024, 65535);
    packet.dport = random.between(1, 65535);
    packet.length = random.between(400, 1400);
    if (to.family === 4) packet.destination[0] = sweep(to.words[0], to.length, position);
    else packet.destination[3] = sweep(to.words[3], to.length - 96, position);
  });
}

/** The address at a position in a prefix; after the last one the first follows. */
function sweep(word: number, length: number, position: number): number {
  const hostBits = length >= 32 ? 0 : length <= 0 ? -1 : ~(-1 << (32 - length));
  return (word & ~hostBits) | (position & hostBits);
}

/**
 * Mixes several sources by weight.
 *
 * @throws {TypeError} if no weight is above 0.
 * @example
 * ```ts
 * const traffic = mixed(7, [[9, background({ to: ["198.51.100.0/24"] })], [1, synFlood({ to: ["198.51.100.7"] })]]);
 * emulator.receive(traffic.take(1000));
 * ```
 */
export function mixed(
  seed: number,
  sources: readonly (readonly [weight: number, source: TrafficSource])[],
): TrafficSource {
  const possible = sources.filter(([weight]) => weight > 0);
  const total = possible.reduce((sum, [weight]) => sum + weight, 0);
  if (!(total > 0)) throw new TypeError("`sources` must have at least one source with a weight above 0");
  const random = seededRandom(seed);
  return new TrafficSource((packet) => {
    let rest = random() * total;
    const index = possible.findIndex(([weight]) => {
      rest -= weight;
      return rest < 0;
    });
    possible.at(index)?.[1].next(packet);
  });
}
