import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { link, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { makeFoldersLater } from "../../files/make-folders";
import { openOwn } from "../../files/no-links";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../../files/private";
import { attempt, codeOf } from "../../model/errors";
import { visibleJson } from "../../model/foreign-text";
import { jsonLines } from "../../model/json-lines";
import type { LiveConfig } from "../config/config";
import { CONFIG_DEFAULTS, SIZES } from "../defaults";
import type { Loss } from "../loss";
import type { ForwardRecord } from "../record/record";
import { endOfLastLine, NEW_LINE } from "../sinks/file";
import type { Rejected } from "../sinks/sink";
import { written } from "../slices";
import { tableKey } from "../table";

/** A record in a dead-letter file. */
const letterSchema = z.object({
  /** When it was refused: ISO 8601, UTC. */
  refused: z.string(),
  reason: z.string(),
  // Written by ourselves, from a record.
  record: z.custom<ForwardRecord>((value) => typeof value === "object" && value !== null && "recordId" in value),
});

/** Dead letters of a table that were dropped. */
export type Evicted = Omit<Loss, "sink" | "cause">;

/** Limits on dead letters, and the reaction to more. */
export interface RejectedLimits {
  readonly maxBytes: number;
  /** `pause`: nothing more is delivered until there is room. */
  readonly whenFull: "drop-oldest" | "pause";
}

/** Dead letters that are kept. */
export interface Waiting {
  readonly records: number;
  readonly bytes: number;
}

export function rejectedLimits({ current: { rejected, sinks } }: LiveConfig, sink: string): RejectedLimits {
  return { ...CONFIG_DEFAULTS.rejected, ...rejected, ...sinks.find(({ name }) => name === sink)?.rejected };
}

/** A requeue never waits for room: what it keeps was there before. */
const UNLIMITED: RejectedLimits = { maxBytes: Number.MAX_SAFE_INTEGER, whenFull: "drop-oldest" };

/**
 * Records that a sink refused for good, in `rejected/<sink>/` of the state folder: files of one JSON object a line, with the
 * sink's reason. On the disk before the sink's mark moves. Bounded: the oldest files go, or nothing is added.
 *
 * A requeue may run in another process meanwhile. It renames each file before it reads it. After adding to a file, a writer checks
 * that the file still has its name, and otherwise writes the lines to another file, too.
 */
export class RejectedFiles {
  /** Last count of each file by name, valid while the file is unchanged. */
  private counted = new Map<string, { readonly bytes: number; readonly changed: number; readonly records: number }>();

  /** @param limits Asked at each use: a new configuration may have others. Default: none. */
  constructor(
    private readonly folder: string,
    private readonly wall: () => number,
    private readonly limits: () => RejectedLimits = () => UNLIMITED,
  ) {}

  /** Counts all dead letters, those of a killed requeue included. */
  async waiting(): Promise<Waiting> {
    const before = this.counted;
    // Two may count at once: each counts all.
    const counted: typeof before = new Map();
    for (const { name, bytes, changed } of await this.files()) {
      const known = before.get(name);
      const isKnown = known?.bytes === bytes && known.changed === changed;
      const records = isKnown ? known.records : await countLines(join(this.folder, name)).catch(() => 0);
      counted.set(name, { bytes, changed, records });
    }
    this.counted = counted;
    const files = [...counted.values()];
    return { records: files.reduce((sum, { records }) => sum + records, 0), bytes: sumOf(files) };
  }

  static of(config: LiveConfig, sink: string, wall: () => number): RejectedFiles {
    return new RejectedFiles(rejectedFolder(config.stateFolder, sink), wall, () => rejectedLimits(config, sink));
  }

  /**
   * Keeps records. An empty folder always has room, or the records of a large delivery could never be kept.
   *
   * @returns the older ones that were dropped, by their tables, or `undefined` when there is no room and nothing was kept.
   */
  async add(rejected: readonly Rejected[]): Promise<readonly Evicted[] | undefined> {
    const { maxBytes, whenFull } = this.limits();
    const lines = await this.lines(rejected);
    await makeFoldersLater(this.folder, PRIVATE_FOLDER);
    const before = sumOf(await this.files(isOpen));
    if (whenFull === "pause" && before > 0 && before + Buffer.byteLength(lines) > maxBytes) return undefined;
    const fileBytes = Math.min(maxBytes, CONFIG_DEFAULTS.rejected.maxBytes) / SIZES.rejectedFiles;
    for (;;) {
      const last = (await this.files(isOpen)).at(-1)?.name;
      if (last !== undefined && (await this.append(last, lines, fileBytes))) break;
      if (await this.append(nameAfter(last), lines, Number.POSITIVE_INFINITY)) break;
    }
    const files = await this.files(isOpen);
    const evicted = new Map<string, Evicted>();
    for (let bytes = sumOf(files); bytes > maxBytes && files.length > 1; bytes = sumOf(files)) {
      const path = join(this.folder, files.shift()?.name ?? "");
      await countByTable(path, evicted);
      await rm(path, { force: true });
    }
    return [...evicted.values()];
  }

  /**
   * Hands all dead letters to `deliver`, a file at a time, and removes those that it took. Those refused again stay, as does
   * every file for which it throws.
   *
   * @returns how many were delivered, and how many stay.
   */
  async requeue(deliver: (records: readonly ForwardRecord[]) => Promise<readonly Rejected[]>) {
    let delivered = 0;
    let kept = 0;
    for (const claim of await this.claim()) {
      const letters = await this.read(claim);
      try {
        const again = await deliver(letters.map(({ record }) => record));
        delivered += letters.length - again.length;
        kept += again.length;
        if (again.length > 0) await this.add(again);
      } catch (error) {
        await this.putBack();
        throw error;
      }
      await rm(join(this.folder, claim), { force: true });
    }
    return { delivered, kept };
  }

  /** All that is kept, a file at a time; nothing is taken. */
  async *records(): AsyncGenerator<readonly ForwardRecord[]> {
    for (const { name } of await this.files()) yield (await this.read(name)).map(({ record }) => record);
  }

  /** Adds lines to a file, and waits for the disk. @returns false when it has no room, or a requeue took it meanwhile. */
  private async append(name: string, lines: string, limit: number): Promise<boolean> {
    const path = join(this.folder, name);
    const handle = await openOwn(path, "read and append", PRIVATE_FILE);
    try {
      const { size, ino } = await handle.stat();
      if (size + Buffer.byteLength(lines) > limit) return false;
      await handle.appendFile((await endOfLastLine(handle)) < size ? `\n${lines}` : lines);
      await handle.datasync();
      const now = await stat(path).catch(() => undefined);
      return now?.ino === ino;
    } finally {
      await handle.close();
    }
  }

  /** Takes the files that are there, and those that a requeue left when it was killed. @returns their names now. */
  private async claim(): Promise<string[]> {
    for (const { name } of await this.files(isOpen)) {
      const path = join(this.folder, name);
      // A file that disappeared had to make room.
      await rename(path, `${path}.${randomUUID()}${CLAIMED}`).catch((error: unknown) => {
        if (codeOf(error) !== "ENOENT") throw error;
      });
    }
    return (await this.files(isClaimed)).map(({ name }) => name);
  }

  /** Gives files that were not delivered ordinary names again. */
  private async putBack(): Promise<void> {
    for (const { name } of await this.files(isClaimed)) {
      const path = join(this.folder, name);
      for (let free = name.slice(0, NAME_LENGTH); ; free = nameAfter(free)) {
        try {
          // A link never replaces a file, as a new name would.
          await link(path, join(this.folder, free));
          break;
        } catch (error) {
          if (codeOf(error) !== "EEXIST") throw error;
        }
      }
      await rm(path, { force: true });
    }
  }

  /** Files of these names, from the oldest; one that disappears meanwhile had to make room, or was taken by a requeue. */
  private async files(isOne = (_name: string) => true) {
    const names = (await readdir(this.folder).catch(() => [])).filter(isOne).sort();
    const found = names.map(async (name) => {
      const file = await stat(join(this.folder, name)).catch(() => undefined);
      return file ? [{ name, bytes: file.size, changed: file.mtimeMs }] : [];
    });
    return (await Promise.all(found)).flat();
  }

  private lines(rejected: readonly Rejected[]): Promise<string> {
    const refused = new Date(this.wall()).toISOString();
    const reasons = new Map(rejected.map(({ record, reason }) => [record, reason]));
    const records = rejected.map(({ record }) => record);
    return written(
      records,
      (record) => `${visibleJson(JSON.stringify({ refused, reason: reasons.get(record), record }))}\n`,
    );
  }

  /** The letters of a file; half a line, which a kill left, was never acknowledged and is delivered again. */
  private async read(name: string) {
    const text = await readFile(join(this.folder, name), "utf8");
    return jsonLines(text).lines.flatMap((line) => attempt(() => letterSchema.parse(JSON.parse(line))) ?? []);
  }
}

/** The folder of dead letters in that of the state. */
export const REJECTED = "rejected";
/** Outcome of dead letters, for messages. */
export const SEND_LETTERS = `with the reasons in \`${REJECTED}/\` of the state folder, and "forward spool requeue" sends them`;

/** Folder of dead letters. @param state The folder of the state. */
export function rejectedFolder(state: string, sink: string): string {
  return join(state, REJECTED, sink.replaceAll(" ", "-"));
}

function sumOf(files: readonly { readonly bytes: number }[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Adds the letters of a file to those of others; none of one that disappears. */
async function countByTable(path: string, counts: Map<string, Evicted>): Promise<void> {
  try {
    for await (const line of createInterface({ input: createReadStream(path) })) {
      const { record } = attempt(() => letterSchema.parse(JSON.parse(line))) ?? {};
      if (!record) continue;
      const [table, time] = [tableKey(record), Date.parse(record.timestamp)];
      const { records = 0, first = time, last = time } = counts.get(table) ?? {};
      counts.set(table, { table, records: records + 1, first: Math.min(first, time), last: Math.max(last, time) });
    }
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}

/** Number of letters in a file, without parsing them; none of one that disappears. */
async function countLines(path: string): Promise<number> {
  let count = 0;
  try {
    for await (const chunk of createReadStream(path)) {
      for (let at = chunk.indexOf(NEW_LINE); at >= 0; at = chunk.indexOf(NEW_LINE, at + 1)) count++;
    }
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
  return count;
}

/** Ending of the name of a file that a requeue has taken. */
const CLAIMED = ".requeue";
const NAME_LENGTH = "00000001.ndjson".length;
const isOpen = (name: string): boolean => /^\d{8}\.ndjson$/.test(name);
const isClaimed = (name: string): boolean => name.endsWith(CLAIMED);

function nameAfter(last: string | undefined): string {
  return `${String(Number(last?.slice(0, 8) ?? 0) + 1).padStart(8, "0")}.ndjson`;
}
