import * as pulumi from "@pulumi/pulumi";
import { parseEndpoint } from "../client/endpoint";
import type { HostBits } from "../model/prefix";
import { formatUrl } from "../model/resource-url";
import { setUrl } from "../resources/arguments";
import { normaliseEntries } from "../resources/entries";
import { programSettings } from "./settings";
import type { EntriesInput, NodeInput } from "./types";

/** The arguments by which a resource says which set it means. */
interface SetIdentity {
  readonly arena: pulumi.Input<string>;
  readonly profile?: pulumi.Input<string>;
  readonly set: pulumi.Input<string>;
  readonly node?: NodeInput;
  readonly hostBits?: pulumi.Input<HostBits>;
}

/** What the resources of one run of a program declare about one set of one node. */
export interface DeclaredSet {
  /** The `PrefixSet` that owns the whole set, and what it declares. */
  exclusive?: { readonly name: string; readonly entries: ReadonlySet<string> };
  /** Prefix to the resource that declares it. */
  readonly entries: Map<string, string>;
}

/** One registry for each run: several programs can run in one process (Automation API), each with a stack of its own. */
const runs = new WeakMap<object, Map<string, DeclaredSet>>();
const outsideOfRuns = {};

interface Declaration {
  readonly type: "PrefixSet" | "PrefixSetEntry";
  readonly name: string;
  readonly entries: readonly string[];
  readonly exclusive: boolean;
}

/** Records a `PrefixSet`; ends the program where another resource declares the same. */
export function declareSet(
  name: string,
  args: SetIdentity & { readonly entries: EntriesInput; readonly exclusive?: pulumi.Input<boolean> },
  options: pulumi.CustomResourceOptions | undefined,
): void {
  if (isReadOnlyLookup(options)) return;
  const { arena, profile, set, node, entries, exclusive, hostBits } = args;
  pulumi.output({ arena, profile, set, node, entries, exclusive, hostBits }).apply((known) =>
    declare({ ...known }, known.entries, known.hostBits, {
      type: "PrefixSet",
      name,
      exclusive: known.exclusive !== false,
    }),
  );
}

/** Records a `PrefixSetEntry`; ends the program where another resource declares the same. */
export function declareEntry(
  name: string,
  args: SetIdentity & { readonly prefix: pulumi.Input<string> },
  options: pulumi.CustomResourceOptions | undefined,
): void {
  if (isReadOnlyLookup(options)) return;
  const { arena, profile, set, node, prefix, hostBits } = args;
  pulumi
    .output({ arena, profile, set, node, prefix, hostBits })
    .apply((known) =>
      declare({ ...known }, [known.prefix], known.hostBits, { type: "PrefixSetEntry", name, exclusive: false }),
    );
}

function isReadOnlyLookup(options: pulumi.CustomResourceOptions | undefined): boolean {
  return options?.id !== undefined;
}

function declare(
  args: Record<string, unknown>,
  entries: unknown,
  hostBits: HostBits | undefined,
  resource: Omit<Declaration, "entries">,
): void {
  const url = setUrl(args);
  const normal = normaliseEntries(entries, { hostBits, now: Number.NEGATIVE_INFINITY });
  // What is not valid is reported by the resource's own check, with its position.
  if (!url || !normal || normal.problems.length > 0) return;
  const endpoint = endpointOf(args.node);
  if (endpoint === undefined) return;
  const address = formatUrl(url);
  const conflict = record(declaredSet(`${endpoint}\n${address}`), {
    ...resource,
    entries: [...normal.entries.keys()],
  });
  if (conflict !== undefined) throw new pulumi.RunError(`${address}: ${conflict}`);
}

function endpointOf(node: unknown): string | undefined {
  try {
    return parseEndpoint(programSettings().node(node).options.endpoint, "endpoint", "/fapi").shown;
  } catch {
    return undefined;
  }
}

function declaredSet(key: string): DeclaredSet {
  const run = pulumi.runtime.getStackResource() ?? outsideOfRuns;
  const sets = runs.get(run) ?? new Map<string, DeclaredSet>();
  runs.set(run, sets);
  const found = sets.get(key) ?? { entries: new Map() };
  sets.set(key, found);
  return found;
}

/** Adds a declaration and returns what it contradicts, with both names. */
export function record(set: DeclaredSet, { type, name, entries, exclusive }: Declaration): string | undefined {
  const label = `${type} "${name}"`;
  if (exclusive && set.exclusive) {
    return `${label} and PrefixSet "${set.exclusive.name}" both own the whole set: put the entries into one of them, or set exclusive: false.`;
  }
  if (exclusive) {
    const undeclared = [...set.entries].find(([prefix]) => !entries.includes(prefix));
    if (undeclared) return outside(undeclared[1], undeclared[0], name);
    set.exclusive = { name, entries: new Set(entries) };
  }
  for (const prefix of entries) {
    const other = set.entries.get(prefix);
    const isPair = other !== undefined && type === "PrefixSet" && exclusive;
    if (other !== undefined && !isPair) {
      return `${prefix} is declared by ${label} and by ${other}: keep one of them.`;
    }
    if (type === "PrefixSetEntry" && set.exclusive && !set.exclusive.entries.has(prefix)) {
      return outside(label, prefix, set.exclusive.name);
    }
    if (!exclusive) set.entries.set(prefix, label);
  }
  return undefined;
}

function outside(entry: string, prefix: string, owner: string): string {
  return `${entry} adds ${prefix} to a set that PrefixSet "${owner}" owns as a whole and would remove it from: declare it there, or set exclusive: false on "${owner}".`;
}
