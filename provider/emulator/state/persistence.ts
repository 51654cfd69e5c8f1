import { createHash } from "node:crypto";
import { type FileHandle, open, readdir, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { openOwn } from "../../files/no-links";
import { PRIVATE_FILE } from "../../files/private";
import { readIfThere, replaceFile } from "../../files/whole-file";
import { messageOf } from "../../model/errors";
import { plainData } from "../../model/plain-data";
import { PERSIST } from "../defaults";
import type { Wall } from "../time/clock";
import { type ActiveSignalings, type Change, type LoggedChange, lineOf, withChanges } from "./change-log";
import { type EmulatorState, readState, StateError } from "./state";

/** The state to write. */
export interface KeptState {
  /** The present state. */
  whole(): EmulatorState;
  signalings(): ActiveSignalings;
}

/**
 * Keeps a state in a file, and later changes in a log beside it.
 *
 * The file is replaced as a whole. The name of a log contains a digest of the file's content, so the two always match.
 * Whenever the process or the machine ends, file and log hold one state or the next, never a part. An answer waits for
 * {@link durable}; answers that wait together share one write.
 */
export class Persistence {
  private readonly file: string;
  /** Path of the log for the file's present content; the log is created at the first change. */
  private log: { readonly name: string; handle?: FileHandle; bytes: number } | undefined;
  private changes: LoggedChange[] = [];
  /** Numbers of all changes, and of those on disk. */
  private recorded = 0;
  private kept = 0;
  private isWholeDue = false;
  private working: Promise<void> | undefined;
  private cancel: (() => void) | undefined;

  constructor(
    file: string,
    private readonly state: KeptState,
    private readonly wall: Wall,
  ) {
    this.file = resolve(file);
  }

  /**
   * The state in the file; `undefined` if the file does not exist.
   *
   * @throws {StateError} if the file holds something else.
   */
  static async read(file: string): Promise<EmulatorState | undefined> {
    let source: string | undefined;
    try {
      source = await readIfThere(file);
      if (source === undefined) return undefined;
      const state = readState(plainData(source));
      const log = await readIfThere(logOf(resolve(file), source));
      return log ? readState(withChanges(state, log)) : state;
    } catch (error) {
      if (source === undefined) throw new StateError(`${file} cannot be read: ${messageOf(error)}`);
      throw new StateError(`${file} is not a state that an emulator kept: ${messageOf(error)}`);
    }
  }

  /** Writes the whole state, removes files that an earlier process left, and begins a log. */
  async begin(): Promise<void> {
    this.changed({ kind: "everything" });
    await this.durable();
  }

  /** Adds a change, which is written soon. */
  readonly changed = (change: Change): void => {
    if (change.kind === "marks") {
      this.cancel ??= this.wall.timer(() => {
        this.isWholeDue = true;
        this.wake();
      }, PERSIST.gatherMs);
      return;
    }
    this.recorded += 1;
    if (change.kind === "everything") this.isWholeDue = true;
    else this.changes.push(change);
    this.wake();
  };

  /** Resolves when all present changes are on disk. @throws the system's error. */
  async durable(): Promise<void> {
    const { recorded } = this;
    while (this.kept < recorded) await this.wake();
  }

  /** Writes all pending changes, marks included, and the whole state; ignores later changes. */
  async close(): Promise<void> {
    this.changed({ kind: "everything" });
    await this.durable();
    await this.log?.handle?.close();
    if (this.log) await rm(this.log.name, { force: true });
    this.log = undefined;
  }

  /** Makes one write at a time; later changes wait for the next one. */
  private wake(): Promise<void> {
    this.working ??= this.write().finally(() => {
      this.working = undefined;
    });
    // durable() rejects for a waiting caller; otherwise the next change tries the write again.
    this.working.catch(() => {});
    return this.working;
  }

  private async write(): Promise<void> {
    // Changes of the same turn of the event loop are in the same write.
    await Promise.resolve();
    const { changes, recorded } = this;
    const isWholeDue = this.isWholeDue || !this.log || this.log.bytes > PERSIST.logBytes;
    this.changes = [];
    this.isWholeDue = false;
    this.cancel?.();
    this.cancel = undefined;
    try {
      await (isWholeDue ? this.writeWhole() : this.append(changes));
      this.kept = recorded;
    } catch (error) {
      // The log may end in the middle of a line, so the whole state must be written.
      this.isWholeDue = true;
      throw error;
    }
  }

  private async append(changes: readonly LoggedChange[]): Promise<void> {
    const { log } = this;
    if (!log) return;
    const isNew = log.handle === undefined;
    log.handle ??= await openOwn(log.name, "append", PRIVATE_FILE);
    for (const change of changes) {
      const line = Buffer.from(lineOf(change, this.state.signalings));
      await log.handle.appendFile(line);
      log.bytes += line.length;
    }
    await log.handle.datasync();
    if (isNew) await syncFolder(dirname(this.file));
  }

  private async writeWhole(): Promise<void> {
    const content = `${JSON.stringify(this.state.whole())}\n`;
    const name = logOf(this.file, content);
    // A log of this name belongs to an earlier time with the same content, and must be removed before the file has it again.
    await rm(name, { force: true });
    await replaceFile(this.file, content);
    await this.log?.handle?.close();
    this.log = { name, bytes: 0 };
    await this.tidy();
  }

  /** Makes file names durable, and removes stale logs and incomplete files. */
  private async tidy(): Promise<void> {
    const folder = dirname(this.file);
    const own = basename(this.file);
    for (const name of await readdir(folder)) {
      const rest = name.startsWith(`${own}.`) ? name.slice(own.length) : "";
      const isOurs = /^\.(\d+\.)?new$|^\.[0-9a-f]{16}\.log$/.test(rest);
      if (isOurs && join(folder, name) !== this.log?.name) await rm(join(folder, name), { force: true });
    }
    await syncFolder(folder);
  }
}

function logOf(file: string, content: string): string {
  return `${file}.${createHash("sha256").update(content).digest("hex").slice(0, 16)}.log`;
}

/** Windows does this by itself and has no call for it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}
