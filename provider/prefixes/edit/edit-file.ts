import { realpath } from "node:fs/promises";
import { extname } from "node:path";
import { readIfThere, replaceFile, SHARED_FILE } from "../../files/whole-file";
import { some } from "../../model/text";
import { makeEntry, type PrefixEntries, type PrefixEntry, plainEntry } from "../entries";
import { parsePrefixes } from "../read";
import type { Edit, EntryChange } from "./edit";
import { editJson } from "./json-document";
import { withLock } from "./lock";
import { editYaml } from "./yaml-document";

/** What a file said before, and what it says now. */
interface Edited {
  readonly before: PrefixEntries;
  readonly after: PrefixEntries;
}

/** The kinds of files that are edited; the others have no place for a reason, or are written by machines. */
export const EDITABLE = [".json", ".yaml", ".yml"];

/** A prefix file that no other command edits meanwhile. */
export interface LockedFile {
  /**
   * Edits it as it stands now. Comments, order and indentation stay. The new content is written beside the file and takes
   * its place in one step, so that a reader sees the old file or the new one. A file that is missing is made.
   *
   * @param decide Is told what the file says now, and says what is to change; what it throws leaves the file as it is.
   * @throws {PrefixFileError} when the file does not read as a prefix file; it is left as it is
   * @throws {Error} when an edit is not possible in this file, with the reason
   */
  edit(decide: (entries: PrefixEntries) => Edit): Promise<Edited>;
}

/**
 * Holds a prefix file, as `readPrefixFile` reads it, for some work: an object or map of prefixes, or an array. Other editors
 * wait until the work has ended.
 */
export async function withPrefixFile<T>(file: string, work: (file: LockedFile) => Promise<T>): Promise<T> {
  // A link stays a link: what it leads to is replaced.
  const target = await realpath(file).catch(() => file);
  let last: Promise<unknown> = Promise.resolve();
  // One after another, though the work may ask for several at once.
  const edit: LockedFile["edit"] = (decide) => {
    const edited = last.then(() => editLocked(file, target, decide));
    last = edited.catch(() => undefined);
    return edited;
  };
  return withLock(target, () => work({ edit }));
}

async function editLocked(file: string, target: string, decide: (entries: PrefixEntries) => Edit): Promise<Edited> {
  const edit = extname(file).toLowerCase() === ".json" ? editJson : editYaml;
  const text = (await readIfThere(target)) ?? "";
  const before = parse(file, text);
  const changes = decide(before);
  const wanted = expected(before, changes);
  if (same(before, wanted)) return { before, after: before };
  const next = edit(text, changes);
  const after = parse(file, next);
  if (!same(after, wanted)) throw notAsMeant(file, after, wanted);
  await replaceFile(target, next, SHARED_FILE);
  return { before, after };
}

function parse(file: string, text: string): PrefixEntries {
  return text.trim() === "" ? {} : parsePrefixes(text, { file, allowEmpty: true });
}

/** What the file must say afterwards: the edit is checked against it before anything is written. */
function expected(before: PrefixEntries, changes: Edit): PrefixEntries {
  const after = { ...before };
  for (const [prefix, change] of changes) {
    if (change === undefined) delete after[prefix];
    else after[prefix] = entryAfter(after[prefix], change);
  }
  return after;
}

/** What an entry says after a change. */
function entryAfter(entry: PrefixEntry = plainEntry(1), change: EntryChange): PrefixEntry {
  const { value = entry.value, reason = entry.reason, ticket = entry.ticket } = change;
  const expires = change.expires === undefined ? entry.expires : (change.expires ?? undefined);
  const sent = change.sent === undefined ? entry.sent : (change.sent ?? undefined);
  return makeEntry(value, { reason, ticket, expires, sent });
}

function same(a: PrefixEntries, b: PrefixEntries): boolean {
  return Object.keys(a).length === Object.keys(b).length && differing(a, b).length === 0;
}

function differing(a: PrefixEntries, b: PrefixEntries): string[] {
  const text = (entry: PrefixEntry | undefined) =>
    JSON.stringify([entry?.value, entry?.reason, entry?.ticket, entry?.expires, entry?.sent]);
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((prefix) => text(a[prefix]) !== text(b[prefix]));
}

function notAsMeant(file: string, after: PrefixEntries, wanted: PrefixEntries): Error {
  return new Error(
    `${file}: ${some(differing(after, wanted))} cannot be edited here, since a range, an alias or another entry of the file says it too. Nothing was changed: edit the file by hand.`,
  );
}
