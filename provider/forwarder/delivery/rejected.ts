import { createReadStream } from "node:fs";
import { mkdir, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../../files/private";
import { replaceFile } from "../../files/whole-file";
import { SIZES } from "../defaults";
import type { ForwardRecord } from "../record/record";
import type { Rejected } from "../sinks/sink";
import { written } from "../slices";

/** A record as it stands in a dead-letter file. */
export interface DeadLetter {
  /** When it was refused: ISO 8601, UTC. */
  readonly refused: string;
  readonly reason: string;
  readonly record: ForwardRecord;
}

const letterSchema: z.ZodType<DeadLetter> = z.object({
  refused: z.string(),
  reason: z.string(),
  // Written by ourselves, from a record.
  record: z.custom<ForwardRecord>((value) => typeof value === "object" && value !== null && "recordId" in value),
});

/**
 * What a sink refused for good, in `rejected/<sink>/` of the state folder: files of one JSON object a line, with the
 * sink's reason. On the disk before the sink's mark moves. Bounded: the oldest file goes when there are too many.
 */
export class RejectedFiles {
  /** @param fileBytes At this size a file is followed by a new one. */
  constructor(
    private readonly folder: string,
    private readonly wall: () => number,
    private readonly fileBytes: number = SIZES.rejectedFileBytes,
  ) {}

  /** Keeps records. @returns how many older ones had to go. */
  async add(rejected: readonly Rejected[]): Promise<number> {
    await mkdir(this.folder, { recursive: true, mode: PRIVATE_FOLDER });
    const refused = new Date(this.wall()).toISOString();
    const lines = await linesOf(rejected, refused);
    const names = await this.names();
    const last = names.at(-1);
    const size = last === undefined ? 0 : (await stat(join(this.folder, last))).size;
    const fits = last !== undefined && size + lines.length <= this.fileBytes;
    const handle = await open(join(this.folder, fits ? last : nameAfter(last)), "a", PRIVATE_FILE);
    try {
      await handle.appendFile(lines);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    let gone = 0;
    for (const name of fits ? [] : names.slice(0, Math.max(0, names.length + 1 - SIZES.rejectedFiles))) {
      gone += await countLines(join(this.folder, name));
      await rm(join(this.folder, name), { force: true });
    }
    return gone;
  }

  /**
   * Hands all that is kept to `deliver`, a file at a time, and removes what it took. What it refuses again stays.
   *
   * @returns how many were delivered, and how many stay.
   */
  async replay(deliver: (records: readonly ForwardRecord[]) => Promise<readonly Rejected[]>) {
    let delivered = 0;
    let kept = 0;
    for (const name of await this.names()) {
      const letters = await this.read(name);
      const again = await deliver(letters.map(({ record }) => record));
      delivered += letters.length - again.length;
      kept += again.length;
      const path = join(this.folder, name);
      if (again.length === 0) {
        await rm(path, { force: true });
        continue;
      }
      const refused = new Date(this.wall()).toISOString();
      await replaceFile(path, await linesOf(again, refused));
    }
    return { delivered, kept };
  }

  private async names(): Promise<string[]> {
    try {
      return (await readdir(this.folder)).filter((name) => /^\d{8}\.ndjson$/.test(name)).sort();
    } catch {
      return [];
    }
  }

  /** The letters of a file; half a line at its end, which a kill left, was never acknowledged and comes again. */
  private async read(name: string): Promise<DeadLetter[]> {
    const text = await readFile(join(this.folder, name), "utf8");
    return text.split("\n").flatMap((line) => {
      try {
        return line === "" ? [] : [letterSchema.parse(JSON.parse(line))];
      } catch {
        return [];
      }
    });
  }
}

/** Where they are kept. @param state The folder of the state. */
export function rejectedFolder(state: string, sink: string): string {
  return join(state, "rejected", sink.replaceAll(" ", "-"));
}

async function linesOf(rejected: readonly Rejected[], refused: string): Promise<string> {
  const reasons = new Map(rejected.map(({ record, reason }) => [record, reason]));
  const records = rejected.map(({ record }) => record);
  return written(records, (record) => `${JSON.stringify({ refused, reason: reasons.get(record), record })}\n`);
}

/** How many letters a file has, without reading them. */
async function countLines(path: string): Promise<number> {
  let count = 0;
  for await (const chunk of createReadStream(path)) {
    for (let at = chunk.indexOf(NEW_LINE); at >= 0; at = chunk.indexOf(NEW_LINE, at + 1)) count++;
  }
  return count;
}

const NEW_LINE = 0x0a;

function nameAfter(last: string | undefined): string {
  return `${String(Number(last?.slice(0, 8) ?? 0) + 1).padStart(8, "0")}.ndjson`;
}
