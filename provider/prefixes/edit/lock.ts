import { randomUUID } from "node:crypto";
import { constants, writeFileSync } from "node:fs";
import { link, lstat, open, readFile, rename, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { hasEnded } from "../../files/ended-process";
import { hold } from "../../files/held";
import { attempt, codeOf } from "../../model/errors";

/** Milliseconds after which an unchanged lock counts as abandoned: an edit takes less. */
const LEFT_AFTER_MS = 5_000;
/** Milliseconds after which a waiting command prints for whom it waits. */
const SAID_AFTER_MS = 1_000;
/** Milliseconds between the first two tries; the pause grows with each. */
const PAUSE_MS = 10;
/** Longest such pause, in milliseconds. */
const LONGEST_PAUSE_MS = 100;
/** Most bytes of a lock; a larger file is not one of this package. */
const MOST_BYTES = 1_000;

const ownerSchema = z.strictObject({
  host: z.string().regex(/^[\w.-]{1,255}$/),
  pid: z.number().int().positive(),
  since: z.iso.datetime(),
  id: z.uuid(),
});
type Owner = z.infer<typeof ownerSchema>;

/** Wait of a command for a file that another command edits. */
export interface LockWait {
  /** Ends the wait; no lock is made afterwards. */
  readonly stop?: AbortSignal;
  /** Ends a wait; a free lock is still taken. */
  readonly until?: AbortSignal;
  /** Takes a sentence about the process that holds the lock. */
  say?(sentence: string): void;
  /** Time; default: that of the machine. */
  readonly clock?: { monotonic(): number; sleep(ms: number, signal?: AbortSignal): Promise<void> };
}

const systemClock: NonNullable<LockWait["clock"]> = {
  monotonic: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

/**
 * Calls `work` while no other caller does, in this process or another. Meanwhile `<file>.lock` holds the host, the process and
 * the time. The lock covers one edit of the file, which takes milliseconds. The lock of a process that has ended on this machine
 * is removed at once, any other after {@link LEFT_AFTER_MS}, so that no lock blocks an editor for long.
 *
 * Own code, since the libraries for it are unmaintained or detect stale locks by age only: a machine that slept would lose a
 * lock that it holds.
 *
 * @param work Takes a function that tells whether the lock is still held: a process that was stopped may have lost it.
 * @throws {Error} if the folder is missing, naming the file; if the wait is ended, naming the process that holds the lock
 */
export async function withLock<T>(
  file: string,
  work: (isOurs: () => Promise<boolean>) => Promise<T>,
  wait: LockWait = {},
): Promise<T> {
  const lock = `${file}.lock`;
  const mine = ownText();
  try {
    await take(lock, mine, wait);
  } catch (error) {
    throw ofFile(error, file);
  }
  const forget = hold(lock, mine);
  const isOurs = async () => (await readFile(lock, "utf8").catch(() => undefined)) === mine;
  try {
    return await work(isOurs);
  } finally {
    forget();
    if (await isOurs()) await rm(lock, { force: true });
  }
}

function ownText(): string {
  const owner: Owner = { host: hostname(), pid: process.pid, since: new Date().toISOString(), id: randomUUID() };
  return JSON.stringify(owner);
}

async function take(lock: string, mine: string, { stop, until, say, clock = systemClock }: LockWait): Promise<void> {
  const file = basename(lock, ".lock");
  const end = AbortSignal.any([stop ?? [], until ?? []].flat());
  const began = clock.monotonic();
  let isSaid = false;
  let met: { readonly key: string; readonly at: number } | undefined;
  for (let pause = PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 1.5)) {
    stop?.throwIfAborted();
    if (made(lock, mine)) return;
    const found = await lookAt(lock);
    if (!found) continue;
    const now = clock.monotonic();
    if (met?.key !== found.key) met = { key: found.key, at: now };
    if ((found.owner && hasEnded(found.owner)) || now - met.at >= LEFT_AFTER_MS) {
      await takeAway(lock, found.key);
      continue;
    }
    if (!isSaid && now - began >= SAID_AFTER_MS) say?.(`Waits for ${file}: ${editing(found.owner)}`);
    isSaid ||= now - began >= SAID_AFTER_MS;
    if (!end.aborted) await clock.sleep(pause * (0.5 + Math.random()), end).catch(() => undefined);
    if (end.aborted) throw new Error(`${file} was not edited: ${editing(found.owner)}`, { cause: end.reason });
  }
}

/** Makes the lock if there is none; does not follow a link in its place. */
function made(lock: string, mine: string): boolean {
  try {
    // In one turn with the caller, so that no signal comes between the lock and what removes it at the end of the process.
    writeFileSync(lock, mine, { flag: "wx" });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** The lock that is there, identified by `key`; `undefined` for none. `owner` only if this package wrote it. */
async function lookAt(lock: string): Promise<{ readonly key: string; readonly owner?: Owner | undefined } | undefined> {
  const found = await lstat(lock).catch(() => undefined);
  if (!found) return undefined;
  if (found.isDirectory()) throw new Error(`${basename(lock)} is a folder, in the place of a lock: remove it.`);
  const text = found.isFile() && found.size <= MOST_BYTES ? await textOf(lock) : "";
  const owner = attempt(() => ownerSchema.parse(JSON.parse(text)));
  return { key: `${found.ino} ${found.mtimeMs} ${text}`, owner };
}

async function textOf(lock: string): Promise<string> {
  try {
    // A link or a pipe that took its place meanwhile must not block.
    await using file = await open(lock, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return await file.readFile("utf8");
  } catch {
    return "";
  }
}

/** Removes an abandoned lock. If another process has replaced it meanwhile, the new lock is restored. */
async function takeAway(lock: string, left: string): Promise<void> {
  const aside = `${lock}.${randomUUID()}`;
  await rename(lock, aside).catch(() => undefined);
  const moved = await lookAt(aside);
  if (moved && moved.key !== left) await link(aside, lock).catch(() => undefined);
  await rm(aside, { force: true });
}

/** Error of the system about the lock, with the path of the file, which the user knows. */
function ofFile(error: unknown, file: string): unknown {
  return error instanceof Error && "path" in error ? Object.assign(error, { path: file }) : error;
}

function editing(owner: Owner | undefined): string {
  return owner ? `process ${owner.pid} on ${owner.host} edits it since ${owner.since}.` : "another command edits it.";
}
