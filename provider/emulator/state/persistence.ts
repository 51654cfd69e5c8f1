import { open } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { readIfThere, replaceFile } from "../../files/whole-file";
import { messageOf } from "../../model/errors";
import { plainData } from "../../model/plain-data";
import { PERSIST } from "../defaults";
import type { Wall } from "../time/clock";
import { type EmulatorState, readState, StateError } from "./state";

/** A change of the content: packets change marks often, and no answer waits for that. */
export type Change = "content" | "marks";

/**
 * Keeps a state in a file, which is replaced as a whole: whenever the process or the machine ends, it holds one state or the next.
 * An answer waits for {@link durable}; answers that wait together share one write.
 */
export class Persistence {
  private readonly file: string;
  /** Numbers of all changes, and of those on disk. */
  private recorded = 0;
  private kept = 0;
  private working: Promise<void> | undefined;
  private cancel: (() => void) | undefined;

  constructor(
    file: string,
    private readonly state: () => EmulatorState,
    private readonly wall: Wall,
  ) {
    this.file = resolve(file);
  }

  /** The state in the file; `undefined` if the file does not exist. @throws {StateError} if the file holds something else. */
  static async read(file: string): Promise<EmulatorState | undefined> {
    let source: string | undefined;
    try {
      source = await readIfThere(file);
      return source === undefined ? undefined : readState(plainData(source));
    } catch (error) {
      if (source === undefined) throw new StateError(`${file} cannot be read: ${messageOf(error)}`);
      throw new StateError(`${file} is not a state that an emulator kept: ${messageOf(error)}`);
    }
  }

  /** Writes the state, all pending changes included. */
  async whole(): Promise<void> {
    this.changed("content");
    await this.durable();
  }

  /** Adds a change, which is written soon. */
  readonly changed = (change: Change): void => {
    if (change === "marks") {
      this.cancel ??= this.wall.timer(() => {
        this.cancel = undefined;
        this.changed("content");
      }, PERSIST.gatherMs);
      return;
    }
    this.recorded += 1;
    this.wake();
  };

  /** Resolves when all present changes are on disk. @throws the system's error. */
  async durable(): Promise<void> {
    const { recorded } = this;
    while (this.kept < recorded) await this.wake();
  }

  /** Makes one write at a time; later changes wait for the next one, which starts by itself: a late commit has no caller that waits. */
  private wake(): Promise<void> {
    if (this.working) return this.working;
    const working = this.write().finally(() => {
      this.working = undefined;
    });
    this.working = working;
    // durable() rejects for a waiting caller; otherwise the next change tries the write again.
    working.then(
      () => {
        if (this.kept < this.recorded) this.wake();
      },
      () => {},
    );
    return working;
  }

  private async write(): Promise<void> {
    // Changes of the same turn of the event loop are in the same write.
    await Promise.resolve();
    const { recorded } = this;
    this.cancel?.();
    this.cancel = undefined;
    await replaceFile(this.file, `${JSON.stringify(this.state())}\n`);
    await syncFolder(dirname(this.file));
    this.kept = recorded;
  }
}

/** Windows does this by itself and has no call for it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}
