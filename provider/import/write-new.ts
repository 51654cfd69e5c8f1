import { link, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFoldersLater } from "../files/make-folders";
import { refuseLinks } from "../files/no-links";
import { draftIn, removeLeftDrafts, SHARED_FILE, writeDraft } from "../files/whole-file";
import { codeOf } from "../model/errors";

/**
 * Writes new files into a folder, which is made where it is missing: all of them, or none. Each is written to the disk
 * under another name first and then linked to its own, which fails where there is a file already.
 *
 * @param files Name to content.
 * @throws {Error} where one of them exists; then nothing has changed
 */
export async function writeNew(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const name of files.keys()) refuseLinks(join(folder, name));
  await makeFoldersLater(folder);
  await removeLeftDrafts(folder);
  const drafts = [...files].map(([name, content]) => ({ content, draft: draftIn(folder), path: join(folder, name) }));
  const linked: string[] = [];
  try {
    for (const { draft, content } of drafts) await writeDraft(draft, content, SHARED_FILE);
    for (const { draft, path } of drafts) {
      await link(draft, path).catch((error) => {
        if (codeOf(error) !== "EEXIST") throw error;
        throw new Error(
          `${path} exists, and is not overwritten: name another folder, or move the file away. Nothing was written.`,
        );
      });
      linked.push(path);
    }
  } catch (error) {
    await Promise.all(linked.map((path) => rm(path, { force: true })));
    throw error;
  } finally {
    await Promise.all(drafts.map(({ draft }) => rm(draft, { force: true })));
  }
}
