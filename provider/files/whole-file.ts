import { randomUUID } from "node:crypto";
import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { codeOf } from "../model/errors";
import { hasEnded } from "./ended-process";
import { readOwn, refuseLinks } from "./no-links";
import { PRIVATE_FILE } from "./private";

/** The mode of a new file that every user may read, as far as the process's umask lets them. */
export const SHARED_FILE = 0o666;

/**
 * Puts a file in the place of another, or of none: the content is written beside it, to the disk, and renamed. A process that
 * reads it, and a kill at any moment, finds the old file or the new one, and whole. The file's mode stays as it was, and what
 * is written beside has it before its first byte. What killed processes left beside is removed.
 *
 * @param mode Of a file that is new.
 * @throws {Error} where a link stands in its place, as {@link refuseLinks} says; the system's, about the file and not its draft
 */
export async function replaceFile(file: string, content: string, mode: number = PRIVATE_FILE): Promise<void> {
  refuseLinks(file);
  const folder = dirname(file);
  await removeLeftDrafts(folder);
  const draft = draftIn(folder);
  try {
    const existing = await stat(file).then(
      (found) => found.mode & 0o7777,
      () => undefined,
    );
    await writeDraft(draft, content, mode, existing);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    if (!(error instanceof Error)) throw error;
    throw Object.assign(error, { message: error.message.replaceAll(draft, file), path: file });
  }
}

/** The text of a file; `undefined` where there is none. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readOwn(file);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** A name for a file that takes its own name once it is whole. It says which process writes it. */
export function draftIn(folder: string): string {
  return join(folder, `${ownDrafts()}${process.pid}-${randomUUID()}.tmp`);
}

/**
 * Writes a new file to the disk.
 *
 * @param mode Of the file, less what the umask takes.
 * @param exact The mode whatever the umask says; no other user reads the file before it has that.
 * @throws where there is one already
 */
export async function writeDraft(draft: string, content: string, mode: number, exact?: number): Promise<void> {
  const handle = await open(draft, "wx", exact === undefined ? mode : PRIVATE_FILE & exact);
  try {
    if (exact !== undefined) await handle.chmod(exact);
    await handle.writeFile(content, "utf8");
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes drafts of processes of this machine that have ended. */
export async function removeLeftDrafts(folder: string): Promise<void> {
  const begin = ownDrafts();
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const pid = name.startsWith(begin) && name.endsWith(".tmp") ? Number.parseInt(name.slice(begin.length), 10) : 0;
    if (pid > 0 && hasEnded({ host: hostname(), pid })) await rm(join(folder, name), { force: true });
  }
}

function ownDrafts(): string {
  return `.packetfilter-${encodeURIComponent(hostname())}-`;
}
