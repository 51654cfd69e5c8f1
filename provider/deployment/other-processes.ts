import { randomUUID } from "node:crypto";
import { closeSync, openSync, readdirSync, readSync, renameSync, rmSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../client/clock";
import { privateFolder } from "../files/private-folder";
import { attempt, messageOf } from "../model/errors";
import type { OtherProcesses } from "../reconcile/desired";
import { isOfEnded, LEFT_MS, ownFile, PROGRAM, ProcessFiles } from "./process-files";

/** A process of a deployment: the address that the engine serves for it, and the process id. */
export interface ProcessOfDeployment {
  readonly address: string;
  /** Absent for the program's: it may end before the provider's processes start, or serve programs of other deployments. */
  readonly pid?: number;
}

/** Replaces the process id in the name of a file once the process has ended. */
const ENDED = "ended";
const ENDED_FILE = /^ended-[\da-f-]{36}$/;

/** End of a message; text after the last one is not complete yet. */
const END = "\n\n";

/** Number and pause in milliseconds of repeated reads of a file that another process is writing. */
const UNFINISHED = { reads: 50, pauseMs: 2 } as const;

/**
 * Parent of the deployments' folders of this user, inside Pulumi's own folder: who can write there decides anyway which
 * plugins the engine runs. In a folder for temporary files, any user of the machine could be first.
 *
 * @param home The variable `PULUMI_HOME`.
 */
export function sharedFolder(home?: string): string {
  // With sudo, the home of the first user usually stays.
  return join(home || join(homedir(), ".pulumi"), `packetfilter-${process.getuid?.() ?? "user"}`);
}

/**
 * Messages between the processes of one deployment, in a private folder. The engine starts a process for each provider
 * resource: `up --replace "**"` also replaces the default provider, and the process of the old one, which saw no check,
 * carries out the deletes.
 *
 * Each process appends to its own file and reads the others. Keys are written as hashes, since they may be secret. If a file
 * cannot be written or read, {@link sync} returns the reason, and the next call tries again.
 */
export class DeploymentFolder implements OtherProcesses {
  private readonly files: ProcessFiles;
  /** Position up to which each file was read. */
  private readonly read = new Map<string, number>();
  /** Hash of an address to hashes of keys. */
  private readonly known = new Map<string, Set<string>>();
  /** Messages that are not written yet. */
  private pending = "";
  private isThere = false;

  constructor(
    { address, pid }: ProcessOfDeployment,
    private readonly parent: string,
    private readonly clock: Pick<typeof systemClock, "wall"> = systemClock,
  ) {
    // Not named by the engine's process, which need not be the parent, nor by the host name, which can change.
    const folder = join(parent, `deployment-${address.split(":").at(-1)}`);
    this.files = new ProcessFiles(folder, pid === undefined ? PROGRAM : `${pid}-`);
  }

  publish(addresses: readonly string[], keys: readonly string[]): void {
    if (keys.length === 0) return;
    const hashOf = (text: string) => this.files.hashOf(text);
    this.pending += `${addresses.map(hashOf).join(" ")}\n${keys.map(hashOf).join("\n")}${END}`;
    attempt(() => this.send());
  }

  sync(): string | undefined {
    try {
      this.send();
      // A process that ends meanwhile gives its file another name.
      if (attempt(() => this.takeAll()) === undefined) this.takeAll();
      return undefined;
    } catch (error) {
      return `The provider processes of this deployment cannot tell each other what they want: ${messageOf(error)}. Make ${this.parent} a folder that this user alone can write to, or set PULUMI_HOME to such a place, and run the same pulumi command again.`;
    }
  }

  received(address: string): ReadonlyKeys {
    const { files } = this;
    const keys = this.known.size === 0 ? undefined : this.known.get(files.hashOf(address));
    return keys === undefined ? NONE : { size: keys.size, has: (key) => keys.has(files.hashOf(key)) };
  }

  /** Marks this process as ended; the last process of a deployment removes the folder. */
  end(): void {
    const { folder, own } = this.files;
    attempt(() => renameSync(join(folder, own), join(folder, `${ENDED}-${randomUUID()}`)));
    attempt(() => removeLeft(folder));
  }

  /** @throws {Error} if the file cannot be written, or the folder cannot be trusted */
  private send(): void {
    if (this.isThere && this.pending === "") return;
    if (!this.isThere) this.prepare();
    // Ends a message that a full disk has cut off.
    this.files.append(`${END}${this.pending}`);
    this.isThere = true;
    this.pending = "";
  }

  /** Makes the folder, and removes those that killed deployments have left. */
  private prepare(): void {
    privateFolder(this.parent);
    const before = this.clock.wall() - LEFT_MS;
    for (const name of readdirSync(this.parent)) {
      const folder = join(this.parent, name);
      const isOld = (attempt(() => statSync(folder).mtimeMs) ?? before) < before;
      if (isOld) attempt(() => removeLeft(folder));
    }
    this.forgetKilled(privateFolder(this.files.folder));
  }

  /**
   * Removes what a killed deployment has left whose engine had the same port. A process that starts meanwhile keeps its file. Only
   * a program can be the one process of this deployment that has ended.
   */
  private forgetKilled(folder: string): void {
    const names = readdirSync(folder);
    const isProgram = (name: string) => name.startsWith(PROGRAM);
    const isLeft = names.every(isOver) && (isProgram(this.files.own) || !names.some(isProgram));
    if (isLeft) for (const name of names) attempt(() => rmSync(join(folder, name)));
  }

  /** @throws {Error} if a file cannot be read, or this process's own file is gone */
  private takeAll(): true {
    const { folder, own } = this.files;
    const names = readdirSync(folder);
    if (!names.includes(own)) throw new Error(`${join(folder, own)} was removed by another process`);
    for (const name of names) if (name !== own) this.take(name);
    return true;
  }

  /** Reads new messages of a file. @throws {Error} if it cannot be read, or does not end */
  private take(name: string): void {
    const file = ownFile(join(this.files.folder, name));
    for (let reads = 0; reads < UNFINISHED.reads; reads += 1) {
      const from = this.read.get(name) ?? 0;
      const text = readFrom(file, from);
      const whole = text.lastIndexOf(END) + END.length;
      if (whole >= END.length) this.read.set(name, from + whole);
      for (const block of text.slice(0, whole).split(END)) if (block !== "") this.record(block.split("\n"));
      if (text === "" || whole === text.length) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, UNFINISHED.pauseMs);
    }
    throw new Error(`what ${file} says does not end`);
  }

  private record([addresses = "", ...keys]: readonly string[]): void {
    for (const address of addresses.split(" ")) {
      const known = this.known.get(address) ?? new Set();
      for (const key of keys) known.add(key);
      this.known.set(address, known);
    }
  }
}

type ReadonlyKeys = ReturnType<OtherProcesses["received"]>;

const NONE: ReadonlyKeys = new Set<string>();

function readFrom(file: string, from: number): string {
  const size = statSync(file).size - from;
  if (size <= 0) return "";
  const bytes = Buffer.alloc(size);
  const opened = openSync(file, "r");
  try {
    return bytes.toString("latin1", 0, readSync(opened, bytes, 0, size, from));
  } finally {
    closeSync(opened);
  }
}

/** Removes the folder of a deployment without running processes, and nothing else. */
function removeLeft(folder: string): void {
  if (/[\\/]deployment-\d+$/.test(folder) && readdirSync(folder).every(isOver)) rmSync(folder, { recursive: true });
}

/** True for a file of a process that has ended. */
function isOver(name: string): boolean {
  return ENDED_FILE.test(name) || isOfEnded(name);
}
