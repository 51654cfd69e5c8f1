/** First and last address of an IPv4 prefix as the key of an entry; `undefined` for what is none. Host bits are cut off. */
export function span(text: string): string | undefined {
  const [, address = "", length = "32"] = /^(\d+\.\d+\.\d+\.\d+)(?:\/(\d+))?$/.exec(text) ?? [];
  const octets = address.split(".").map(Number);
  const bits = Number(length);
  if (octets.length !== 4 || octets.some((octet) => octet > 255) || bits > 32) return undefined;
  const size = 2 ** (32 - bits);
  const first = Math.floor(octets.reduce((sum, octet) => sum * 256 + octet, 0) / size) * size;
  return `${first}-${first + size - 1}`;
}

/** The first address, the last one, and the length of an entry. */
export function ends(key: string): { first: string; last: string; length: number } {
  const [from = 0, to = 0] = key.split("-").map(Number);
  return { first: dotted(from), last: dotted(to), length: 32 - Math.log2(to - from + 1) };
}

/** In CIDR, single addresses included. */
export function spelt(key: string): string {
  const { first, length } = ends(key);
  return `${first}/${length}`;
}

/** In CIDR, single addresses bare. */
export function bare(key: string): string {
  const { first, length } = ends(key);
  return length === 32 ? first : `${first}/${length}`;
}

export function isWithin(prefix: string, outer: string): boolean {
  const [from = 0, to = -1] = (span(prefix) ?? "").split("-").map(Number);
  const [first = 0, last = 0] = (span(outer) ?? "").split("-").map(Number);
  return from >= first && to <= last && to >= from;
}

function dotted(number: number): string {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join(".");
}
