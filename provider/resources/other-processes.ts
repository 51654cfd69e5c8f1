import { hash, randomUUID } from "node:crypto";
import { appendFileSync, closeSync, openSync, readdirSync, readSync, renameSync, rmSync, statSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { join } from "node:path";
import { systemClock } from "../client/clock";
import { hasEnded } from "../files/ended-process";
import { PRIVATE_FILE } from "../files/private";
import { privateFolder } from "../files/private-folder";
import { attempt, messageOf } from "../model/errors";
import type { OtherProcesses } from "./wanted";

/** A process of a deployment: the address that the engine serves for the deployment, and the id of the process. */
export interface ProcessOfDeployment {
  readonly address: string;
  readonly pid: number;
}

/** Milliseconds after which a folder counts as left behind by a deployment whose processes have all ended. */
const LEFT_MS = 24 * 3_600_000;

/** Stands in the name of a file where its process had its id. */
const ENDED = "ended";
const OWN_FILE = /^(\d+|ended)-[\da-f-]{36}$/;

/** Ends what is told at once: what comes after the last one is not whole yet. */
const END = "\n\n";

/** Number and pause in milliseconds of repeated reads of a file that another process is writing. */
const UNFINISHED = { reads: 50, pauseMs: 2 } as const;

/**
 * The folder for what deployments of this user share: in that of Pulumi itself. If others can write there, they decide which
 * plugins the engine runs; in one for temporary files every user of the machine can be there first.
 *
 * @param home The variable `PULUMI_HOME`.
 */
export function sharedFolder(home?: string): string {
  // Who works as another user for once keeps the home of the first one as a rule.
  return join(home || join(homedir(), ".pulumi"), `packetfilter-${process.getuid?.() ?? "user"}`);
}

/**
 * Messages between the processes of one deployment, in a folder that belongs to the deployment and to this user alone. The
 * engine starts a process for each provider resource: `up --replace "**"` replaces the default provider as well, and the
 * process of the old one, which saw no check, carries out the deletes.
 *
 * Each process has a file there, to which it adds, and reads those of the others. Keys are written as hashes, since they may be
 * secret. A process that cannot be heard, or cannot hear, is told so by {@link learn}, and tries again each time.
 */
export class DeploymentFolder implements OtherProcesses {
  private readonly folder: string;
  private readonly own: string;
  private readonly hashes = new Map<string, string>();
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
    // Not by its process either, which need not be the parent of this one. A name of the machine can change meanwhile.
    this.folder = join(parent, `deployment-${address.split(":").at(-1)}`);
    this.own = `${pid}-${randomUUID()}`;
  }

  tell(addresses: readonly string[], keys: readonly string[]): void {
    if (keys.length === 0) return;
    const lines = [addresses.map((it) => this.short(it)).join(" "), ...keys.map((it) => this.short(it))];
    this.pending += `${lines.join("\n")}${END}`;
    attempt(() => this.send());
  }

  learn(): string | undefined {
    try {
      this.send();
      // A process that ends meanwhile gives its file another name.
      if (attempt(() => this.takeAll()) === undefined) this.takeAll();
      return undefined;
    } catch (error) {
      return `The provider processes of this deployment cannot tell each other what they want: ${messageOf(error)}. Make ${this.parent} a folder that this user alone can write to, or set PULUMI_HOME to such a place, and run the same pulumi command again.`;
    }
  }

  told(address: string): ReadonlyKeys {
    const keys = this.known.size === 0 ? undefined : this.known.get(this.short(address));
    return keys === undefined ? NONE : { size: keys.size, has: (key) => keys.has(this.short(key)) };
  }

  /** Says that this process has ended; the last one of a deployment takes the folder along. */
  end(): void {
    attempt(() => renameSync(join(this.folder, this.own), join(this.folder, `${ENDED}-${randomUUID()}`)));
    attempt(() => removeLeft(this.folder));
  }

  /** @throws {Error} where it cannot be written, or the folder cannot be trusted */
  private send(): void {
    if (this.isThere && this.pending === "") return;
    if (!this.isThere) this.prepare();
    // What was cut off by a full disk ends here.
    appendFileSync(join(this.folder, this.own), `${END}${this.pending}`, { mode: PRIVATE_FILE });
    this.isThere = true;
    this.pending = "";
  }

  /** Makes the folder, without what deployments left that were killed. */
  private prepare(): void {
    privateFolder(this.parent);
    const before = this.clock.wall() - LEFT_MS;
    for (const name of readdirSync(this.parent)) {
      const folder = join(this.parent, name);
      const isOld = (attempt(() => statSync(folder).mtimeMs) ?? before) < before;
      if (isOld) attempt(() => removeLeft(folder));
    }
    privateFolder(this.folder);
  }

  /** @throws {Error} where something cannot be read, or this process's own file went */
  private takeAll(): true {
    const names = readdirSync(this.folder);
    if (!names.includes(this.own)) throw new Error(`${join(this.folder, this.own)} was removed by another process`);
    for (const name of names) if (name !== this.own) this.take(name);
    return true;
  }

  /** Takes in what was added to a file. @throws {Error} where that cannot be read, or does not end */
  private take(name: string): void {
    for (let reads = 0; reads < UNFINISHED.reads; reads += 1) {
      const from = this.read.get(name) ?? 0;
      const text = readFrom(join(this.folder, name), from);
      const whole = text.lastIndexOf(END) + END.length;
      if (whole >= END.length) this.read.set(name, from + whole);
      for (const block of text.slice(0, whole).split(END)) if (block !== "") this.know(block.split("\n"));
      if (text === "" || whole === text.length) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, UNFINISHED.pauseMs);
    }
    throw new Error(`what ${join(this.folder, name)} says does not end`);
  }

  private know([addresses = "", ...keys]: readonly string[]): void {
    for (const address of addresses.split(" ")) {
      const known = this.known.get(address) ?? new Set();
      for (const key of keys) known.add(key);
      this.known.set(address, known);
    }
  }

  /** Each text is hashed once: what is wanted is owned as a rule. */
  private short(text: string): string {
    const known = this.hashes.get(text) ?? digest(text);
    this.hashes.set(text, known);
    return known;
  }
}

type ReadonlyKeys = ReturnType<OtherProcesses["told"]>;

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

/** Removes the folder of a deployment of which no process is left, and nothing else. */
function removeLeft(folder: string): void {
  const isOver = (name: string) => {
    const [, pid] = OWN_FILE.exec(name) ?? [];
    return pid !== undefined && (pid === ENDED || hasEnded({ host: hostname(), pid: Number(pid) }));
  };
  if (/[\\/]deployment-\d+$/.test(folder) && readdirSync(folder).every(isOver)) rmSync(folder, { recursive: true });
}

function digest(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 22);
}
