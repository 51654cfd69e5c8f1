import { z } from "zod";
import { formatAddress, parseAddress, type Words } from "./address";

/** Names of L4 protocols and their IANA numbers; any other is written as its number. */
export const PROTOCOLS = {
  icmp: 1,
  igmp: 2,
  tcp: 6,
  udp: 17,
  gre: 47,
  esp: 50,
  icmp6: 58,
  sctp: 132,
} as const;

/** A protocol by name, or any by number (0 to 255). */
export type Protocol = keyof typeof PROTOCOLS | number;

/** Bits of the TCP flags, as in the TCP header (RFC 9293, 3.1). */
export const TCP_FLAGS = { fin: 1, syn: 2, rst: 4, psh: 8, ack: 16, urg: 32, ece: 64, cwr: 128 } as const;

/** A TCP flag by name. */
export type TcpFlag = keyof typeof TCP_FLAGS;

const names = new Map<number, string>(Object.entries(PROTOCOLS).map(([name, number]) => [number, name]));

export function protocolNumber(protocol: Protocol): number {
  return typeof protocol === "number" ? protocol : PROTOCOLS[protocol];
}

/** The name of a protocol, or its number if this package has no name for it. */
export function protocolName(number: number): Protocol {
  return (names.get(number) as Protocol | undefined) ?? number;
}

export function flagBits(flags: readonly TcpFlag[]): number {
  return flags.reduce((bits, flag) => bits | TCP_FLAGS[flag], 0);
}

function flagNames(bits: number): TcpFlag[] {
  return (Object.keys(TCP_FLAGS) as TcpFlag[]).filter((flag) => (bits & TCP_FLAGS[flag]) !== 0);
}

/**
 * A packet. Source and destination are of one address family.
 *
 * @example
 * ```ts
 * emulator.receive([{ from: "203.0.113.9", to: "198.51.100.7", proto: "tcp", dport: 443, flags: ["syn"] }]);
 * ```
 */
export interface Packet {
  /** Source address. */
  readonly from: string;
  /** Destination address; the longest bound prefix that contains it decides on the profile. */
  readonly to: string;
  /** Name or number. */
  readonly proto: Protocol;
  /** Source port, 0 to 65535. Default 0. */
  readonly sport?: number;
  /** Destination port, 0 to 65535. Default 0. */
  readonly dport?: number;
  /** TCP flags. Default none. */
  readonly flags?: readonly TcpFlag[];
  /** Length of the whole packet in bytes, 0 to 65535. Default 64. */
  readonly length?: number;
  /** Number of equal packets. Rules are applied to them once; counters rise by their number. Default 1. */
  readonly count?: number;
  /** Time of arrival, in milliseconds of the clock. Default: now. */
  readonly at?: number;
}

/** A protocol in a file: a name of {@link PROTOCOLS} or a number. */
export const protocolSchema = z
  .union([z.enum(Object.keys(PROTOCOLS) as [keyof typeof PROTOCOLS]), z.int().min(0).max(255)])
  .describe("L4 protocol: a name, or its number (0 to 255)");
export const tcpFlagSchema = z.enum(Object.keys(TCP_FLAGS) as [TcpFlag]);
export const portSchema = z.int().min(0).max(65535);

/** Schema of {@link Packet}; `receive` checks the addresses. */
export const packetSchema = z
  .strictObject({
    from: z.string().describe("source address"),
    to: z.string().describe("destination address"),
    proto: protocolSchema,
    sport: portSchema.optional(),
    dport: portSchema.optional(),
    flags: z.array(tcpFlagSchema).optional(),
    length: portSchema.optional().describe("bytes, default 64"),
    count: z.int().min(1).max(1_000_000_000).optional().describe("number of equal packets, default 1"),
    at: z.number().min(0).optional().describe("time of arrival in milliseconds of the clock; absent: now"),
  })
  .meta({ id: "Packet", description: "a packet that a node receives" });

const DEFAULT_LENGTH = 64;

/** One packet as numbers, for rules; one object is reused for all packets. */
export class PacketView {
  /** Family of both addresses. */
  family: 4 | 6 = 4;
  /** Source address, in words of 32 bits; IPv4 has one. */
  source: Words = [0, 0, 0, 0];
  /** Destination address, in words of 32 bits. */
  destination: Words = [0, 0, 0, 0];
  /** Number of the protocol. */
  proto = 0;
  /** Source port. */
  sport = 0;
  /** Destination port. */
  dport = 0;
  /** Bits of the TCP flags. */
  flags = 0;
  /** Bytes of the whole packet. */
  length = DEFAULT_LENGTH;
  /** Number of equal packets. */
  count = 1;
  /** Time of arrival in milliseconds of the clock, or -1 for "now". */
  at = -1;

  /** Reads a packet that {@link packetSchema} takes. @throws {TypeError} if an address is not valid, or the families differ. */
  read(packet: Packet): this {
    const from = parseAddress(packet.from);
    const to = parseAddress(packet.to);
    if (from.family !== to.family) {
      throw new TypeError(`a packet from ${packet.from} cannot go to ${packet.to}: the address families differ`);
    }
    this.family = from.family;
    this.source = from.words;
    this.destination = to.words;
    this.proto = protocolNumber(packet.proto);
    this.sport = packet.sport ?? 0;
    this.dport = packet.dport ?? 0;
    this.flags = packet.flags ? flagBits(packet.flags) : 0;
    this.length = packet.length ?? DEFAULT_LENGTH;
    this.count = packet.count ?? 1;
    this.at = packet.at ?? -1;
    return this;
  }

  /** The packet, without members that have their default. */
  toPacket(): Packet {
    return {
      from: formatAddress(this.family, this.source),
      to: formatAddress(this.family, this.destination),
      proto: protocolName(this.proto),
      ...(this.sport !== 0 && { sport: this.sport }),
      ...(this.dport !== 0 && { dport: this.dport }),
      ...(this.flags !== 0 && { flags: flagNames(this.flags) }),
      length: this.length,
      ...(this.count !== 1 && { count: this.count }),
      ...(this.at >= 0 && { at: this.at }),
    };
  }
}
