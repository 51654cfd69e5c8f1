import { type EntryNote, parseNote } from "../provider/model/entry";
import { addTo } from "../provider/model/group";
import { overridden } from "../provider/model/group-content";
import { isObject, membersOf } from "../provider/model/json";
import type { Prefix } from "../provider/model/prefix";
import { formatUrl } from "../provider/model/resource-url";
import { flatInputs } from "../provider/reconcile/written-inputs";
import { type Connection, connectionOf } from "./connection";
import { isUnknown } from "./not-yet-known";
import { parsePrefix, ResourceBase, type ResourceMeta } from "./resource-base";

export type { ResourceKind } from "../provider/model/resource-kind";
export type { Connection } from "./connection";
export type { ResourceMeta } from "./resource-base";

/** One entry of a set. */
export interface Entry {
  /** In canonical form. */
  readonly prefix: Prefix;
  /** `undefined`: not known before the update. */
  readonly value: number | undefined;
  /** `undefined`: not known before the update. */
  readonly notes: EntryNote | undefined;
}

/**
 * A resource that adds entries to a set: a `PrefixSet`, a `PrefixSetEntry`, or the content of some nodes of a `PrefixSetGroup`.
 *
 * @example
 * ```ts
 * if (resource instanceof SetResource) console.log(resource.url, resource.entries.length);
 * ```
 */
export class SetResource extends ResourceBase {
  /** Facts of the engine about it beside its properties. */
  declare readonly meta: ResourceMeta & { readonly kind: "PrefixSet" | "PrefixSetGroup" | "PrefixSetEntry" };

  /** The arena of the set; empty while it is unknown. */
  get arena(): string {
    return this.text("arena") ?? "";
  }

  /** The profile of a local set; `undefined` for a global one. */
  get profile(): string | undefined {
    return this.text("profile");
  }

  /** The name of the set; empty while it is unknown. */
  get set(): string {
    return this.text("set") ?? "";
  }

  /** `prefixset://arena/set` or `prefixset://arena/profile/set`. */
  get url(): string {
    const profile = this.profile;
    return formatUrl({ kind: "prefixset", arena: this.arena, ...(profile && { profile }), set: this.set });
  }

  /** The entries, in the order of the state. */
  get entries(): readonly Entry[] {
    this.parsedEntries ??= this.isWhole ? this.entriesOfSet() : this.ownEntry();
    return this.parsedEntries;
  }
  private parsedEntries: readonly Entry[] | undefined;

  /** Texts in place of prefixes that cannot be read, for messages. */
  get unreadable(): readonly string[] {
    if (!this.isWhole) return this.unreadableIn([this.get("prefix")]);
    const entries = this.get("entries");
    if (typeof entries !== "object" || entries === null) return ["`entries`"];
    return this.unreadableIn(textsOf(entries));
  }

  /** True for a whole set whose undeclared entries are removed; never for a single entry. */
  get exclusive(): boolean {
    return this.isWhole && this.get("exclusive") !== false;
  }

  /** `remove` by default. */
  get onDestroy(): string {
    return this.text("onDestroy") ?? "remove";
  }

  /** True for a whole set, false for a single entry. */
  get isWhole(): boolean {
    return this.meta.kind !== "PrefixSetEntry";
  }

  /** The argument of this name. */
  get maxEntries(): number | undefined {
    const limit = this.get("maxEntries");
    return typeof limit === "number" ? limit : undefined;
  }

  /** As it was given: a number, a percentage, or absent. */
  get maxRemovals(): number | string | undefined {
    return this.share("maxRemovals");
  }

  /** As it was given: a number, a percentage, or absent. */
  get maxChanges(): number | string | undefined {
    return this.share("maxChanges");
  }

  private share(property: string): number | string | undefined {
    const value = this.get(property);
    return typeof value === "number" || typeof value === "string" ? value : undefined;
  }

  /** The argument of this name, parsed; empty by default. */
  get forbiddenPrefixes(): readonly Prefix[] {
    return this.prefixList("forbiddenPrefixes");
  }

  /** The argument of this name, parsed; empty by default. */
  get requiredPrefixes(): readonly Prefix[] {
    return this.prefixList("requiredPrefixes");
  }

  /** The node, by name or by address; of a group, the first of {@link nodes}. */
  get node(): Connection {
    return this.nodes[0] ?? {};
  }

  /** Nodes that hold this: one, or several of a group. */
  get nodes(): readonly Connection[] {
    if (this.meta.kind !== "PrefixSetGroup") return [this.connection("node")];
    return this.nodeNames.map((name) => connectionOf("node", name, this.meta));
  }

  /** Names of the group's nodes that hold this; of other resources none. */
  get nodeNames(): readonly string[] {
    const nodes = this.meta.kind === "PrefixSetGroup" ? this.get("nodes") : [];
    return Array.isArray(nodes) ? nodes : Object.keys(membersOf(nodes));
  }

  /** The node's address: of this run for a dynamic resource, else of the last update. Unknown for one that has neither. */
  get endpoint(): string | undefined {
    const value = this.raw.endpoint;
    return typeof value === "string" && !isUnknown(value) ? value : undefined;
  }

