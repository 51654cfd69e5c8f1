import { type HostBits, isCanonical } from "../model/prefix";
import { prefixIn } from "../model/readable";
import { looksLikeAddress } from "./range";

/** True for one address without a length. */
export function isBareAddress(text: string): boolean {
  return looksLikeAddress(text) && !text.includes("/");
}

/**
 * The prefix length in a number, in its text (`24`, `/24`) or in a netmask (`255.255.255.0`, `0xffffff00`); `undefined` for
 * anything else. A wildcard mask is none: 255.255.255.255 among some would be all addresses.
 */
export function lengthIn(content: unknown): number | undefined {
  if (typeof content === "number")
    return Number.isInteger(content) && content >= 0 && content <= 128 ? content : undefined;
  if (typeof content !== "string") return undefined;
  const text = content.trim();
  if (/^\/?\d{1,3}$/.test(text)) return lengthIn(Number(text.replace("/", "")));
  if (/^(?:0x)?[0-9a-f]{8}$/i.test(text) && /^(?:0x)?f/i.test(text))
    return ones(BigInt(`0x${text.replace(/^0x/i, "")}`).toString(2));
  if (!isBareAddress(text)) return undefined;
  const mask = prefixIn(text);
  return mask && ones(mask.bits.toString(2).padStart(mask.length, "0"));
}

/** Number of digits 1, if all are at the beginning. */
function ones(digits: string): number | undefined {
  return /^1*0*$/.test(digits) ? digits.lastIndexOf("1") + 1 : undefined;
}

/**
 * True if a bare address could be the first one of a wider prefix of which this is the length, the netmask or the last
 * address. `198.51.100.7` beside 5 could not: its host bits are set, unless they may be (`mask`).
 */
export function mayBeLength(address: string, content: unknown, hostBits: HostBits = "reject"): boolean {
  const bits = address.includes(":") ? 128 : 32;
  const length = lengthIn(content) ?? likelyLength(content);
  const isMasked = hostBits === "mask" && length !== undefined && length >= SHORTEST;
  if (length !== undefined) return length < bits && (isMasked || isNetwork(address, length, bits));
  if (typeof content !== "string" || !isBareAddress(content.trim())) return false;
  const [first, last] = [prefixIn(address), prefixIn(content.trim())];
  return first !== undefined && last !== undefined && first.family === last.family && last.bits > first.bits;
}

/** Shorter prefixes are in no list beside their length: a smaller number is a degree or an order. */
const SHORTEST = 8;

/** The length in texts such as `24 bits`, `24.0` and `0.0.0.255`, which may be meant for one. */
export function likelyLength(content: unknown): number | undefined {
  if (typeof content !== "string") return undefined;
  const [, number] = /^\s*\/?(\d{1,3})(?:\.0+)?(?:\s*-?bits?)?\s*$/i.exec(content) ?? [];
  if (number !== undefined) return lengthIn(Number(number));
  const mask = isBareAddress(content.trim()) ? prefixIn(content.trim()) : undefined;
  const digits = mask?.bits.toString(2).padStart(mask.length, "0") ?? "";
  return /^0+1+$/.test(digits) ? digits.indexOf("1") : undefined;
}

/**
 * True if a number may be that of the addresses from this one on: a power of two to which the address is aligned. Below 256
 * that says little, unless `isSize` is true.
 */
export function mayBeSize(address: string, content: unknown, isSize: boolean): boolean {
  const size = typeof content === "number" || /^\s*\d{1,15}\s*$/.test(String(content)) ? Number(content) : 0;
  if (size < (isSize ? 2 : 256) || !Number.isInteger(Math.log2(size))) return false;
  const bits = address.includes(":") ? 128 : 32;
  const length = bits - Math.log2(size);
  return length >= 0 && isNetwork(address, length, bits);
}

function isNetwork(address: string, length: number, bits: number): boolean {
  if (isCanonical(`${address}/${length}`)) return true;
  // Most addresses are canonical, and need no parsing.
  return !isCanonical(`${address}/${bits}`) && prefixIn(`${address}/${length}`) !== undefined;
}

/** The problem of a value that may be the length of its address; `undefined` if it cannot be. */
export function doubtfulValue(address: string, value: unknown): string | undefined {
  if (!isBareAddress(address) || !mayBeLength(address, value)) return undefined;
  const length = lengthIn(value);
  const one = `${address}/${address.includes(":") ? 128 : 32}`;
  const wide = length === undefined ? `${address}-${String(value)}` : `${address}/${length}`;
  const what = length === undefined ? "the end of a range" : "a prefix length";
  return `${JSON.stringify(value)} after "${address}" may be ${what}: write ${wide}${isNumber(value) ? `, or ${one} with this value` : ""}.`;
}

function isNumber(value: unknown): boolean {
  return typeof value === "number" || /^\d+$/.test(String(value));
}
