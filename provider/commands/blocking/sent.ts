import { sentPlace } from "../../model/entry";
import type { CanonicalPrefix } from "../../model/prefix";
import type { ListedMap, PrefixMap } from "../../model/prefix-map";
import type { Edit, EntryChange } from "../../prefixes/edit/edit";
import type { LockedFile } from "../../prefixes/edit/edit-file";
import type { PrefixEntry } from "../../prefixes/entries";
import { isExpired } from "../../resources/entries";
import { isoOf } from "./until";

/** A set at a node, and the file that remembers what was put there. */
export interface Memory {
  readonly file: LockedFile;
  readonly endpoint: string;
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Remembers what a command is about to put into a set, and only what is not there yet, or what it put there before: an entry of
 * another writer stays that. Before anything is sent, so that a command that is killed, or loses an answer, leaves nothing
 * behind that no file knows of.
 */
export async function rememberSent(memory: Memory, put: PrefixMap, observed: ListedMap): Promise<void> {
  if (put.size === 0) return;
  const place = sentPlace(memory.endpoint, memory.url);
  await memory.file.edit((entries) => {
    const changes = [...put].map(([prefix, value]): [CanonicalPrefix, EntryChange] => {
      const { [place]: before, ...others } = entries[prefix]?.sent ?? {};
      const held = observed.get(prefix);
      const isOurs = held === undefined || held === before;
      const sent = orNull(isOurs ? { ...others, [place]: value } : others);
      // Taken out by another command meanwhile: what is sent all the same has to go again.
      return [prefix, entries[prefix] ? { sent } : { value, expires: isoOf(memory.now), sent }];
    });
    return new Map(changes);
  });
}

/**
 * How an entry leaves the file: one that is to be removed somewhere stays until it is gone there, as expired, so that an `up`
 * or the same command again can remove it.
 *
 * @param places Where the command itself is about to remove it.
 */
export function withdrawn(entry: PrefixEntry, places: readonly string[], now: number): EntryChange | undefined {
  const sent = { ...Object.fromEntries(places.map((place) => [place, entry.value])), ...entry.sent };
  if (Object.keys(sent).length === 0) return undefined;
  return { sent, ...(!isExpired(entry.expires, now) && { expires: isoOf(now) }) };
}

/** Forgets what has expired and is gone from the set, or is another writer's there: nothing is left to be removed. */
export async function forgetGone(memory: Memory, after: ListedMap): Promise<void> {
  const place = sentPlace(memory.endpoint, memory.url);
  await memory.file.edit((entries): Edit => {
    const gone = Object.entries(entries).filter(
      ([prefix, { sent, expires }]) =>
        sent?.[place] !== undefined &&
        isExpired(expires, memory.now) &&
        after.get(prefix as CanonicalPrefix) !== sent[place],
    );
    return new Map(
      gone.map(([prefix, { sent }]): [CanonicalPrefix, EntryChange | undefined] => {
        const { [place]: _, ...others } = sent ?? {};
        const left = orNull(others);
        return [prefix as CanonicalPrefix, left === null ? undefined : { sent: left }];
      }),
    );
  });
}

function orNull(sent: Readonly<Record<string, number>>): EntryChange["sent"] {
  return Object.keys(sent).length === 0 ? null : sent;
}
