import { extname } from "node:path";
import { refuseLinks } from "../../files/no-links";
import { readIfThere, replaceFile, SHARED_FILE } from "../../files/whole-file";
import { sentIn } from "../../model/entry";
import { caught } from "../../model/errors";
import type { CanonicalPrefix } from "../../model/prefix";
import { some } from "../../model/text";
import { makeEntry, type PrefixEntries, type PrefixEntry, plainEntry } from "../entries";
import { parsePrefixes } from "../read";
import type { Edit, EntryChange } from "./edit";
import { editJson } from "./json-document";
import { type LockWait, withLock } from "./lock";
import { editYaml } from "./yaml-document";

/** Content of a file before and after an edit. */
export interface Edited {
  readonly before: PrefixEntries;
  readonly after: PrefixEntries;
}

/** Extensions of files that can be edited; others have no place for a reason, or are written by machines. */
export const EDITABLE = [".json", ".yaml", ".yml"];

/** Returns the changes for the content of the file. An error leaves the file unchanged. It may be called more than once. */
export type Decide = (entries: PrefixEntries) => Edit;

/**
 * Editor of a prefix file that other commands may edit at the same time: an object or map of prefixes, or an array.
 */
export interface PrefixFileEditor {
  /** True once an edit has replaced the file. One that changes nothing leaves it. */
  readonly isWritten: boolean;
  /**
   * Edits the present content. Comments, order and indentation stay. The new content replaces the file in one step, so that
   * readers see the old file or the new one. A missing file is created. Edits that come during another one are written
   * together.
   *
   * @throws {PrefixFileError} if the file cannot be read as a prefix file; it is left unchanged
   * @throws {Error} if an edit is not possible in this file, with the reason
   */
  edit(decide: Decide): Promise<Edited>;
  /** Reads the file without waiting for its lock. @throws {PrefixFileError} */
  read(): Promise<PrefixEntries>;
}

interface Writing {
  /** Called once the file is replaced. */
  written(): void;
}

interface Waiting {
  readonly decide: Decide;
  resolve(edited: Edited): void;
  reject(error: unknown): void;
}

/** @param wait Wait of its edits for those of other processes. */
export function prefixFileEditor(file: string, wait: LockWait = {}): PrefixFileEditor {
  let waiting: Waiting[] = [];
  let isRunning = false;
  let isWritten = false;
  const written = () => {
    isWritten = true;
  };
  const run = async () => {
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      await carryOut(file, group, { ...wait, written });
    }
    isRunning = false;
  };
  return {
    get isWritten() {
      return isWritten;
    },
    edit: (decide) =>
      new Promise((resolve, reject) => {
        waiting.push({ decide, resolve, reject });
        if (isRunning) return;
        isRunning = true;
        void run();
      }),
    read: async () => parse(file, (await readIfThere(file)) ?? ""),
  };
}

/** Content of a file after an edit. @throws what `decide` throws */
export function edited(before: PrefixEntries, decide: Decide): Edited {
  return { before, after: expected(before, decide(before)) };
}

async function carryOut(file: string, group: readonly Waiting[], wait: LockWait & Writing): Promise<void> {
  try {
    // Before the lock, which would be beside the link.
    refuseLinks(file);
    let answers: readonly (() => void)[] | undefined;
    while (!answers) answers = await withLock(file, (isOurs) => editLocked(file, group, isOurs, wait), wait);
    for (const answer of answers) answer();
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}

/** @returns the answers to the group; `undefined` if the lock was lost meanwhile, and nothing was written. */
async function editLocked(
  file: string,
  group: readonly Waiting[],
  isOurs: () => Promise<boolean>,
  { written }: Writing,
): Promise<readonly (() => void)[] | undefined> {
  const edit = extname(file).toLowerCase() === ".json" ? editJson : editYaml;
  const text = (await readIfThere(file)) ?? "";
  const first = parse(file, text);
  const all = new Map<CanonicalPrefix, EntryChange | undefined>();
  const answers: (() => void)[] = [];
  let before = first;
  for (const { decide, resolve, reject } of group) {
    try {
      const changes = decide(before);
      const own = { before, after: expected(before, changes) };
      for (const [prefix, change] of changes) all.set(prefix, change && { ...all.get(prefix), ...given(change) });
      answers.push(() => resolve(own));
      before = own.after;
    } catch (error) {
      answers.push(() => reject(error));
    }
  }
  if (!same(first, before)) {
    const next = caught(
      () => edit(text, all),
      Error,
      (error) => {
        throw new Error(`${file}: ${error.message}`, { cause: error });
      },
    );
    const after = parse(file, next);
    if (!same(after, before)) throw notAsMeant(file, after, before);
    if (!(await isOurs())) return undefined;
    await replaceFile(file, next, SHARED_FILE);
    written();
  }
  return answers;
}

/** The given members of a change. */
function given(change: EntryChange): EntryChange {
  return Object.fromEntries(Object.entries(change).filter(([, part]) => part !== undefined));
}
function parse(file: string, text: string): PrefixEntries {
  return text.trim() === "" ? {} : parsePrefixes(text, { file, allowEmpty: true });
}

/** Expected content after the edit, which is checked before anything is written. */
function expected(before: PrefixEntries, changes: Edit): PrefixEntries {
  const after = { ...before };
  for (const [prefix, change] of changes) {
    if (change === undefined) delete after[prefix];
    else after[prefix] = entryAfter(after[prefix], change);
  }
  return after;
}

/** Entry after a change. */
function entryAfter(entry: PrefixEntry = plainEntry(1), change: EntryChange): PrefixEntry {
  const { value = entry.value, reason = entry.reason, ticket = entry.ticket } = change;
  const expires = change.expires === undefined ? entry.expires : (change.expires ?? undefined);
  const sent = change.sent === undefined ? sentIn(entry) : (change.sent ?? undefined);
  return makeEntry(value, { reason, ticket, expires, sent });
}

function same(a: PrefixEntries, b: PrefixEntries): boolean {
  return Object.keys(a).length === Object.keys(b).length && differing(a, b).length === 0;
}

function differing(a: PrefixEntries, b: PrefixEntries): string[] {
  const text = (entry: PrefixEntry | undefined) =>
    JSON.stringify([entry?.value, entry?.reason, entry?.ticket, entry?.expires, sentIn(entry)]);
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((prefix) => text(a[prefix]) !== text(b[prefix]));
}

function notAsMeant(file: string, after: PrefixEntries, desired: PrefixEntries): Error {
  return new Error(
    `${file}: ${some(differing(after, desired))} cannot be edited here, since a range, an alias or another entry of the file says it too. Nothing was changed: edit the file by hand.`,
  );
}
