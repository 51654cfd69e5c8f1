import { givenEntries } from "../model/given-entries";
import type { HostBits } from "../model/prefix";
import { prefixIn } from "../model/readable";

/**
 * The group's entries with those of one node over them: of a prefix that both declare, in whatever spelling, the node's
 * counts. Values that cannot be entries, and keys that are not prefixes, stay unchanged: the resource's own check names them.
 */
export function mergedEntries(common: unknown, own: unknown, hostBits: unknown): unknown {
  if (own === undefined) return common;
  const [below, above] = [members(common), members(own)];
  if (!below || !above) return below ? own : common;
  const bits = hostBits === "mask" ? hostBits : "reject";
  const replaced = new Set(above.map(([prefix]) => canonical(prefix, bits)));
  return Object.fromEntries([...below.filter(([prefix]) => !replaced.has(canonical(prefix, bits))), ...above]);
}

/** Prefixes with their content; `undefined` for anything but entries. */
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
