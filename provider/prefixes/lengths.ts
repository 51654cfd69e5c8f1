import { isCanonical } from "../model/prefix";
import { prefixIn } from "../model/readable";
import { looksLikeAddress } from "./range";

/** True for one address without a length. */
export function isBareAddress(text: string): boolean {
  return looksLikeAddress(text) && !text.includes("/");
}

/** The prefix length in a number, in its text (`24`, `/24`) or in a netmask; `undefined` for anything else. */
export function lengthIn(content: unknown): number | undefined {
  if (typeof content === "number")
    return Number.isInteger(content) && content >= 0 && content <= 128 ? content : undefined;
  if (typeof content !== "string") return undefined;
  const text = content.trim();
  if (/^\/?\d{1,3}$/.test(text)) return lengthIn(Number(text.replace("/", "")));
  if (!isBareAddress(text)) return undefined;
  const mask = prefixIn(text);
  const digits = mask?.bits.toString(2).padStart(mask.length, "0") ?? "";
  return /^1*0*$/.test(digits) && mask ? digits.lastIndexOf("1") + 1 : undefined;
}

/**
 * True if a bare address could be the first one of a wider prefix of which this is the length, the netmask or the last
 * address. `198.51.100.7` beside 5 could not: its host bits are set.
 */
export function mayBeLength(address: string, content: unknown): boolean {
  const bits = address.includes(":") ? 128 : 32;
  const length = lengthIn(content);
  if (length !== undefined) return length < bits && isNetwork(address, length, bits);
  if (typeof content !== "string" || !isBareAddress(content.trim())) return false;
  const [first, last] = [prefixIn(address), prefixIn(content.trim())];
  return first !== undefined && last !== undefined && first.family === last.family && last.bits > first.bits;
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
