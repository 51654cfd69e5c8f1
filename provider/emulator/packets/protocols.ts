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

/** The number of a protocol, which may be given by its number already. */
export function protocolNumber(protocol: Protocol): number {
  return typeof protocol === "number" ? protocol : PROTOCOLS[protocol];
}

/** The name of a protocol; the number as it is where this package has no name for it. */
export function protocolName(number: number): Protocol {
  return (names.get(number) as Protocol | undefined) ?? number;
}

/** The bits of a list of flags. */
export function flagBits(flags: readonly TcpFlag[]): number {
  return flags.reduce((bits, flag) => bits | TCP_FLAGS[flag], 0);
}

/** The flags of a bit field, in the order of the bits. */
export function flagNames(bits: number): TcpFlag[] {
  return (Object.keys(TCP_FLAGS) as TcpFlag[]).filter((flag) => (bits & TCP_FLAGS[flag]) !== 0);
}
