import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { systemClock } from "../client/clock";
import { PRIVATE_FILE } from "../files/private";
import { privateFolder } from "../files/private-folder";
import { attempt } from "../model/errors";
import { isOfEnded, LEFT_MS, ownFile, ProcessFiles } from "./process-files";
import type { SentNotes } from "./sent-before";

const KIND = "sent-";

/** One line of a file: its number; place, names and keys as hashes; or, in place of the keys, the number of an earlier line with the same ones. */
const lineSchema = z.tuple([z.number(), z.string(), z.array(z.string()), z.union([z.array(z.string()), z.number()])]);

/** A line with its keys. */
type Line = readonly [place: string, names: readonly string[], keys: readonly string[]];

/**
 * Notes in files of a private folder, one for each process. A process that the engine ends in order removes its own: by then each
 * answer is in the state. A note that cannot be written or read is none, and then the next run does not know whose entry it finds.
 *
 * A note claims an equal entry that another writer has inserted since, which no list tells apart. So the next run settles it, and after a
 * day it counts no longer.
 */
export class SentFiles implements SentNotes {
  private readonly files: ProcessFiles;
  private found: Map<string, readonly Line[]> | undefined;
  /** Lines of the own file by their keys: the nodes of a group share them. */
  private readonly lines = new WeakMap<readonly string[], number>();
  private last = 0;
  /** True once this process has noted something in the folder. */
  private isThere = false;
  /** Lines of the own file that outlive an end in order. */
  private lasting: Line[] = [];

  constructor(
    pid: number,
    private readonly parent: string,
    private readonly clock: Pick<typeof systemClock, "wall"> = systemClock,
  ) {
    this.files = new ProcessFiles(parent, `${KIND}${pid}-`);
  }

  note(place: string, names: readonly string[], keys: readonly string[], isLasting = false): void {
    const { files, lines } = this;
    const hashed = (texts: readonly string[]) => texts.map((it) => files.hashOf(it));
    const [at, by, its] = [files.hashOf(place), hashed(names), lines.get(keys) ?? hashed(keys)];
    if (isLasting) this.lasting.push([at, by, typeof its === "number" ? hashed(keys) : its]);
    if (this.append([at, by, its]) && !lines.has(keys)) lines.set(keys, this.last);
  }

  /** Adds a line to the own file. @returns whether it is there */
  private append(
    content: readonly [place: string, names: readonly string[], keys: readonly string[] | number],
  ): boolean {
    this.last += 1;
    const line = JSON.stringify([this.last, ...content]);
    const isNoted = attempt(() => {
      if (!this.isThere) privateFolder(this.parent);
      // Ends a line that a full disk has cut off.
      this.files.append(`\n${line}\n`);
      return true;
    });
    this.isThere = isNoted === true;
    return this.isThere;
  }

  noted(place: string, names?: readonly string[]): Pick<ReadonlySet<string>, "has" | "size"> {
    const isOf = this.isOf(place, names);
    const keys = new Set([...this.ended().values()].flatMap((lines) => lines.filter(isOf).flatMap(([, , its]) => its)));
    return { size: keys.size, has: (key) => keys.has(this.files.hashOf(key)) };
  }

  settle(place: string, names: readonly string[]): void {
    const isOf = this.isOf(place, names);
    const settled = this.lasting.filter(isOf);
    this.lasting = this.lasting.filter((line) => !isOf(line));
    // This process may be killed, or its engine, before it ends in order.
    for (const [at, by] of settled.slice(0, 1)) this.append([at, by, []]);
    for (const [file, lines] of this.ended()) {
      const left = lines.filter((line) => !isOf(line));
      if (left.length === lines.length) continue;
      this.ended().set(file, left);
      attempt(() => {
        if (left.length === 0) return rmSync(file);
        // The rest counts no longer than before.
        const { atime, mtime } = statSync(file);
        writeFileSync(file, textOf(left));
        utimesSync(file, atime, mtime);
      });
    }
  }

  /** The engine ends this process in order: each answer is in the state, and what may still be staged stays noted. */
  end(): void {
    const { own, ended } = this.files;
    attempt(() => {
      const file = join(this.parent, ended);
      if (this.lasting.length > 0) writeFileSync(file, textOf(this.lasting), { mode: PRIVATE_FILE });
      // After the notes are written: on a full disk they stay where they are.
      rmSync(join(this.parent, own));
    });
  }

  private isOf(place: string, names?: readonly string[]): (line: Line) => boolean {
    const { files } = this;
    const [at, by] = [files.hashOf(place), names && new Set(names.map((it) => files.hashOf(it)))];
    return ([where, whose]) => where === at && (!by || whose.some((it) => by.has(it)));
  }

  /** Notes of ended processes, by file, as this process finds them first. */
  private ended(): Map<string, readonly Line[]> {
    this.found ??= new Map(
      this.ofEnded().map((file) => [file, attempt(() => linesOf(readFileSync(ownFile(file), "utf8"))) ?? []]),
    );
    return this.found;
  }

  private ofEnded(): string[] {
    const all = attempt(() => statSync(this.parent) && readdirSync(privateFolder(this.parent))) ?? [];
    const files = all.filter((name) => name.startsWith(KIND) && isOfEnded(name)).map((name) => join(this.parent, name));
    const isOld = (file: string) => (attempt(() => statSync(file).mtimeMs) ?? 0) < this.clock.wall() - LEFT_MS;
    for (const file of files.filter(isOld)) attempt(() => rmSync(file));
    return files.filter((file) => !isOld(file));
  }
}

function textOf(lines: readonly Line[]): string {
  return lines.map((line, index) => `${JSON.stringify([index, ...line])}\n`).join("");
}

/** Whole lines that are not settled: what a killed process had not noted in full, it had not sent. */
function linesOf(text: string): Line[] {
  const keysOf = new Map<number, readonly string[]>();
  let found: Line[] = [];
  for (const line of text.split("\n")) {
    const { data } = lineSchema.safeParse(attempt(() => JSON.parse(line)));
    if (!data) continue;
    const [number, place, names, given] = data;
    const keys = typeof given === "number" ? (keysOf.get(given) ?? []) : given;
    keysOf.set(number, keys);
    if (keys.length > 0) found.push([place, names, keys]);
    // A line without keys settles those before it.
    else found = found.filter(([at, by]) => at !== place || !by.some((name) => names.includes(name)));
  }
  return found;
}
