import { type EntryNote, parseNote } from "../provider/model/entry-note";
import type { Prefix } from "../provider/model/prefix";
import { formatUrl } from "../provider/model/resource-url";
import { isUnknown } from "./not-yet-known";
import { type Connection, parsePrefix, ResourceBase, type ResourceMeta, record } from "./resource-base";

export type { Connection, ResourceKind, ResourceMeta } from "./resource-base";

/** One entry of a set. */
export interface Entry {
  readonly prefix: Prefix;
  /** `undefined`: not known before the update. */
  readonly value: number | undefined;
  /** `undefined`: not known before the update. */
  readonly notes: EntryNote | undefined;
}

/** A `PrefixSet` or a `PrefixSetEntry`: something that puts entries into a set. */
export class SetResource extends ResourceBase {
  declare readonly meta: ResourceMeta & { readonly kind: "PrefixSet" | "PrefixSetEntry" };

  get arena(): string {
    return this.text("arena") ?? "";
  }

  get profile(): string | undefined {
    return this.text("profile");
  }

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

  get exclusive(): boolean {
    return this.meta.kind === "PrefixSet" && this.get("exclusive") !== false;
  }

  /** `clear` is the default of a set, `remove` that of an entry. */
  get onDestroy(): string {
    return this.text("onDestroy") ?? (this.meta.kind === "PrefixSet" ? "clear" : "remove");
  }

  /** As it was given: a number, a percentage, or absent. */
  get maxRemovals(): number | string | undefined {
    const value = this.get("maxRemovals");
    return typeof value === "number" || typeof value === "string" ? value : undefined;
  }

  get forbiddenPrefixes(): readonly Prefix[] {
    return this.prefixList("forbiddenPrefixes");
  }

  get requiredPrefixes(): readonly Prefix[] {
    return this.prefixList("requiredPrefixes");
  }

  get node(): Connection {
    return this.connection("node", { one: "packetfilter:endpoint", many: "packetfilter:nodes", url: "endpoint" });
  }

  /** The node's address that the last update used; unknown before the first one. */
  get endpoint(): string | undefined {
    const value = this.raw.endpoint;
    return typeof value === "string" && !isUnknown(value) ? value : undefined;
  }

  private entriesOfSet(): readonly Entry[] {
    const values = record(this.get("entries"));
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
    for (const text in values) {
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

/** A `CloudSignaling`. */
export class SignalingResource extends ResourceBase {
  declare readonly meta: ResourceMeta & { readonly kind: "CloudSignaling" };

  get prefixes(): readonly Prefix[] {
    return this.prefixList("prefixes");
  }

  get receiver(): Connection {
    const keys = { one: "packetfilter:signalingUrl", many: "packetfilter:receivers", url: "url" };
    return this.connection("receiver", keys);
  }
}

/** Any resource that rules judge. */
export type Resource = SetResource | SignalingResource;

/** The one place where properties from the engine are turned into something that rules can read. */
export function readResource(meta: ResourceMeta, properties: Readonly<Record<string, unknown>>): Resource {
  return meta.kind === "CloudSignaling" ? new SignalingResource(meta, properties) : new SetResource(meta, properties);
}
