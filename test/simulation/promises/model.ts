import { Prefix } from "../../../provider/model/prefix";
import type { JournalEntry } from "../../../provider/emulator/journal/entry";
import type { Declared, Entries } from "../scenario";
import type { CommandRecord, World } from "../simulation";

/** What one resource of a program declares at one place. */
export type Claim =
  | { readonly kind: "set"; readonly resource: Declared; readonly node: string; readonly url: string; readonly entries: Entries; readonly exclusive: boolean }
  | { readonly kind: "signal"; readonly resource: Declared; readonly receiver: string; readonly prefixes: readonly string[] };

/** What a program declares, place by place. It knows nothing of how it gets there. */
export function claimsOf(program: readonly Declared[]): Claim[] {
  return program.flatMap((resource): Claim[] => {
    const { type, args } = resource;
    if (type === "CloudSignaling") {
      const prefixes = (args.prefixes as string[]).flatMap((one) => canonical(one) ?? []);
      return [{ kind: "signal", resource, receiver: String(args.receiver), prefixes }];
    }
    const url = `prefixset://${args.arena}/${args.set}`;
    if (type === "PrefixSetEntry") {
      const prefix = canonical(args.prefix);
      const entries = prefix === undefined ? {} : { [prefix]: Number(args.value ?? 1) };
      return [{ kind: "set", resource, node: String(args.node), url, entries, exclusive: false }];
    }
    const entries = canonicalEntries(args.entries as Entries);
    const exclusive = args.exclusive !== false;
    const nodes = type === "PrefixSet" ? [String(args.node)] : (args.nodes as string[]);
    return nodes.map((node) => ({ kind: "set", resource, node, url, entries, exclusive }));
  });
}

/** The value that a program declares for a prefix at a node; `undefined` for none. */
export function declaredAt(claims: readonly Claim[], world: World, machine: string, url: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const claim of claims) {
    if (claim.kind !== "set" || claim.url !== url || world.nodes.get(claim.node)?.name !== machine) continue;
    Object.assign(found, claim.entries);
  }
  return found;
}

/** The prefixes that a program keeps active at a receiver. */
export function signaledAt(claims: readonly Claim[], receiver: string): string[] {
  return claims.flatMap((claim) => (claim.kind === "signal" && claim.receiver === receiver ? claim.prefixes : []));
}

/** Requests of a command at one machine. */
export function requestsOf(world: World, record: CommandRecord, machine: string): JournalEntry[] {
  const { journal } = world.machines.get(machine) ?? { journal: [] };
  return journal.slice(record.from[machine], record.to[machine]).filter(({ label }) => label === record.label);
}

/** True for a request that may change something. */
export function isMutating({ cmd, op }: JournalEntry): boolean {
  return cmd === "insert" || cmd === "delete" || cmd === "commit" || op === "start" || op === "stop";
}

export function canonical(spelling: unknown): string | undefined {
  try {
    return Prefix.parse(String(spelling)).toString();
  } catch {
    return undefined;
  }
}

export function canonicalEntries(entries: Entries): Record<string, number> {
  return Object.fromEntries(Object.entries(entries).flatMap(([prefix, value]) => {
    const name = canonical(prefix);
    return name === undefined ? [] : [[name, value]];
  }));
}
