import type { CanonicalPrefix, Prefix, PrefixSetUrl } from "../client";
import { familyOf, lengthOf, wideFamilies } from "../model/coverage";
import { isEntryValue, MAX_VALUE } from "../model/entry";
import { type ListedMap, sorted } from "../model/prefix-map";
import { formatUrl } from "../model/resource-url";
import { some } from "../model/text";

/** A set as a node holds it, in the order of addresses: nothing in it that a program could not declare. */
export interface HeldSet {
  readonly url: PrefixSetUrl;
  /** Base url of the node, without secrets. */
  readonly endpoint: string;
  /** Its name in the stack's configuration, for the argument `node`. */
  readonly node?: string;
  readonly entries: ReadonlyMap<CanonicalPrefix, number>;
  /** The `shortestPrefix` that a program must allow: 0 for a default route, 1 for more than a quarter of a family. */
  readonly shortest: { readonly ipv4?: 0 | 1; readonly ipv6?: 0 | 1 };
}

/** The parts of an import. */
export interface Holdings {
  readonly sets: readonly HeldSet[];
  /** True: of several nodes, so that names of resources carry theirs. */
  readonly isOfSeveral?: boolean;
  readonly signaling?: {
    /** Base url of the receiver, without secrets. */
    readonly endpoint: string;
    /** The active prefixes. */
    readonly prefixes: readonly Prefix[];
  };
}

/**
 * A listed set.
 * @throws {Error} naming the entries whose value no program can declare, and what to do
 */
export function heldSet(url: PrefixSetUrl, at: Pick<HeldSet, "endpoint" | "node">, listed: ListedMap): HeldSet {
  const inOrder = sorted(listed);
  const entries = new Map(inOrder.flatMap(([prefix, value]) => (isEntryValue(value) ? [[prefix, value]] : [])));
  if (entries.size < listed.size) {
    const strange = inOrder.filter(([prefix]) => !entries.has(prefix));
    const shown = some(strange.map(([prefix, value]) => `${prefix} (${JSON.stringify(value)})`));
    throw new Error(
      `${formatUrl(url)} on ${at.node ?? at.endpoint} holds values that no program can declare, integers from 0 to ${MAX_VALUE} being possible: ${shown}. Give these entries other values on the node, or remove them, and import again. Nothing was written.`,
    );
  }
  const isRoute = (family: 4 | 6) => [...entries.keys()].some((it) => familyOf(it) === family && lengthOf(it) === 0);
  const shortest = wideFamilies([...entries.keys()]).map((family) => [`ipv${family}`, isRoute(family) ? 0 : 1]);
  return { ...at, url, entries, shortest: Object.fromEntries(shortest) };
}
