import { hash, randomUUID } from "node:crypto";
import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { systemClock } from "../client/clock";
import { hasEnded } from "../files/ended-process";
import { PRIVATE_FILE } from "../files/private";
import { privateFolder } from "../files/private-folder";
import { attempt } from "../model/errors";
import type { SentNotes } from "./sent-before";

/** Milliseconds after which a note of an ended process counts no longer. */
const KEPT_MS = 7 * 24 * 3_600_000;

const FILE = /^sent-(\d+)-[\da-f-]{36}$/;

/** One line of a file: place, names and keys, all as hashes, since they may be secret; or the number of a line with the same keys. */
const lineSchema = z.tuple([z.string(), z.array(z.string()), z.union([z.array(z.string()), z.number()])]);

/** A line with its keys. */
type Line = readonly [place: string, names: readonly string[], keys: readonly string[]];

/**
 * Notes in files of a private folder, one for each process. A process that the engine ends in order removes its own: by then each
 * answer is in the state. A note that cannot be written or read is none, and then the next run does not know whose entry it finds.
 */
export class SentFiles implements SentNotes {
  private readonly own: string;
  private readonly hashes = new Map<string, string>();
  private found: Map<string, readonly Line[]> | undefined;
  /** Lines of the own file by their keys: the nodes of a group share them. */
  private readonly lines = new WeakMap<readonly string[], number>();
  private written = 0;

  constructor(
    pid: number,
    private readonly parent: string,
    private readonly clock: Pick<typeof systemClock, "wall"> = systemClock,
  ) {
    this.own = join(parent, `sent-${pid}-${randomUUID()}`);
  }

  note(place: string, names: readonly string[], keys: readonly string[]): void {
    const shared = this.lines.get(keys) ?? keys.map((it) => this.hashOf(it));
    const line = JSON.stringify([this.hashOf(place), names.map((it) => this.hashOf(it)), shared]);
    attempt(() => {
      privateFolder(this.parent);
      appendFileSync(this.own, `${line}\n`, { mode: PRIVATE_FILE });
      if (!this.lines.has(keys)) this.lines.set(keys, this.written);
      this.written += 1;
    });
  }

  noted(place: string, names?: readonly string[]): Pick<ReadonlySet<string>, "has" | "size"> {
    const isOf = this.isOf(place, names);
    const keys = new Set([...this.ended().values()].flatMap((lines) => lines.filter(isOf).flatMap(([, , its]) => its)));
    return { size: keys.size, has: (key) => keys.has(this.hashOf(key)) };
  }

  settle(place: string, names: readonly string[]): void {
    const isOf = this.isOf(place, names);
    for (const [file, lines] of this.ended()) {
      const left = lines.filter((line) => !isOf(line));
      if (left.length === lines.length) continue;
      this.ended().set(file, left);
      const text = left.map((line) => `${JSON.stringify(line)}\n`).join("");
      attempt(() => (left.length > 0 ? writeFileSync(file, text) : rmSync(file)));
    }
  }

  /** The engine ends this process in order. */
  end(): void {
    attempt(() => rmSync(this.own));
  }

  private isOf(place: string, names?: readonly string[]): (line: Line) => boolean {
    const [at, by] = [this.hashOf(place), names && new Set(names.map((it) => this.hashOf(it)))];
    return ([where, whose]) => where === at && (!by || whose.some((it) => by.has(it)));
  }

  /** Notes of ended processes, by file, as this process finds them first. */
  private ended(): Map<string, readonly Line[]> {
    this.found ??= new Map(
      this.files().map((file) => [file, attempt(() => linesOf(readFileSync(file, "utf8"))) ?? []]),
    );
    return this.found;
  }

  private files(): string[] {
    const all = attempt(() => statSync(this.parent) && readdirSync(privateFolder(this.parent))) ?? [];
    const files = all.flatMap((name) => {
      const [, pid] = FILE.exec(name) ?? [];
      return pid !== undefined && hasEnded({ host: hostname(), pid: Number(pid) }) ? join(this.parent, name) : [];
    });
    const isOld = (file: string) => (attempt(() => statSync(file).mtimeMs) ?? 0) < this.clock.wall() - KEPT_MS;
    for (const file of files.filter(isOld)) attempt(() => rmSync(file));
    return files.filter((file) => !isOld(file));
  }

  private hashOf(text: string): string {
    const known = this.hashes.get(text) ?? hash("sha256", text, "base64url").slice(0, 16);
    this.hashes.set(text, known);
    return known;
  }
}

/** Whole lines: what a killed process had not noted in full, it had not sent. */
function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (const line of text.split("\n")) {
    const [place, names, keys = []] = lineSchema.safeParse(attempt(() => JSON.parse(line))).data ?? [];
    if (place !== undefined && names)
      lines.push([place, names, typeof keys === "number" ? (lines[keys]?.[2] ?? []) : keys]);
  }
  return lines;
}
