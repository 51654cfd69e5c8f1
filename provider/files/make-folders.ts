import { existsSync, mkdirSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf } from "../model/errors";

/**
 * Makes a folder and the missing ones above it, level by level. Node's own recursive form never returns at a place that holds no
 * folders, such as `/proc/state`.
 *
 * @param mode Rights of those that are made. Default: all that the process's mask leaves.
 * @throws the system's error, if one of them cannot be made
 */
export function makeFolders(folder: string, mode?: number): void {
  for (const level of missing(folder)) {
    try {
      mkdirSync(level, { mode });
    } catch (error) {
      requireMade(level, error);
    }
  }
}

/** The same without a wait of the process, for disks that may be slow. */
export async function makeFoldersLater(folder: string, mode?: number): Promise<void> {
  for (const level of missing(folder)) await mkdir(level, { mode }).catch((error) => requireMade(level, error));
}

/** The folder and those above it that are not there, the highest first. */
function missing(folder: string): string[] {
  const above = dirname(folder);
  return [...(above === folder || existsSync(above) ? [] : missing(above)), folder];
}

/** Another process may have made it meanwhile. */
function requireMade(folder: string, error: unknown): void {
  if (codeOf(error) !== "EEXIST" || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
}
