import { hash } from "node:crypto";
import { appendFileSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { hasEnded } from "../files/ended-process";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../files/private";
import { attempt } from "../model/errors";
import type { OtherProcesses } from "./wanted";

/** A process of a deployment: the engine that started it, by its id and the address that it serves, and its own id. */
export interface ProcessOfDeployment {
  readonly engine: number;
  readonly address: string;
  readonly pid: number;
}

const PREFIX = "packetfilter-deployment-";

/**
 * What the provider processes of one deployment tell each other, in a folder of this machine that belongs to the deployment
 * alone. The engine starts a process for each provider resource: `up --replace "**"` replaces the default provider as well,
 * and the process of the old one, which saw no check, carries out the deletes.
 *
 * Keys are written as hashes, since they may be secret. Where the folder cannot be used, each process knows its own keys.
 */
export class DeploymentFolder implements OtherProcesses {
  private readonly folder: string;
  private readonly own: string;
  private readonly port: string;
  private readonly read = new Map<string, number>();
  /** Hash of an address to hashes of keys. */
  private readonly known = new Map<string, Set<string>>();
  private isUsable: boolean | undefined;

  constructor(
    { engine, address, pid }: ProcessOfDeployment,
    private readonly parent = tmpdir(),
  ) {
    this.port = address.split(":").at(-1) ?? "";
    this.folder = join(parent, `${PREFIX}${engine}-${this.port}`);
    this.own = String(pid);
  }

  tell(addresses: readonly string[], keys: readonly string[]): void {
    this.isUsable ??= this.prepare();
    if (!this.isUsable || keys.length === 0) return;
    const lines = [addresses.map(short).join(" "), ...keys.map(short), ""];
    try {
      appendFileSync(join(this.folder, this.own), `${lines.join("\n")}\n`, { mode: PRIVATE_FILE });
    } catch {
      this.isUsable = false;
    }
  }

  learn(): void {
    for (const file of this.told()) {
      // Nothing of a process that ended meanwhile.
      const text = attempt(() => readFileSync(file, "utf8"));
      if (text === undefined || this.read.get(file) === text.length) continue;
      this.read.set(file, text.length);
      for (const block of text.split("\n\n")) this.take(block.split("\n"));
    }
  }

  want(addresses: readonly string[], key: string): boolean {
    return this.known.size > 0 && addresses.some((address) => this.known.get(short(address))?.has(short(key)));
  }

  /** Forgets what this process told; the last one of a deployment takes the folder along. */
  end(): void {
    try {
      for (const folder of this.folders()) if (folder !== this.folder) rmSync(folder, { recursive: true, force: true });
      rmSync(join(this.folder, this.own), { force: true });
      rmdirSync(this.folder);
    } catch {
      // Others are still there, or nothing was told.
    }
  }

  private take([addresses = "", ...keys]: readonly string[]): void {
    for (const address of addresses.split(" ")) {
      const wanted = this.known.get(address) ?? new Set();
      for (const key of keys) wanted.add(key);
      this.known.set(address, wanted);
    }
  }

  /** The files of the other processes. */
  private told(): string[] {
    const files = this.folders().flatMap((folder) => namesIn(folder).map((name) => join(folder, name)));
    return files.filter((file) => file !== join(this.folder, this.own));
  }

  /** That of the engine's provider processes, and that of the program, which a language host of the engine has started. */
  private folders(): string[] {
    const isAlive = (name: string) =>
      !hasEnded({ host: hostname(), pid: Number(name.slice(PREFIX.length).split("-")[0]) });
    return namesIn(this.parent)
      .filter((name) => name.startsWith(PREFIX) && name.endsWith(`-${this.port}`) && isAlive(name))
      .map((name) => join(this.parent, name))
      .filter(isOurs);
  }

  /** Makes the folder, and removes those of engines that were killed. */
  private prepare(): boolean {
    try {
      for (const name of readdirSync(this.parent)) {
        const [engine] = name.startsWith(PREFIX) ? name.slice(PREFIX.length).split("-") : [];
        const left = join(this.parent, name);
        if (engine !== undefined && hasEnded({ host: hostname(), pid: Number(engine) }) && isOurs(left))
          rmSync(left, { recursive: true, force: true });
      }
      mkdirSync(this.folder, { recursive: true, mode: PRIVATE_FOLDER });
      return isOurs(this.folder);
    } catch {
      return false;
    }
  }
}

/** Nothing where there is no such folder, or none any more. */
function namesIn(folder: string): string[] {
  return attempt(() => readdirSync(folder)) ?? [];
}

/** False for what another user of the machine put there. */
function isOurs(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && (process.getuid?.() ?? found.uid) === found.uid;
}

function short(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 22);
}
