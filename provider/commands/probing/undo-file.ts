import { closeSync, fstatSync, fsyncSync, readFileSync, rmSync, type Stats, writeSync } from "node:fs";
import { openOwnSync } from "../../files/no-links";
import { PRIVATE_FILE } from "../../files/private";
import { codeOf, messageOf } from "../../model/errors";
import { type Note, noteLine, readUndo, type Undo } from "../../probe/undo";
import { UsageError } from "../cli-io";

/** The name of a probe's notes beside its result, and where it writes none. */
export function undoName(out: string | undefined): string {
  return `${out ?? "probe"}.undo`;
}

/** The notes of a probe while it runs, on the disk before what they tell of is sent. */
export class UndoFile {
  private readonly descriptor: number;
  private isNeeded = false;

  /**
   * @param remedy The command that takes back what an earlier one may tell of.
   * @throws {UsageError} where an earlier probe has left its own.
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

  /** @param isClean Nothing is left that would have to be taken back. */
  close(isClean: boolean): void {
    closeSync(this.descriptor);
    if (isClean || !this.isNeeded) rmSync(this.file, { force: true });
  }
}

/**
 * Reads the notes of a probe, which a command then acts upon. A probe makes its file so that no other user may read it, which
 * nothing does that comes by a checkout.
 *
 * @throws {UsageError} where a file holds no notes of a probe.
 */
export function readUndoFile(file: string, shown: string): Undo {
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
    throw new UsageError(`--clean: there is no ${shown}, so no probe has left anything that it knows of.`);
  }
  try {
    return readUndo(text);
  } catch (error) {
    throw new UsageError(`--clean ${shown}: ${messageOf(error)}.`);
  }
}

/** Windows has no such modes. */
function refuseShared({ mode }: Stats, shown: string): void {
  if (process.platform === "win32" || (mode & 0o077) === 0) return;
  throw new UsageError(
    `--clean: other users may use ${shown}, so it is not as a probe made it, and may have come with a change. Look at what it would take out, and then: chmod 600 ${shown}`,
  );
}
