import type { MarkType } from "../../model/mark";
import { formatAddress, parseAddress } from "../packets/address";
import type { PacketView } from "../packets/packet";
import { protocolName, protocolNumber } from "../packets/protocols";
import type { MarkRecord } from "./mark-record";

/** Writes the key that a packet has in a table of this type into `key`. */
export function writePacketKey(type: MarkType, packet: PacketView, key: Int32Array): void {
  let at = 0;
  if (type !== "dhost") {
    key[at++] = packet.s0;
    if (packet.family === 6) {
      key[at++] = packet.s1;
      key[at++] = packet.s2;
      key[at++] = packet.s3;
    }
  }
  if (type !== "shost") {
    key[at++] = packet.d0;
    if (packet.family === 6) {
      key[at++] = packet.d1;
      key[at++] = packet.d2;
      key[at++] = packet.d3;
    }
  }
  if (type === "conn") {
    key[at++] = (packet.sport << 16) | packet.dport;
    key[at] = packet.proto;
  }
}

/**
 * The key of a record of a state file: its family, and a function that writes its words.
 *
 * @throws {TypeError} when an address is missing or none, or when the families differ.
 */
export function recordKey(type: MarkType, record: MarkRecord): { family: 4 | 6; write: (key: Int32Array) => void } {
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
  const write = (key: Int32Array) => {
    let at = 0;
    for (const { w0, w1, w2, w3 } of addresses) {
      key[at++] = w0;
      if (family === 6) {
        key[at++] = w1;
        key[at++] = w2;
        key[at++] = w3;
      }
    }
    if (type === "conn") {
      key[at++] = ((record.sourcePort ?? 0) << 16) | (record.destinationPort ?? 0);
      key[at] = protocolNumber(record.protocol ?? 0);
    }
  };
  return { family, write };
}

/** The address members of a record whose key begins at word `at` of `keys`. */
export function readKey(type: MarkType, family: 4 | 6, keys: Int32Array, at: number): Omit<MarkRecord, "id"> {
  const words = family === 4 ? 1 : 4;
  const address = (first: number) => {
    const [w0 = 0, w1, w2, w3] = keys.subarray(first, first + words);
    return formatAddress(family, w0, w1, w2, w3);
  };
  if (type === "shost" || type === "dhost") return { address: address(at) };
  const pair = { source: address(at), destination: address(at + words) };
  if (type === "sdhost") return pair;
  const ports = keys[at + 2 * words] as number;
  const protocol = protocolName(keys[at + 2 * words + 1] as number);
  return { ...pair, sourcePort: ports >>> 16, destinationPort: ports & 0xffff, protocol };
}
