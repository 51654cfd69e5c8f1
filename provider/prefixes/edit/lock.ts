import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { link, lstat, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { hasEnded } from "../../files/ended-process";
import { hold } from "../../files/held";
import { attempt, codeOf } from "../../model/errors";

/** Milliseconds: an edit takes less. A lock that stands unchanged for so long was left. */
const LEFT_AFTER_MS = 5_000;
/** Milliseconds after which a command that waits says for whom. */
const SAID_AFTER_MS = 1_000;
/** Milliseconds between two tries; longer after each. */
const PAUSE_MS = 10;
/** Milliseconds above which that pause does not grow. */
const LONGEST_PAUSE_MS = 100;
/** Bytes of a lock. More was not written by this package. */
const MOST_BYTES = 1_000;

const ownerSchema = z.strictObject({
  host: z.string().regex(/^[\w.-]{1,255}$/),
  pid: z.number().int().positive(),
  since: z.iso.datetime(),
  id: z.uuid(),
});
type Owner = z.infer<typeof ownerSchema>;

/** Wait of a command for a file that another one edits. */
export interface LockWait {
  /** Ends the wait, and makes no lock from then on. */
  readonly stop?: AbortSignal;
  /** Ends the wait, where there is one. */
  readonly until?: AbortSignal;
  /** Takes a sentence about who is waited for. */
  say?(sentence: string): void;
  /** Time; default: that of the machine. */
  readonly clock?: { monotonic(): number; sleep(ms: number, signal?: AbortSignal): Promise<void> };
}

const systemClock: NonNullable<LockWait["clock"]> = {
  monotonic: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

/**
 * Calls `work` while no other caller does, in this process or another: `<file>.lock` is there meanwhile, with the host, the
 * process and the time. It covers an edit of the file, which takes milliseconds, and nothing else. What a process left that was
 * killed is taken away, at once where it is one of this machine; so is what nothing but such a lock can be, by its form or
 * its age: a lock never keeps an editor for long.
 *
 * Done here, since the libraries for it are kept no more or know stale locks by their age only, by which a machine that
 * slept loses a lock that it holds.
 *
 * @param work Is told what says whether the lock is still its own: a process that was stopped for a while may have lost it.
 * @throws {Error} when the folder is not there, naming the file; when the wait is ended, naming whom it was for
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
    if (await made(lock, mine)) return;
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

/** Makes the lock if there is none; what stands in its place, a link included, is not followed. */
async function made(lock: string, mine: string): Promise<boolean> {
  try {
    await writeFile(lock, mine, { flag: "wx" });
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
  if (found.isDirectory()) throw new Error(`${basename(lock)} is a folder, and stands for a lock: remove it.`);
  const text = found.isFile() && found.size <= MOST_BYTES ? await textOf(lock) : "";
  const owner = attempt(() => ownerSchema.parse(JSON.parse(text)));
  return { key: `${found.ino} ${found.mtimeMs} ${text}`, owner };
}

async function textOf(lock: string): Promise<string> {
  try {
    // Neither a link that took its place meanwhile nor a pipe is waited for.
    await using file = await open(lock, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return await file.readFile("utf8");
  } catch {
    return "";
  }
}

/** Of several who find the same left lock one takes it away: a later one may meet a new lock in its place, and puts it back. */
async function takeAway(lock: string, left: string): Promise<void> {
  const aside = `${lock}.${randomUUID()}`;
  await rename(lock, aside).catch(() => undefined);
  const moved = await lookAt(aside);
  if (moved && moved.key !== left) await link(aside, lock).catch(() => undefined);
  await rm(aside, { force: true });
}

/** Error of the system about the lock, with the file in place of the lock, which no user has named. */
function ofFile(error: unknown, file: string): unknown {
  return error instanceof Error && "path" in error ? Object.assign(error, { path: file }) : error;
}

function editing(owner: Owner | undefined): string {
  return owner ? `process ${owner.pid} on ${owner.host} edits it since ${owner.since}.` : "another command edits it.";
}