  private entriesOfSet(): readonly Entry[] {
    const entriesGiven = this.get("entries");
    const values = membersOf(entriesGiven);
    const notes = membersOf(this.raw.notes);
    const allNotesUnknown = isUnknown(this.raw.notes);
    // A JSON text for each prefix; a feed gives all its entries one reason.
    const read = new Map<unknown, EntryNote>([[undefined, {}]]);
    const notesOf = (note: unknown) => {
      const known = read.get(note) ?? parseNote(note);
      read.set(note, known);
      return known;
    };
    const entries: Entry[] = [];
    for (const text of textsOf(entriesGiven)) {
      const prefix = parsePrefix(text);
      if (!prefix) continue;
      const value = values[text];
      const note = notes[text];
      entries.push({
        prefix,
        value: isUnknown(value) ? undefined : Number(value ?? 1),
        notes: allNotesUnknown || isUnknown(note) ? undefined : notesOf(note),
      });
    }
    return entries;
  }

  private ownEntry(): readonly Entry[] {
    const prefix = parsePrefix(this.get("prefix"));
    if (!prefix) return [];
    const { value = 1, reason, ticket, expires } = this.raw;
    const unknownNotes = [reason, ticket, expires].some(isUnknown);
    return [
      {
        prefix,
        value: isUnknown(value) ? undefined : Number(value),
        notes: unknownNotes ? undefined : parseNote({ reason, ticket, expires }),
      },
    ];
  }
}

/**
 * A `CloudSignaling`.
 *
 * @example
 * ```ts
 * if (resource instanceof SignalingResource) console.log(resource.prefixes.map(String));
 * ```
 */
export class SignalingResource extends ResourceBase {
  /** Facts of the engine about it beside its properties. */
  declare readonly meta: ResourceMeta & { readonly kind: "CloudSignaling" };

  /** The argument of this name, parsed. */
  get prefixes(): readonly Prefix[] {
    return this.prefixList("prefixes");
  }

  /** Texts in place of prefixes that cannot be read, for messages. */
  get unreadable(): readonly string[] {
    const prefixes = this.get("prefixes");
    return Array.isArray(prefixes) ? this.unreadableIn(prefixes) : ["`prefixes`"];
  }

  /** The receiver, by name or by address. */
  get receiver(): Connection {
    return this.connection("receiver");
  }
}

/** The prefixes of a set; another provider may list them in an array. */
function textsOf(entries: unknown): readonly string[] {
  return Array.isArray(entries) ? entries : Object.keys(membersOf(entries));
}

/** Any resource that rules judge. */
export type Resource = SetResource | SignalingResource;

/**
 * Reads properties of the engine into a resource for rules; of a group, the properties that its nodes have in common, see
 * {@link readResources}.
 *
 * @example
 * ```ts
 * const meta = { kind: "PrefixSet", urn, name: "blocked", protect: false } as const;
 * const resource = readResource(meta, { arena: "edge", set: "blocked", entries: { "192.0.2.0/24": 1 } });
 * ```
 */
export function readResource(meta: ResourceMeta, properties: Readonly<Record<string, unknown>>): Resource {
  const flat = flatInputs(properties);
  return meta.kind === "CloudSignaling" ? new SignalingResource(meta, flat) : new SetResource(meta, flat);
}

/**
 * Reads a resource as {@link readResource}, but a `PrefixSetGroup` as one set for each distinct content of its nodes: first
 * that of the nodes without own entries and settings, then those of the others.
 *
 * @example
 * ```ts
 * for (const resource of readResources(meta, properties)) {
 *   if (resource instanceof SetResource) console.log(resource.nodeNames, resource.entries.length);
 * }
 * ```
 */
export function readResources(meta: ResourceMeta, properties: Readonly<Record<string, unknown>>): readonly Resource[] {
  if (meta.kind !== "PrefixSetGroup" || !isObject(properties.nodes)) return [readResource(meta, properties)];
  const flat = flatInputs(properties);
  const alike = new Map([[NOTHING_OF_ITS_OWN, [] as string[]]]);
  for (const [name, own] of Object.entries(membersOf(flat.nodes))) {
    addTo(alike, JSON.stringify(own ?? {}), name);
  }
  return [...alike].flatMap(([own, names]) =>
    names.length > 0 ? readResource(meta, { ...withOwn(flat, JSON.parse(own)), nodes: names }) : [],
  );
}

const NOTHING_OF_ITS_OWN = "{}";

/** A group's properties with those of one of its nodes over them. */
function withOwn(common: Readonly<Record<string, unknown>>, own: unknown): Readonly<Record<string, unknown>> {
  if (isUnknown(own)) return { ...common, entries: own };
  const { entries, notes, ...others } = membersOf(own);
  if (entries === undefined && notes === undefined) return { ...common, ...others };
  if (isUnknown(entries) || isUnknown(common.entries)) {
    return { ...common, ...others, entries: entries ?? common.entries };
  }
  const held = overridden(contentOf(common), contentOf({ entries, notes }));
  return {
    ...common,
    ...others,
    entries: Object.fromEntries(held.entries),
    notes: Object.fromEntries(held.notes),
  };
}

function contentOf({ entries, notes }: Readonly<Record<string, unknown>>) {
  return { entries: new Map(Object.entries(membersOf(entries))), notes: new Map(Object.entries(membersOf(notes))) };
}
