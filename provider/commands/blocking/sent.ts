import { formatSent, parseSent, type SentTo, sentIn, sentPlace } from "../../model/entry";
import type { CanonicalPrefix } from "../../model/prefix";
import type { ListedMap, PrefixMap } from "../../model/prefix-map";
import type { Edit, EntryChange } from "../../prefixes/edit/edit";
import type { Decide, PrefixFileEditor } from "../../prefixes/edit/edit-file";
import type { PrefixEntries, PrefixEntry } from "../../prefixes/entries";
import { isExpired } from "../../reconcile/entries";
import type { CliIo } from "../cli-io";
import { isoOf } from "../time-spans";

/** A set at a node, and the file that records the entries sent to it. */
export interface Memory {
  readonly file: PrefixFileEditor;
  readonly endpoint: string;
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** True: entries of another writer are changed, and so become those of the file. */
  readonly isForced: boolean;
}

/**
 * Records the entries that a command is about to send, but no entries of another writer. This happens before the request, so
 * that a killed command leaves no entry that the file does not know.
 */
export async function rememberSent(memory: Memory, put: PrefixMap, observed: ListedMap): Promise<void> {
  if (put.size === 0) return;
  const place = sentPlace(memory.endpoint, memory.url);
  await memory.file.edit((entries) => {
    const changes = [...put].map(([prefix, value]): [CanonicalPrefix, EntryChange] => {
      const { [place]: before, ...others } = sentTo(entries[prefix]);
      const held = observed.get(prefix);
      const isOurs = held === undefined || held === before || (memory.isForced && held !== value);
      const sent = textOrNull(isOurs ? { ...others, [place]: value } : others);
      // If another command has removed the entry meanwhile, it is recorded as expired, to be removed again.
      return [prefix, entries[prefix] ? { sent } : { value, expires: isoOf(memory.now), sent }];
    });
    return new Map(changes);
  });
}

/**
 * Removes an entry from the file. One that is still in a set stays as expired, so that an `up` or the same command can remove it.
 *
 * @param places Places at which the command itself is about to remove it.
 */
export function withdrawn(entry: PrefixEntry, places: readonly string[], now: number): EntryChange | undefined {
  const sent = textOrNull({ ...Object.fromEntries(places.map((place) => [place, entry.value])), ...sentTo(entry) });
  if (sent === null) return undefined;
  return { sent, ...(!isExpired(entry.expires, now) && { expires: isoOf(now) }) };
}

/** Makes an edit that may wait for the next command, if this one is asked to end. */
export async function tidied(
  file: PrefixFileEditor,
  decide: Decide,
  { stop }: Pick<CliIo, "stop">,
): Promise<PrefixEntries> {
  try {
    const { after } = await file.edit(decide);
    return after;
  } catch (error) {
    if (!stop.aborted) throw error;
    return file.read();
  }
}

/** Removes the records of expired entries that are gone from the set, or belong to another writer there. */
export async function forgetGone(memory: Memory, after: ListedMap, io: CliIo): Promise<void> {
  const place = sentPlace(memory.endpoint, memory.url);
  const decide = (entries: PrefixEntries): Edit => {
    const gone = Object.entries(entries).filter(([prefix, entry]) => {
      if (!isExpired(entry.expires, memory.now)) return false;
      const value = sentTo(entry)[place];
      return value !== undefined && after.get(prefix as CanonicalPrefix) !== value;
    });
    return new Map(
      gone.map(([prefix, entry]): [CanonicalPrefix, EntryChange | undefined] => {
        const { [place]: _, ...others } = sentTo(entry);
        const left = textOrNull(others);
        return [prefix as CanonicalPrefix, left === null ? undefined : { sent: left }];
      }),
    );
  };
  await tidied(memory.file, decide, io);
}

export function sentTo(entry: PrefixEntry | undefined): SentTo {
  return parseSent(sentIn(entry)) ?? {};
}

function textOrNull(sent: SentTo): string | null {
  return Object.keys(sent).length === 0 ? null : formatSent(sent);
}
