import { givenEntries } from "../model/given-entries";
import type { HostBits } from "../model/prefix";
import { prefixIn } from "../model/readable";

/** What the resources of one run of a program declare about one set of one node. */
export interface DeclaredSet {
  /** The `PrefixSet` or group that owns the whole set, and what it declares. */
  exclusive?: { readonly label: string; readonly entries: Prefixes };
  /** Prefix to the resource that declares it. */
  readonly entries: Map<string, string>;
  /** True once messages may name no entry of any resource. */
  isSecret?: boolean;
}

/** A set of prefixes, or a map by prefixes: the nodes of a group share one. */
type Prefixes = Pick<ReadonlyMap<string, unknown>, "has" | "keys">;

/** What one resource declares. */
export interface Declaration {
  readonly type: "PrefixSet" | "PrefixSetGroup" | "PrefixSetEntry";
  readonly name: string;
  /** Which of a group's nodes it is. */
  readonly at?: unknown;
  readonly entries: Prefixes;
  readonly exclusive: boolean;
  /** True when messages may not name the entries. */
  readonly secret?: boolean;
  /** True when they are secret themselves: then messages name nothing of the set. */
  readonly isSecret?: boolean;
}

/** Adds a declaration and returns what it contradicts, with both names. */
export function record(
  set: DeclaredSet,
  { type, name, at, entries, exclusive, secret, isSecret }: Declaration,
): string | undefined {
  set.isSecret ||= isSecret === true;
  const shown = (prefix: string) => (secret || set.isSecret ? "a secret prefix" : prefix);
  const label = `${type} "${name}"${at === undefined ? "" : ` at ${at}`}`;
  if (exclusive && set.exclusive) {
    return `${label} and ${set.exclusive.label} both own the whole set: put the entries into one of them, or set exclusive: false.`;
  }
  if (exclusive) {
    const undeclared = [...set.entries].find(([prefix]) => !entries.has(prefix));
    if (undeclared) return outside(undeclared[1], shown(undeclared[0]), label);
    set.exclusive = { label, entries };
    if (set.entries.size === 0) return undefined;
  }
  for (const prefix of entries.keys()) {
    const other = set.entries.get(prefix);
    const isPair = other !== undefined && type !== "PrefixSetEntry" && exclusive;
    if (other !== undefined && !isPair) {
      return `${shown(prefix)} is declared by ${label} and by ${other}: keep one of them.`;
    }
    if (type === "PrefixSetEntry" && set.exclusive && !set.exclusive.entries.has(prefix)) {
      return outside(label, shown(prefix), set.exclusive.label);
    }
    if (!exclusive) set.entries.set(prefix, label);
  }
  return undefined;
}

function outside(entry: string, prefix: string, owner: string): string {
  return `${entry} adds ${prefix} to a set that ${owner} owns as a whole and would remove it from: declare it there, or set exclusive: false on ${owner.slice(owner.indexOf('"'))}.`;
}

/**
 * The group's entries with those of one node over them: of a prefix that both declare, in whatever spelling, the node's
 * counts. What cannot be entries, or is no prefix, stays as it is: the resource's own check names it.
 */
export function mergedEntries(common: unknown, own: unknown, hostBits: unknown): unknown {
  if (own === undefined) return common;
  const [below, above] = [members(common), members(own)];
  if (!below || !above) return below ? own : common;
  const bits = hostBits === "mask" ? hostBits : "reject";
  const replaced = new Set(above.map(([prefix]) => canonical(prefix, bits)));
  return Object.fromEntries([...below.filter(([prefix]) => !replaced.has(canonical(prefix, bits))), ...above]);
}

/** Prefixes with what they hold; `undefined` for what is no entries. */
function members(entries: unknown): [string, unknown][] | undefined {
  const given = givenEntries(entries);
  const pairs = given?.spellings.map((spelling, index) => [spelling, given.content(index)] as const) ?? [];
  const named = pairs.flatMap(([spelling, content]): [string, unknown][] =>
    typeof spelling === "string" ? [[spelling, content]] : [],
  );
  return given && named.length === pairs.length ? named : undefined;
}

function canonical(spelling: string, hostBits: HostBits): string {
  return prefixIn(spelling, { hostBits })?.toString() ?? spelling;
}
