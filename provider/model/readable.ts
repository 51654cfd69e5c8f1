import { attempt } from "./errors";
import { plainData } from "./plain-data";
import { type HostBits, Prefix, PrefixError } from "./prefix";
import { parseUrl, type ResourceUrl } from "./resource-url";

/** Readers that return `undefined` where the parsers that they call throw. */

/** The prefix that a value spells. */
export function prefixIn(spelling: unknown, options: { readonly hostBits?: HostBits } = {}): Prefix | undefined {
  return typeof spelling === "string" ? attempt(() => Prefix.parse(spelling, options), PrefixError) : undefined;
}

/** The resource that an address names. */
export function resourceIn(text: string): ResourceUrl | undefined {
  return attempt(() => parseUrl(text));
}

/** Value of a JSON text within the limits of {@link plainData}, or by the given reader. */
export function jsonIn(text: string, read: (text: string) => unknown = (given) => plainData(given)): unknown {
  return attempt(() => read(text));
}

/** A setting, which may be an object or its JSON text. */
export function structured(value: unknown): unknown {
  return typeof value === "string" ? jsonIn(value) : value;
}
