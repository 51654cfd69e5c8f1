import { type FileHandle, lstat, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { makeFoldersLater } from "../../files/make-folders";
import { openOwn } from "../../files/no-links";
import { codeOf, messageOf } from "../../model/errors";
import { visibleBytes } from "../../model/foreign-text";
import { SINK_DEFAULTS } from "../defaults";
import { members, size, text, whole } from "../fields";
import { byteSink, SinkFailure, sinkKind } from "./sink";

const schema = members({
  path: text,
  rotateBytes: size(1_024, Number.MAX_SAFE_INTEGER).default(SINK_DEFAULTS.rotateBytes),
  keep: whole(0, 100_000).default(SINK_DEFAULTS.keep),
});

/**
 * A file, a line of JSON a record, with control characters escaped, since people look at files. Acknowledged once it is on the
 * disk (fsync). Where another program has renamed, removed or emptied the file, as logrotate does, the next write goes to a file of its
 * name. At `rotateBytes` it becomes `path.1`, the one before `path.2`, and so on to `path.<keep>`. Half a line, left by
 * kill -9, is cut off before anything is added.
 */
export const file = sinkKind(schema, async (context, { path, rotateBytes, keep }) => {
  const reopened = () =>
    context.log?.info(
      { sink: context.name, path },
      `Sink "${context.name}": ${path} was renamed or removed, and is opened again.`,
    );
  const log = new RotatedFile(resolve(context.folder, path), rotateBytes, keep, reopened);
  const append = (lines: Buffer) =>
    log.append(lines).catch((error: unknown) => {
      throw new SinkFailure(`${path} cannot be written: ${messageOf(error)}`);
    });
  return byteSink(
    async (records) => visibleBytes(await records.lines(context.format)),
    append,
    () => log.close(),
  );
});

/** Files that are open in this process, by device and inode: one that is written twice would lose what the other has written. */
const open = new Set<string>();

/** A file that is only added to, whole pieces at a time. */
class RotatedFile {
  private handle: FileHandle | undefined;
  /** Its device and inode, while it is open. */
  private key: string | undefined;
  /** Its length when it was last looked at. */
  private size = 0;

  constructor(
    private readonly path: string,
    private readonly rotateBytes: number,
    private readonly keep: number,
    /** Another file has its name, or none. */
    private readonly reopened: () => void,
  ) {}

  async append(lines: Buffer): Promise<void> {
    let handle = await this.opened();
    if (this.size > 0 && this.size + lines.length > this.rotateBytes) {
      await this.rotate();
      handle = await this.opened();
    }
    try {
      await handle.appendFile(lines);
      await handle.datasync();
      if ((await handle.stat()).nlink === 0) throw new Error("it was removed meanwhile");
    } catch (error) {
      // The opening cuts half a line off at once, before another process writes behind it, and nothing that one has added.
      await this.close()
        .then(() => this.opened())
        .catch(() => {});
      throw error;
    }
  }

  async close(): Promise<void> {
    const { handle, key = "" } = this;
    this.handle = undefined;
    this.key = undefined;
    try {
      await handle?.close();
    } finally {
      open.delete(key);
    }
  }

  private async opened(): Promise<FileHandle> {
    if (this.handle) {
      if (await this.isCurrent(this.handle)) return this.handle;
      await this.close();
      this.reopened();
    }
    await makeFoldersLater(dirname(this.path));
    const handle = await openOwn(this.path, "read and append");
    let own = "";
    try {
      const found = await handle.stat();
      // Neither a pipe nor a terminal can be synchronized or truncated: each try would write the same again.
      if (!found.isFile()) throw new Error("it is not a regular file");
      const key = `${found.dev} ${found.ino}`;
      if (open.has(key)) throw new Error("another sink of this process writes it: give each sink a file of its own");
      open.add(key);
      own = key;
      this.size = await endOfLastLine(handle);
      if (found.size > this.size) await handle.truncate(this.size);
    } catch (error) {
      await handle.close().finally(() => open.delete(own));
      throw error;
    }
    this.handle = handle;
    this.key = own;
    return handle;
  }

  /** True if the file still has its name. One that was emptied is written from its start. */
  private async isCurrent(handle: FileHandle): Promise<boolean> {
    const [own, named] = await Promise.all([handle.stat(), stat(this.path).catch(() => undefined)]);
    // A file that has grown was written by another process, whose lines stay.
    this.size = own.size;
    return named?.dev === own.dev && named.ino === own.ino;
  }

  /** Moves the old files up as far as one number is free. A repeat after a failure finds that number, and deletes nothing. */
  private async rotate(): Promise<void> {
    await this.close();
    if (this.keep === 0) return rm(this.path, { force: true });
    const nameOf = (number: number) => `${this.path}.${number}`;
    const oldest = `${nameOf(this.keep)}.old`;
    let free = 1;
    while (free <= this.keep && (await isThere(nameOf(free)))) free++;
    if (free > this.keep) await rename(nameOf(--free), oldest);
    for (let number = free; number > 1; number--) await rename(nameOf(number - 1), nameOf(number));
    await rename(this.path, nameOf(1));
    // The oldest one, where no number was free: last, since all before may fail.
    await rm(oldest, { force: true });
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    return false;
  }
}

const STEP = 65_536;
export const NEW_LINE = 0x0a;

/** End of the last whole line. */
export async function endOfLastLine(handle: FileHandle): Promise<number> {
  const { size } = await handle.stat();
  const buffer = Buffer.alloc(STEP);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - STEP);
    const { bytesRead } = await handle.read(buffer, 0, end - start, start);
    const at = buffer.subarray(0, bytesRead).lastIndexOf(NEW_LINE);
    if (at >= 0) return start + at + 1;
    end = start;
  }
  return 0;
}
