import { hash } from "node:crypto";
import type { About } from "../engine/handler";
import type { ListedValue } from "../model/entry";
import type { CanonicalPrefix } from "../model/prefix";
import { type ListedMap, madeOnce, NOTHING } from "../model/prefix-map";

/**
 * Notes of what the runs of this user are about to send. They outlive a killed run, whose entries no state has: the next run
 * finds them there, and settles them.
 */
export interface SentNotes {
  /**
   * Notes keys before they are sent.
   *
   * @param names Names of the sender, one of which a later run has, too.
   * @param isLasting True: the note outlives also a run that ends in order, until it is settled. Default: false.
   */
  note(place: string, names: readonly string[], keys: readonly string[], isLasting?: boolean): void;
  /** Keys that ended runs noted under one of these names; without names, under any. */
  noted(place: string, names?: readonly string[]): Pick<ReadonlySet<string>, "has" | "size">;
  /** Drops the notes of ended runs, and the lasting ones of this one: their keys are in a state, or gone. */
  settle(place: string, names: readonly string[]): void;
}

/** Keeps no notes. */
export const NO_NOTES: SentNotes = { note() {}, noted: () => new Set<string>(), settle() {} };

/** Short text that stands for entries: equal entries have the same, in whatever order. */
export const digestOf = madeOnce((entries: ListedMap): string => {
  const lines = [...entries].map(([prefix, value]) => `${prefix} ${value}`).sort();
  return hash("sha256", lines.join("\n"), "base64url").slice(0, 12);
});

/** Declaration of a resource of the program: a key, or the entries of a set or of a part of it. */
export type Sender = string | ListedMap;

/** The notes about one set of a node, or about the signalings of a receiver. */
export class SentBefore {
  /** Resource of the program, by its declaration. */
  private readonly owners = new Map<Sender, string>();

  constructor(
    private readonly notes: SentNotes,
    private readonly place: string,
    private readonly run: SentRun = {},
  ) {}

  /** Records the resource and stack of a declaration. */
  declare(sender: Sender, { urn, owner = urn }: About): void {
    if (owner !== undefined) this.owners.set(sender, owner);
    this.run.owner ??= owner;
  }

  /**
   * Names of a resource: the one of the program, and its state in its stack, since another stack may have an equal one. A run that
   * knows no stack, as a refresh or destroy of dynamic resources, finds the state of any.
   *
   * @param sender `undefined` for a refresh or destroy, which knows no program.
   * @param state Makes a text that stands for the state, if there is one.
   */
  names(sender: Sender | undefined, state?: () => string): Names {
    return (isNote) => {
      const [own, texts] = [this.ownerOf(sender), state ? [state()] : []];
      const { owner } = this.run;
      if (owner === undefined) return texts;
      const ofStack = texts.map((text) => `${stackOf(owner)} ${text}`);
      return [...(own ? [own] : []), ...ofStack, ...(isNote ? texts : [])];
    };
  }

  /** Several resources may have a part of one set each: the entries tell them apart. */
  private ownerOf(sender: Sender | undefined): string | undefined {
    if (sender === undefined) return undefined;
    if (typeof sender === "string") return this.owners.get(sender);
    const parts = [...this.owners].flatMap(([part, owner]) => (typeof part === "string" ? [] : [{ part, owner }]));
    const isOne = parts.every(({ owner }) => owner === parts[0]?.owner);
    return parts.find(({ part }) => isOne || digestOf(part) === digestOf(sender))?.owner;
  }

  /** True if a killed run has left a note under one of these names. */
  isNoted(names: Names): boolean {
    return !this.isEmpty && this.notes.noted(this.place, names()).size > 0;
  }

  /** True if no killed run has left a note. */
  private get isEmpty(): boolean {
    return this.notes.noted(this.place).size === 0;
  }

  /** Notes those of these entries that the list lacks. */
  note(names: Names, entries: ListedMap, observed: ListedMap = NOTHING): void {
    const keys = absent(entries, observed);
    const its = keys.length > 0 ? names(true) : [];
    if (its.length > 0) this.notes.note(this.place, its, keys);
  }

  /** Listed entries that a killed run sent under one of these names, and that the state does not have. */
  found(names: Names, listed: ListedMap, known: Pick<ListedMap, "has">): ReadonlySet<CanonicalPrefix> {
    if (this.isEmpty) return new Set();
    const noted = this.notes.noted(this.place, names());
    const isOurs = (entry: Entry) => !known.has(entry[0]) && noted.has(keyOf(entry));
    return new Set([...listed].filter(isOurs).map(([prefix]) => prefix));
  }

  /** Notes listed prefixes whose removal or other value is about to be staged. */
  noteChanged(prefixes: readonly CanonicalPrefix[]): void {
    if (prefixes.length > 0) this.notes.note(this.changes, CHANGES, prefixes, true);
  }

  /** True if an earlier run has left notes. */
  get hasNotes(): boolean {
    return !this.isEmpty || this.notes.noted(this.changes).size > 0;
  }

  /** Listed prefixes whose removal or other value an earlier run may have left staged, whichever resource sent it: any commit would publish it. */
  changedIn(listed: ListedMap): readonly CanonicalPrefix[] {
    const noted = this.notes.noted(this.changes);
    return noted.size === 0 ? [] : [...listed.keys()].filter((prefix) => noted.has(prefix));
  }

  /** Drops those notes: a commit has taken the changes back, or carried them out. */
  settleChanged(): void {
    this.notes.settle(this.changes, CHANGES);
  }

  private get changes(): string {
    return `${this.place} changed`;
  }

  /** Drops the notes under these names once the state has all that they name. */
  settleKnown(names: Names, known: ListedMap): void {
    if (this.isEmpty) return;
    const noted = this.notes.noted(this.place, names());
    const isNoted = (entry: Entry) => noted.has(keyOf(entry));
    if (noted.size > 0 && [...known].filter(isNoted).length === noted.size) this.notes.settle(this.place, names());
  }

  settle(names: Names): void {
    if (!this.isEmpty) this.notes.settle(this.place, names());
  }
}

/** Names of a resource, made only if there is something to note or to find. @param isNote True: also those by which a refresh finds it. */
export type Names = (isNote?: boolean) => readonly string[];

/** The run of a stack. */
export interface SentRun {
  /** Any resource of the stack, by its name or urn; absent until one is known. */
  owner?: string | undefined;
}

/** Stack and project in `urn:pulumi:stack::project::type::name`, with or without what precedes them. */
function stackOf(owner: string): string {
  const [stack, project] = owner.replace(/^urn:pulumi:/, "").split("::");
  return `${stack}::${project}`;
}

/** Changes of listed entries are noted under one name, since a staged one is published by any commit. */
const CHANGES = ["changes"];

type Entry = readonly [CanonicalPrefix, ListedValue];

function keyOf([prefix, value]: Entry): string {
  return `${prefix} ${value}`;
}

/** Keys of entries to insert that a list does not show. */
const absent = madeOnce((entries: ListedMap, observed: ListedMap): readonly string[] => {
  const keys: string[] = [];
  entries.forEach((value, prefix) => {
    if (observed.get(prefix) !== value) keys.push(keyOf([prefix, value]));
  });
  return keys;
});
