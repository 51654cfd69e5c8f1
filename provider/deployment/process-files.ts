import { hash, randomUUID } from "node:crypto";
import { appendFileSync, lstatSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { hasEnded } from "../files/ended-process";
import { PRIVATE_FILE } from "../files/private";

/** Milliseconds after which what an ended process has left counts no longer. */
export const LEFT_MS = 24 * 3_600_000;

/** Stands in a name where the number of the process was: that process has ended its run in order, and may go on with another. */
const ENDED = "ended";

/** The name of a program's file begins so: it is all said once it is written, whether its process ends or serves other programs. */
export const PROGRAM = `program-${ENDED}-`;

const NAME = /^(?:sent-|program-)?(\d+|ended)-[\da-f-]{36}$/;

/** Texts by which the files of this process name keys: most are written more than once, and in more than one file. */
const hashes = new Map<string, string>();

/**
 * Files of the provider processes of this user in one private folder. Each process appends to a file of its own, whose name tells which
 * process it is, and the others read it. Texts in it are hashes, since they may be secret.
 */
export class ProcessFiles {
  /** Name of the file of this process. */
  readonly own: string;

  /** @param start Begins the name, with the number of the process. */
  constructor(
    readonly folder: string,
    start: `${number}-` | `sent-${number}-` | typeof PROGRAM,
  ) {
    this.own = `${start}${randomUUID()}`;
  }

  hashOf(text: string): string {
    const known = hashes.get(text);
    if (known !== undefined) return known;
    const made = hash("sha256", text, "base64url").slice(0, 22);
    hashes.set(text, made);
    return made;
  }

  /** Name of the own file once the run has ended in order: whichever process reads it knows that. */
  get ended(): string {
    return this.own.replace(/\d+/, ENDED);
  }

  /** Adds to the own file. @throws {Error} if it cannot be written, for example on a full disk: then a part of the text may stand there */
  append(text: string): void {
    appendFileSync(join(this.folder, this.own), text, { mode: PRIVATE_FILE });
  }
}

/** True for a file of a process of this machine that has ended, or has ended the run that the file is about. */
export function isOfEnded(name: string): boolean {
  const [, pid] = NAME.exec(name) ?? [];
  return pid === ENDED || (pid !== undefined && hasEnded({ host: hostname(), pid: Number(pid) }));
}

/**
 * The path of a file that a process of this user has written.
 *
 * @throws {Error} for anything else of that name: a link, a folder, or a file of another user
 */
export function ownFile(file: string): string {
  const found = lstatSync(file);
  const own = process.getuid?.();
  if (!found.isFile()) throw new Error(`${file} is not a file`);
  if (own !== undefined && found.uid !== own) throw new Error(`${file} belongs to another user (${found.uid})`);
  return file;
}
