import * as pulumi from "@pulumi/pulumi";
import { type HostBits, Prefix } from "../../model/prefix";
import { isPlain } from "../inputs";
import type { EntriesInput } from "../types";

/**
 * The fleet's entries with those of one node over them: of a prefix that both declare, in whatever spelling, the node's
 * counts. What cannot be entries, or is no prefix, stays as it is: the resource's own check names it.
 */
export function merged(common: EntriesInput, own: EntriesInput | undefined, hostBits: unknown): EntriesInput {
  if (own === undefined) return common;
  const bits = hostBits === "mask" ? hostBits : "reject";
  if (isPlain(common) && isPlain(own)) return over(common, own, bits) as EntriesInput;
  return pulumi.all([common, own]).apply(([all, one]) => over(all, one, bits) as pulumi.Unwrap<EntriesInput>);
}

function over(common: unknown, own: unknown, hostBits: HostBits): unknown {
  const [below, above] = [members(common), members(own)];
  if (!below || !above) return below ? own : common;
  const spelled = (prefix: string) => canonical(prefix, hostBits);
  const replaced = new Set(above.map(([prefix]) => spelled(prefix)));
  return Object.fromEntries([...below.filter(([prefix]) => !replaced.has(spelled(prefix))), ...above]);
}

/** Prefixes with what they hold; `undefined` for what is neither an object nor an array of prefixes. */
function members(entries: unknown): [string, unknown][] | undefined {
  if (typeof entries !== "object" || entries === null) return undefined;
  if (!Array.isArray(entries)) return Object.entries(entries);
  return entries.every((prefix) => typeof prefix === "string") ? entries.map((prefix) => [prefix, 1]) : undefined;
}

function canonical(spelling: string, hostBits: HostBits): string {
  try {
    return Prefix.parse(spelling, { hostBits }).toString();
  } catch {
    return spelling;
  }
}
