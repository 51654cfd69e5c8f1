import { lstatSync } from "node:fs";
import { makeFolders } from "./make-folders";
import { PRIVATE_FOLDER } from "./private";

/** Rights of all users other than the owner. */
const OTHERS = 0o077;

/**
 * Makes a folder that is this user's alone, or finds it: its content was written by processes of this user.
 *
 * @throws {Error} where there is none, and for anything else of that name: a link, a folder of another user, or one that others
 * may use. Another user can make such a thing first, and nothing is to be believed that stands in it.
 */
export function privateFolder(folder: string): string {
  makeFolders(folder, PRIVATE_FOLDER);
  const found = lstatSync(folder);
  // Windows has neither, and gives each user folders that are private.
  const own = process.getuid?.();
  if (!found.isDirectory()) throw new Error(`${folder} is not a folder`);
  if (own !== undefined && found.uid !== own) throw new Error(`${folder} belongs to another user (${found.uid})`);
  if (own !== undefined && (found.mode & OTHERS) !== 0)
    throw new Error(`other users may use ${folder} (it needs mode 700)`);
  return folder;
}
