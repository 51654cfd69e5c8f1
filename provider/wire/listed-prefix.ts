import { Prefix, PrefixError } from "../model/prefix";
import { readNumber } from "./json";
import { isAddressLike } from "./places";
import { ShapeError } from "./shape";

/** A prefix as a node lists it: what it means, and the node's own text of it. */
export interface ListedPrefix {
  /** Canonical, host bits masked. */
  readonly prefix: Prefix;
  /** What deletes the entry: the node's own text, with the length behind a slash where the node lists it apart. */
  readonly spelling: string;
}

/** Reads a prefix that stands in one text: CIDR, a bare address, or an address with a netmask behind the slash. */
export function readPrefix(spelling: string, index: number): ListedPrefix {
  const slash = spelling.indexOf("/");
  // A length has at most three digits, so that usual texts need no second look.
  const length = slash >= 0 && spelling.length - slash > 4 ? netmaskLength(spelling.slice(slash + 1)) : undefined;
  const text = length === undefined ? spelling : `${spelling.slice(0, slash)}/${length}`;
  return { prefix: parse(text, index), spelling };
}

/**
 * Reads a prefix whose length stands in a member of its own, as a number or a netmask.
 *
 * @throws {ShapeError} when that is no length, or contradicts a length in the text.
 */
export function readPrefixWithLength(text: string, length: unknown, index: number): ListedPrefix {
  const own = text.includes("/") ? readPrefix(text, index) : undefined;
  const bits = lengthOf(length);
  if (own) {
    // What is no length says nothing about a prefix that is told in full.
    if (bits === undefined || bits === own.prefix.length) return own;
    throw new ShapeError(`element ${index} has two lengths, ${own.prefix.length} and ${bits}`);
  }
  if (bits === undefined) throw new ShapeError(`element ${index} has a member for the length that holds none`);
  const spelling = `${text}/${bits}`;
  const prefix = parse(spelling, index);
  // A length of 0 beside an address says "no length" as likely as "everything".
  if (bits === 0 && parse(text, index).bits !== 0n) {
    throw new ShapeError(`element ${index} has an address and the length 0, which would be the default route`);
  }
  return { prefix, spelling };
}

/** True for what could be the length of an address, under whatever name: an integer, a netmask, the end of a range. */
export function couldBeLength(value: unknown): boolean {
  if (typeof value === "string" && isAddressLike(value)) return true;
  const number = readNumber(typeof value === "string" ? value.replace(/^\//, "") : value)?.number;
  return number !== undefined && Number.isInteger(number) && number >= 0 && number <= 128;
}

/** The length that a number, its text or a netmask says; `undefined` for anything else. */
export function lengthOf(value: unknown): number | undefined {
  if (typeof value === "string" && isAddressLike(value)) return netmaskLength(value);
  return couldBeLength(value)
    ? readNumber(typeof value === "string" ? value.replace(/^\//, "") : value)?.number
    : undefined;
}

/** The length that a netmask such as 255.255.255.0 or ffff:: says; `undefined` for any other address. */
function netmaskLength(text: string): number | undefined {
  let mask: Prefix;
  try {
    mask = Prefix.parse(text);
  } catch (error) {
    if (error instanceof PrefixError) return undefined;
    throw error;
  }
  if (text.includes("/")) return undefined;
  const digits = mask.bits.toString(2).padStart(mask.length, "0");
  return /^1*0*$/.test(digits) ? digits.lastIndexOf("1") + 1 : undefined;
}

function parse(spelling: string, index: number): Prefix {
  try {
    return Prefix.parse(spelling, { hostBits: "mask" });
  } catch (error) {
    if (error instanceof PrefixError) throw new ShapeError(`element ${index}: ${error.message.replace(/\.$/, "")}`);
    throw error;
  }
}
