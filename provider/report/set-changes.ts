import type { EntryNote } from "../model/entry";
import type { CanonicalPrefix } from "../model/prefix";
import { compareNames, count } from "../model/text";
import { isExpired } from "../reconcile/entries";
import { addressesOf, entryList } from "./entry-lists";
import type { EntryChange, ResourceChange, SetReport, WholeChange } from "./model";
import type { NotedEntry, Place, SetContent } from "./set-content";

interface Owned extends NotedEntry {
  readonly resource: string;
}

/** Effect of a step on the part of a set that its resource has. */
export interface SetStep {
  readonly resource: ResourceChange;
  readonly before?: SetContent | undefined;
  readonly after?: SetContent | undefined;
  /** True for an entry that leaves the program and stays at the node. */
  readonly keeps: (prefix: CanonicalPrefix) => boolean;
  /** Entries that stay, because the node may be the same machine as one that wants them. */
  readonly unproven?: ReadonlySet<CanonicalPrefix>;
  /** Entries of which the engine says that the value or the note differs, where both are secret. */
  readonly differs: (prefix: CanonicalPrefix) => "value" | "note" | undefined;
}

/**
 * One set of one node, with all resources of the preview that have a part in it: an entry that leaves one of them and comes
 * into another neither comes nor goes. Resources that do not change are not in a preview, so that an entry which one of
 * them holds as well counts as gone here.
 */
export class SetChanges {
  private readonly before = new Map<CanonicalPrefix, Owned>();
  private readonly after = new Map<CanonicalPrefix, Owned>();
  private readonly staying = new Set<CanonicalPrefix>();
  private readonly unproven = new Set<CanonicalPrefix>();
  private readonly expired = new Map<CanonicalPrefix, EntryNote>();
  private readonly differing = new Map<CanonicalPrefix, "value" | "note">();
  private readonly resources: ResourceChange[] = [];
  private readonly drift = { in: 0, out: 0, changed: 0 };
  private unknown = 0;
  private hidden = false;

  /** @param places Where it is the same: one node, or several. */
  constructor(
    readonly places: readonly Place[],
    readonly url: string,
  ) {}

  /** Takes the part of a step that concerns this set. */
  add({ resource, before, after, keeps, unproven, differs }: SetStep): void {
    this.resources.push(resource);
    for (const held of [before, after]) this.hidden ||= held?.isHidden ?? false;
    if (after?.isUnknown) this.unknown += 1;
    for (const [prefix, entry] of before?.entries ?? []) {
      if (keeps(prefix)) this.staying.add(prefix);
      if (unproven?.has(prefix)) this.unproven.add(prefix);
      this.before.set(prefix, { ...entry, resource: resource.name });
    }
    for (const [prefix, entry] of after?.entries ?? []) {
      this.after.set(prefix, { ...entry, resource: resource.name });
      const difference = differs(prefix);
      if (difference) this.differing.set(prefix, difference);
    }
    for (const [prefix, note] of after?.expired ?? []) this.expired.set(prefix, note);
  }

  /** Takes what a refresh found: what the state said, and what the node holds. */
  addDrift(state: SetContent, live: SetContent): void {
    for (const [prefix, { value }] of live.entries) {
      const former = state.entries.get(prefix);
      if (!former) this.drift.in += 1;
      else if (former.value !== value) this.drift.changed += 1;
    }
    for (const prefix of state.entries.keys()) if (!live.entries.has(prefix)) this.drift.out += 1;
  }

  report(now: number): SetReport {
    const [coming, going, changed, renoted]: EntryChange[][] = [[], [], [], []];
    for (const [prefix, { value: to, note, resource }] of this.after) {
      const earlier = this.before.get(prefix);
      if (!earlier) {
        coming?.push({ prefix, to, ...written(note), resource });
        continue;
      }
      const difference = earlier.value === to ? this.differing.get(prefix) : "value";
      const notes = { ...written(note), ...(!sameNote(earlier.note, note) && { noteBefore: { ...earlier.note } }) };
      if (difference === "value") changed?.push({ prefix, from: earlier.value, to, ...notes, resource });
      else if (difference === "note" || notes.noteBefore) renoted?.push({ prefix, from: to, to, ...notes, resource });
    }
    for (const [prefix, { value: from, note: last, resource }] of this.before) {
      if (this.after.has(prefix) || this.staying.has(prefix) || this.unproven.has(prefix)) continue;
      const note = this.expired.get(prefix) ?? last;
      const isOver = this.expired.has(prefix) || isExpired(note.expires, now);
      going?.push({ prefix, from, ...written(note), resource, ...(isOver && { expired: true as const }) });
    }
    const left = (prefixes: ReadonlySet<CanonicalPrefix>) =>
      [...prefixes].filter((prefix) => !this.after.has(prefix)).length;
    const unproven = left(this.unproven);
    const { in: more, out: fewer, changed: others } = this.drift;
    const [place] = this.places;
    const node = place && this.places.length === 1 ? place : { label: count(this.places.length, "node") };
    return {
      node: node.label,
      ...(node.endpoint !== undefined && { endpoint: node.endpoint }),
      ...(this.places.length > 1 && { nodes: this.places.map(({ label }) => label).sort(compareNames) }),
      url: this.url,
      resources: this.resources,
      in: entryList(coming ?? []),
      out: entryList(going ?? []),
      changed: entryList(changed ?? []),
      renoted: entryList(renoted ?? []),
      kept: left(this.staying),
      ...(unproven > 0 && { unproven }),
      unknown: this.unknown,
      hidden: this.hidden,
      ...(more + fewer + others > 0 && { drift: { ...this.drift } }),
      expiring: this.expiring(),
    };
  }

  private expiring(): SetReport["expiring"] {
    const timed = [...this.after].flatMap(([prefix, { note }]) =>
      note.expires === undefined ? [] : [{ prefix, expires: note.expires }],
    );
    return timed.sort((a, b) => Date.parse(a.expires) - Date.parse(b.expires));
  }
}

function written(note: EntryNote): Pick<EntryChange, "note"> {
  return Object.keys(note).length > 0 ? { note: { ...note } } : {};
}

function sameNote(a: EntryNote, b: EntryNote): boolean {
  return a.reason === b.reason && a.ticket === b.ticket && a.expires === b.expires;
}

type Shared = Omit<WholeChange, "names" | "prefixes" | "addresses">;

/** Resources that are deleted or replaced; single entries of one set that share an outcome are one item. */
export class WholeChanges {
  private readonly items = new Map<string, { shared: Shared; names: string[]; prefixes: string[] }>();

  /** @param prefixes What the resource held. */
  add(name: string, prefixes: readonly string[], shared: Shared): void {
    const key = JSON.stringify(shared.type === "PrefixSetEntry" ? shared : [name, this.items.size]);
    const item = this.items.get(key) ?? { shared, names: [], prefixes: [] };
    item.names.push(name);
    for (const prefix of prefixes) item.prefixes.push(prefix);
    this.items.set(key, item);
  }

  report(): WholeChange[] {
    return [...this.items.values()].map(({ shared, names, prefixes }) => ({
      ...shared,
      names,
      prefixes: prefixes.length,
      addresses: addressesOf(prefixes),
    }));
  }
}
