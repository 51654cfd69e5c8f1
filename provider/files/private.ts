import { closeSync } from "node:fs";
import { openOwnSync } from "./no-links";

/** The mode of files that may hold secrets, or information about attacks: state, journals, records that were refused. */
export const PRIVATE_FILE = 0o600;

/** The mode of folders that are made for such files. */
export const PRIVATE_FOLDER = 0o700;

/** Makes such a file where there is none, for libraries that take a name and would make it readable for every user. */
export function makePrivate(file: string): void {
  closeSync(openOwnSync(file, "append", PRIVATE_FILE));
}
