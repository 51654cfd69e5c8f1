import { appendFileSync, closeSync, constants, lstatSync, openSync, readFileSync, realpathSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { attempt, caught, codeOf } from "../model/errors";

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_RDONLY, O_RDWR, O_TRUNC, O_WRONLY } = constants;

/** Ways of opening a file. */
const WAYS = {
  read: O_RDONLY,
  append: O_WRONLY | O_APPEND | O_CREAT,
  "read and append": O_RDWR | O_APPEND | O_CREAT,
  replace: O_WRONLY | O_CREAT | O_TRUNC,
  new: O_WRONLY | O_CREAT | O_EXCL,
} as const;
type Way = keyof typeof WAYS;

/** Marks of a folder whose whole content may have come by one commit of a contributor. */
const CHECKOUT = [".git", "Pulumi.yaml", "Pulumi.yml"];

/** Links of the system, such as `/dev/stdout` and what a shell names by `<(…)`. */
const OF_THE_SYSTEM = /^\/(dev|proc)\//;

/**
 * Opens a file that is written, or that a contributor may have put there, and follows no link: a commit may bring one, and what
 * is written would go wherever it leads.
 *
 * @param mode Of a file that is new.
 * @throws {Error} naming the link
 */
export async function openOwn(file: string, way: Way, mode?: number): Promise<FileHandle> {
  refuseLinks(file);
  return open(file, flags(file, way), mode).catch((error) => {
    throw ofLink(error, file);
  });
}

/** {@link openOwn} at once: a descriptor. */
export function openOwnSync(file: string, way: Way, mode?: number): number {
  refuseLinks(file);
  try {
    return openSync(file, flags(file, way), mode);
  } catch (error) {
    throw ofLink(error, file);
  }
}

/** Adds to such a file by one call of the system, so that lines of several writers stay whole. */
export function appendOwnSync(file: string, text: string, mode: number): void {
  const handle = openOwnSync(file, "append", mode);
  try {
    appendFileSync(handle, text);
  } finally {
    closeSync(handle);
  }
}

/** The text of such a file, with its byte order mark. @throws {Error} for one that is not UTF-8: it could not be written back */
export async function readOwn(file: string): Promise<string> {
  await using handle = await openOwn(file, "read");
  const bytes = await handle.readFile();
  return caught(
    () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    TypeError,
    (cause) => {
      throw new Error(`${file} is not UTF-8 text: save it as UTF-8.`, { cause });
    },
  );
}

/**
 * The text of a file that is found by its name in a project, and not named by who runs this: a link is followed within the checkout
 * alone, where the change that brought it could as well have brought what it leads to.
 *
 * @throws {Error} naming the link, and the system's error where it cannot be read
 */
export function readFound(file: string): string {
  const path = resolve(file);
  const checkout = checkoutOf(path);
  if (checkout === undefined) return readFileSync(path, "utf8");
  const inside = relative(realpathSync(checkout), realpathSync(path)).split(sep);
  const isInside = inside[0] !== ".." && !isAbsolute(inside.join(sep)) && !inside.includes(".git");
  const handle = openOwnSync(isInside ? realpathSync(path) : path, "read");
  try {
    return readFileSync(handle, "utf8");
  } finally {
    closeSync(handle);
  }
}

/**
 * Refuses a path that is a link, and one with a link in it below the checkout that it lies in: above that, and elsewhere,
 * folders belong to who runs this. For writers that put a new file in the place of another.
 *
 * @throws {Error} naming the link
 */
export function refuseLinks(file: string): void {
  const path = resolve(file);
  if (OF_THE_SYSTEM.test(path)) return;
  const checkout = checkoutOf(path);
  const folders = foldersAbove(path);
  for (const place of [path, ...folders.slice(0, checkout === undefined ? 0 : folders.indexOf(checkout))])
    if (found(place)?.isSymbolicLink()) throw new Error(message(file, place));
}

/** The outermost folder above a file that looks like a checkout. */
function checkoutOf(path: string): string | undefined {
  return foldersAbove(path).findLast((folder) => CHECKOUT.some((name) => found(join(folder, name))));
}

/** The nearest first. */
function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...foldersAbove(folder)];
}

function found(path: string) {
  return attempt(() => lstatSync(path));
}

function flags(file: string, way: Way): number {
  return WAYS[way] | (OF_THE_SYSTEM.test(resolve(file)) ? 0 : O_NOFOLLOW);
}

/** The system's word for a link that came between the look and the opening. */
function ofLink(error: unknown, file: string): unknown {
  return codeOf(error) === "ELOOP" ? new Error(message(file, file)) : error;
}

function message(file: string, link: string): string {
  const what = resolve(file) === link || file === link ? "is a symbolic link" : `lies behind the symbolic link ${link}`;
  return `${file} ${what}, which is not followed: it may have come with a change, and lead anywhere. Name the file itself.`;
}
