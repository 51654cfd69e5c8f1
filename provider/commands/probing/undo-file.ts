import { closeSync, fstatSync, fsyncSync, readFileSync, rmSync, type Stats, writeSync } from "node:fs";
import { openOwnSync } from "../../files/no-links";
import { PRIVATE_FILE } from "../../files/private";
import { codeOf, messageOf } from "../../model/errors";
import { type Note, noteLine, readUndo, type Undo } from "../../probe/asking/undo";
import { UsageError } from "../cli-io";
import { refuseFolder } from "../failure";

/** File of a probe's notes, beside its result if it writes one. */
export function undoName(out: string | undefined): string {
  return `${out ?? "probe"}.undo`;
}

/** The notes of a running probe; each is on the disk before its request is sent. */
export class UndoFile {
  private readonly descriptor: number;
  private isNeeded = false;

  /**
   * @param remedy The command that takes back the changes of an earlier probe.
   * @throws {UsageError} if an earlier probe has left its notes.
   */
  constructor(
    private readonly file: string,
    shown: string,
    remedy: string,
  ) {
    try {
      this.descriptor = openOwnSync(file, "new", PRIVATE_FILE);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
      throw new UsageError(
        `${shown} holds what an earlier probe may have left, or one that runs. Take it back first: ${remedy}`,
      );
    }
  }

  readonly note = (note: Note): void => {
    this.isNeeded ||= "insert" in note || "start" in note;
    writeSync(this.descriptor, noteLine(note));
    fsyncSync(this.descriptor);
  };

  /** @param isClean True if no change is left. */
  close(isClean: boolean): void {
    closeSync(this.descriptor);
    if (isClean || !this.isNeeded) rmSync(this.file, { force: true });
  }
}

/**
 * Reads the notes of a probe. Its file is private to the user, which a file of a checkout never is.
 *
 * @throws {UsageError} if the file holds something else.
 */
export function readUndoFile(file: string, shown: string): Undo {
  refuseFolder(shown, file);
  let text: string;
  try {
    const descriptor = openOwnSync(file, "read");
    try {
      refuseShared(fstatSync(descriptor), shown);
      text = readFileSync(descriptor, "utf8");
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    throw new UsageError(`--clean: there is no ${shown}, so no probe has noted any change.`);
  }
  try {
    return readUndo(text);
  } catch (error) {
    throw new UsageError(`--clean ${shown}: ${messageOf(error)}.`);
  }
}

/** Windows has no such modes of files. */
function refuseShared({ mode }: Stats, shown: string): void {
  if (process.platform === "win32" || (mode & 0o077) === 0) return;
  throw new UsageError(
    `--clean: other users may use ${shown}, so a probe did not make it; it may have come with a commit. Check what it would remove, and then run: chmod 600 ${shown}`,
  );
}
