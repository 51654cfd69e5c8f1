import { open, readFile, rename, rm } from "node:fs/promises";
import { messageOf } from "../../model/errors";
import type { Wall } from "../time/clock";
import { type EmulatorState, readState, StateError } from "./state";

/** Real milliseconds that changes are gathered before they are written. */
const QUIET = 100;

/**
 * Keeps a state in a file. Every version is written beside the file and takes its place whole: whenever the process or the
 * machine ends, the file holds one version or the next, never a part.
 */
export class Persistence {
  private writing: Promise<void> = Promise.resolve();
  private cancel: (() => void) | undefined;
  private failure: unknown;

  constructor(
    private readonly file: string,
    private readonly state: () => EmulatorState,
    private readonly wall: Wall,
  ) {}

  /** The state in the file; `undefined` when there is no file. @throws {StateError} when it holds something else. */
  static async read(file: string): Promise<EmulatorState | undefined> {
    let source: string;
    try {
      source = await readFile(file, "utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    }
    try {
      return readState(JSON.parse(source));
    } catch (error) {
      throw new StateError(`${file} is not a state that an emulator kept: ${messageOf(error)}`);
    }
  }

  /** Says that something changed; the state is written soon. */
  readonly changed = (): void => {
    this.cancel ??= this.wall.timer(() => void this.write(), QUIET);
  };

  /** Writes what is not written yet. @throws the system's error, also of an earlier write that failed. */
  async flush(): Promise<void> {
    if (this.cancel) void this.write();
    await this.writing;
    if (this.failure !== undefined) throw this.failure;
  }

  private write(): Promise<void> {
    this.cancel?.();
    this.cancel = undefined;
    this.writing = this.writing
      .then(() => replaceFile(this.file, `${JSON.stringify(this.state())}\n`))
      .then(
        () => {
          this.failure = undefined;
        },
        (error: unknown) => {
          this.failure = error;
        },
      );
    return this.writing;
  }
}

async function replaceFile(file: string, content: string): Promise<void> {
  const beside = `${file}.${process.pid}.new`;
  try {
    const handle = await open(beside, "w", 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
