import { type EntryNote, parseNote } from "../provider/model/entry";
import type { Prefix } from "../provider/model/prefix";
import { formatUrl } from "../provider/model/resource-url";
import { isUnknown } from "./not-yet-known";
import { type Connection, parsePrefix, ResourceBase, type ResourceMeta, record } from "./resource-base";

export type { Connection, ResourceKind, ResourceMeta } from "./resource-base";

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
 * A `PrefixSet` or a `PrefixSetEntry`: something that puts entries into a set.
 *
 * @example
 * ```ts
 * if (resource instanceof SetResource) console.log(resource.url, resource.entries.length);
 * ```
 */
export class SetResource extends ResourceBase {
  /** What the engine says about it besides its properties. */
  declare readonly meta: ResourceMeta & { readonly kind: "PrefixSet" | "PrefixSetEntry" };

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
    this.parsedEntries ??= this.meta.kind === "PrefixSet" ? this.entriesOfSet() : this.ownEntry();
    return this.parsedEntries;
  }
  private parsedEntries: readonly Entry[] | undefined;

  /** What stands in place of prefixes and cannot be read, for messages. */
  get unreadable(): readonly string[] {
    if (this.meta.kind === "PrefixSetEntry") return this.unreadableIn([this.get("prefix")]);
    const entries = this.get("entries");
    if (typeof entries !== "object" || entries === null) return ["`entries`"];
    return this.unreadableIn(textsOf(entries));
  }

  /** True for a whole set of which undeclared entries are removed; never for a single entry. */
  get exclusive(): boolean {
    return this.meta.kind === "PrefixSet" && this.get("exclusive") !== false;
  }

  /** `clear` is the default of a set, `remove` that of an entry. */
  get onDestroy(): string {
    return this.text("onDestroy") ?? (this.meta.kind === "PrefixSet" ? "clear" : "remove");
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

  /** Where the node is, by name or by address. */
  get node(): Connection {
    return this.connection("node", { one: "packetfilter:endpoint", many: "packetfilter:nodes", url: "endpoint" });
  }

  /** The node's address that the last update used; unknown before the first one. */
  get endpoint(): string | undefined {
    const value = this.raw.endpoint;
    return typeof value === "string" && !isUnknown(value) ? value : undefined;
  }

  private entriesOfSet(): readonly Entry[] {
    const entriesGiven = this.get("entries");
    const values = Array.isArray(entriesGiven) ? {} : record(entriesGiven);
    const notes = record(this.raw.notes);
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
  /** What the engine says about it besides its properties. */
  declare readonly meta: ResourceMeta & { readonly kind: "CloudSignaling" };

  /** The argument of this name, parsed. */
  get prefixes(): readonly Prefix[] {
    return this.prefixList("prefixes");
  }

  /** What stands in place of prefixes and cannot be read, for messages. */
  get unreadable(): readonly string[] {
    const prefixes = this.get("prefixes");
    return Array.isArray(prefixes) ? this.unreadableIn(prefixes) : ["`prefixes`"];
  }

  /** Where the receiver is, by name or by address. */
  get receiver(): Connection {
    const keys = { one: "packetfilter:signalingUrl", many: "packetfilter:receivers", url: "url" };
    return this.connection("receiver", keys);
  }
}

/** The prefixes of a set, which another provider may give as a list. */
function textsOf(entries: unknown): readonly string[] {
  return Array.isArray(entries) ? entries : Object.keys(record(entries));
}

/** Any resource that rules judge. */
export type Resource = SetResource | SignalingResource;

/**
 * The one place where properties from the engine are turned into something that rules can read.
 *
 * @example
 * ```ts
 * const meta = { kind: "PrefixSet", urn, name: "blocked", protect: false } as const;
 * const resource = readResource(meta, { arena: "edge", set: "blocked", entries: { "192.0.2.0/24": 1 } });
 * ```
 */
export function readResource(meta: ResourceMeta, properties: Readonly<Record<string, unknown>>): Resource {
  return meta.kind === "CloudSignaling" ? new SignalingResource(meta, properties) : new SetResource(meta, properties);
}
