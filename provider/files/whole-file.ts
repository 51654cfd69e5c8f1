import { randomUUID } from "node:crypto";
import { chmod, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Puts a file in the place of another, or of none: the content is written beside it, to the disk, and renamed. A process that
 * reads it, and a kill at any moment, finds the old file or the new one, and whole. The file's mode stays as it was.
 */
export async function replaceFile(file: string, content: string): Promise<void> {
  const draft = draftIn(dirname(file));
  try {
    await writeDraft(draft, content);
    const mode = await stat(file).then(
      (found) => found.mode & 0o7777,
      () => undefined,
    );
    if (mode !== undefined) await chmod(draft, mode);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** A name for a file that takes its own name once it is whole. */
export function draftIn(folder: string): string {
  return join(folder, `.${randomUUID()}.tmp`);
}

/** Writes a new file to the disk. @throws where there is one already */
export async function writeDraft(draft: string, content: string): Promise<void> {
  const handle = await open(draft, "wx");
  try {
    await handle.writeFile(content, "utf8");
    await handle.sync();
  } finally {
    await handle.close();
  }
}
