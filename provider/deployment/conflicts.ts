import type { About } from "../engine/handler";
import type { Place } from "../reconcile/desired";

/** Declarations of all resources of one run about one set of one node. */
export interface DeclaredSet {
  /** The `PrefixSet` or group that owns the whole set, and what it declares. */
  exclusive?: { readonly label: string; readonly entries: Prefixes };
  /** Prefix to the resource that declares it. */
  readonly entries: Map<string, string>;
  /** True once messages may name no entry of any resource. */
  isSecret?: boolean;
}

/** A set of prefixes, or a map by prefixes. */
type Prefixes = Pick<ReadonlyMap<string, unknown>, "has" | "keys">;

export interface Declaration {
  readonly type: "PrefixSet" | "PrefixSetGroup" | "PrefixSetEntry";
  readonly name: string;
  /** Name of a group's node. */
  readonly at?: unknown;
  readonly entries: Prefixes;
  readonly exclusive: boolean;
  /** True when messages may not name the entries. */
  readonly secret?: boolean;
  /** True when the prefixes are secret: then messages name nothing of the set. */
  readonly isSecret?: boolean;
}

/** Declaration of one resource, whose name is in its urn. */
export type Declared = Omit<Declaration, "name">;

/** Adds a declaration and returns a contradiction, as a sentence with both names. */
export function record(set: DeclaredSet, declaration: Declaration): string | undefined {
  const { entries, exclusive, secret, isSecret } = declaration;
  set.isSecret ||= isSecret === true;
  const shown = (prefix: string) => (secret || set.isSecret ? "a secret prefix" : prefix);
  const label = labelOf(declaration);
  const both = (prefix: string, other: string) =>
    `${shown(prefix)} is declared by ${label} and by ${other}: keep one of them.`;
  if (exclusive && set.exclusive) {
    return `${label} and ${set.exclusive.label} both own the whole set: put the entries into one of them, or set exclusive: false.`;
  }
  if (exclusive) {
    for (const [prefix, other] of set.entries)
      return entries.has(prefix) ? both(prefix, other) : outside(other, shown(prefix), label);
    set.exclusive = { label, entries };
    return undefined;
  }
  for (const prefix of entries.keys()) {
    const other = set.entries.get(prefix);
    if (other !== undefined) return both(prefix, other);
    const owner = set.exclusive;
    if (owner)
      return owner.entries.has(prefix) ? both(prefix, owner.label) : outside(label, shown(prefix), owner.label);
    set.entries.set(prefix, label);
  }
  return undefined;
}

function outside(entry: string, prefix: string, owner: string): string {
  return `${entry} adds ${prefix} to a set that ${owner} owns as a whole and would remove it from: declare it there instead, or set exclusive: false on ${owner.slice(owner.indexOf('"'))}.`;
}

/** Declarations of the resources of a deployment by urn: the engine checks some of them twice. */
export class Declarations {
  private readonly sets = new Map<string, { readonly set: DeclaredSet; readonly of: Map<string, Declaration> }>();

  /**
   * Adds the declaration of a resource, in place of its former one. The class in the program has compared the declarations where it
   * knows their nodes: not where the engine alone has the variables that name one.
   *
   * @returns a contradiction, as a sentence with both names
   */
  enter(
    { owner, urn = owner }: About,
    { endpoint }: Pick<Place, "endpoint">,
    url: string,
    declared: Declared,
  ): string | undefined {
    if (urn === undefined) return undefined;
    const key = `${endpoint}\n${url}`;
    const { set, of } = this.sets.get(key) ?? { set: { entries: new Map() }, of: new Map() };
    this.sets.set(key, { set, of });
    const declaration = { ...declared, name: nameIn(urn) };
    const id = `${urn} ${declared.at ?? ""}`;
    forget(set, of.get(id));
    of.set(id, declaration);
    return record(set, declaration);
  }
}

function forget(set: DeclaredSet, declaration: Declaration | undefined): void {
  if (!declaration) return;
  const label = labelOf(declaration);
  if (set.exclusive?.label === label) delete set.exclusive;
  for (const prefix of declaration.entries.keys()) if (set.entries.get(prefix) === label) set.entries.delete(prefix);
}

function labelOf({ type, name, at }: Pick<Declaration, "type" | "name" | "at">): string {
  return `${type} "${name}"${at === undefined ? "" : ` at ${at}`}`;
}

/** The name in `urn:pulumi:stack::project::type::name`, or in what a class says of its resource. */
function nameIn(urn: string): string {
  return urn.split("::").slice(3).join("::");
}
