import { type FileHandle, rename } from "node:fs/promises";
import { openOwn } from "../../files/no-links";
import { PRIVATE_FILE } from "../../files/private";

/** Bytes of a journal file, some 400 000 requests: with the file before it, twice as many stay. */
const MAX_BYTES = 134_217_728;

/**
 * A file that lines are added to, in their order. At its limit it becomes `FILE.1`, in place of the one that was there: an emulator
 * that runs for weeks fills no disk. A pipe or a device has no limit.
 */
export class JournalFile {
  private lines: string[] = [];
  private writing: Promise<void> | undefined;
  private fail: (error: unknown) => void = () => {};
  readonly failed = new Promise<never>((_, reject) => {
    this.fail = reject;
  });

  private constructor(
    private readonly path: string,
    private readonly maxBytes: number,
    private handle: FileHandle,
    /** Minus infinity of what cannot be renamed. */
    private bytes: number,
  ) {
    // No caller may wait for it yet.
    this.failed.catch(() => {});
  }

  /** @throws the system's error when it cannot be opened */
  static async open(path: string, maxBytes = MAX_BYTES): Promise<JournalFile> {
    const handle = await openOwn(path, "append", PRIVATE_FILE);
    const stat = await handle.stat();
    return new JournalFile(path, maxBytes, handle, stat.isFile() ? stat.size : Number.NEGATIVE_INFINITY);
  }

  add(line: string): void {
    this.lines.push(line);
    this.writing ??= this.write()
      .catch(this.fail)
      .finally(() => {
        this.writing = undefined;
      });
  }

  async end(): Promise<void> {
    while (this.writing) await this.writing;
    await this.handle.close();
  }

  private async write(): Promise<void> {
    while (this.lines.length > 0) {
      const text = this.lines.splice(0).join("");
      const bytes = Buffer.byteLength(text);
      if (this.bytes > 0 && this.bytes + bytes > this.maxBytes) await this.rotate();
      await this.handle.appendFile(text);
      this.bytes += bytes;
    }
  }

  private async rotate(): Promise<void> {
    await this.handle.close();
    await rename(this.path, `${this.path}.1`);
    this.handle = await openOwn(this.path, "append", PRIVATE_FILE);
    this.bytes = 0;
  }
}
