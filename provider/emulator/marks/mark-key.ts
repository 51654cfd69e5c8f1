import type { MarkType } from "../../model/mark";
import type { Prefix } from "../../model/prefix";
import { formatAddress, maskWord, parseAddress, prefixWords, wordsInUse } from "../packet/address";
import { type PacketView, protocolName, protocolNumber } from "../packet/packet";
import type { MarkRecord } from "./mark-record";
import type { MarkKey } from "./mark-table";

/** The key of a packet in a table of this type: the words of its addresses, then ports and protocol. */
export function packetKey(type: MarkType, packet: PacketView): MarkKey {
  const { family, source, destination, sport, dport, proto } = packet;
  if (type === "shost") return wordsInUse(family, source);
  if (type === "dhost") return wordsInUse(family, destination);
  const pair = family === 4 ? [source[0], destination[0]] : [...source, ...destination];
  return type === "sdhost" ? pair : [...pair, sport, dport, proto];
}

/**
 * The key of a record of a state file, and its family.
 *
 * @throws {TypeError} if an address is missing or wrong, or the families differ.
 */
export function recordKey(type: MarkType, record: MarkRecord): { family: 4 | 6; key: MarkKey } {
  const single = type === "shost" || type === "dhost";
  const texts = single ? [record.address] : [record.source, record.destination];
  const addresses = texts.map((text) => {
    if (text !== undefined) return parseAddress(text);
    throw new TypeError(`a record of ${type} needs ${single ? "`address`" : "`source` and `destination`"}`);
  });
  const family = addresses[0]?.family ?? 4;
  if (addresses.some((address) => address.family !== family)) {
    throw new TypeError(`a mark from ${record.source} to ${record.destination}: the address families differ`);
  }
  const key = addresses.flatMap(({ words }) => wordsInUse(family, words));
  if (type !== "conn") return { family, key };
  const { sourcePort = 0, destinationPort = 0, protocol = 0 } = record;
  return { family, key: [...key, sourcePort, destinationPort, protocolNumber(protocol)] };
}

/** The address members of a record from its key; `length` is appended to each address. */
export function readKey(type: MarkType, family: 4 | 6, key: MarkKey, length = ""): Omit<MarkRecord, "id"> {
  const words = family === 4 ? 1 : 4;
  const address = (at: number) => formatAddress(family, key.slice(at, at + words)) + length;
  if (type === "shost" || type === "dhost") return { address: address(0) };
  const pair = { source: address(0), destination: address(words) };
  if (type === "sdhost") return pair;
  const [sourcePort, destinationPort, protocol = 0] = key.slice(2 * words);
  return { ...pair, sourcePort, destinationPort, protocol: protocolName(protocol) } as Omit<MarkRecord, "id">;
}

/** Tests keys of a table for an address inside a prefix. */
export function hasAddressIn(type: MarkType, prefix: Prefix): (family: 4 | 6, key: MarkKey) => boolean {
  const { family: prefixFamily, words: all, length } = prefixWords(prefix);
  const words = wordsInUse(prefixFamily, all);
  const isInside = (key: MarkKey, from: number) =>
    words.every((word, at) => maskWord(key[from + at] ?? 0, 32 * at, length) === word);
  const isPair = type === "sdhost" || type === "conn";
  return (family, key) => family === prefixFamily && (isInside(key, 0) || (isPair && isInside(key, words.length)));
}
