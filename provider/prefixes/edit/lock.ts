import { randomUUID } from "node:crypto";
import { link, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { hasEnded } from "../../files/ended-process";
import { attempt, codeOf } from "../../model/errors";

/** Milliseconds: a command holds the file until its nodes have answered, and twenty may wait for each other. */
const PATIENCE_MS = 600_000;
/** Milliseconds after which a lock without its owner in it was left by a process that was killed. */
const HALF_MADE_MS = 30_000;
const PAUSE_MS = 10;

const ownerSchema = z.object({ host: z.string(), pid: z.number().int(), id: z.string() });
type Owner = z.infer<typeof ownerSchema>;

/**
 * Calls `work` while no other caller does, in this process or another: `<file>.lock` is there meanwhile, with the process
 * that made it. The lock of a process of this machine that has ended is taken away; one of another machine (a shared disk) is
 * not, since that cannot be told here.
 *
 * Done here, since the libraries for it are kept no more or know stale locks by their age only, by which a machine that
 * slept loses a lock that it holds.
 *
 * @throws {Error} when the lock is not to be had in that time, or the folder is not there, naming the file
 */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  try {
    await take(lock);
  } catch (error) {
    throw ofFile(error, file);
  }
  try {
    await removeLeft(lock);
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function take(lock: string): Promise<void> {
  const id = randomUUID();
  const mine = JSON.stringify({ host: hostname(), pid: process.pid, id });
  const end = performance.now() + PATIENCE_MS;
  while (!(await made(lock, mine, id))) {
    const text = await readFile(lock, "utf8").catch(() => undefined);
    const owner = text === undefined ? undefined : ownerOf(text);
    if (text !== undefined && owner && hasEnded(owner)) await takeAway(lock, text, owner);
    else if (performance.now() > end) throw new Error(held(lock, owner));
    else await sleep(PAUSE_MS * (0.5 + Math.random()));
  }
}

/** Makes the lock if there is none. It appears with its owner in it, so that none is ever found half made. */
async function made(lock: string, owner: string, id: string): Promise<boolean> {
  const temporary = `${lock}.${id}`;
  await writeFile(temporary, owner, { flag: "wx" });
  try {
    await link(temporary, lock);
    return true;
  } catch (error) {
    // Or taken for what a killed process left, and removed: then it is tried again.
    if (["EEXIST", "ENOENT"].includes(codeOf(error) ?? "")) return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

function ownerOf(text: string): Owner | undefined {
  return attempt(() => ownerSchema.parse(JSON.parse(text)));
}

/** Who holds the lock removes what processes left beside it that were killed on their way to it. */
async function removeLeft(lock: string): Promise<void> {
  const folder = dirname(lock);
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(`${basename(lock)}.`))) {
    const left = join(folder, name);
    const owner = ownerOf(await readFile(left, "utf8").catch(() => ""));
    // Without an owner it was left before that was written.
    const isLeft = owner ? hasEnded(owner) : await isOld(left);
    if (isLeft) await rm(left, { force: true });
  }
}

async function isOld(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > HALF_MADE_MS;
}

/** Of several who find the same left lock one takes it away: a later one may meet a new lock in its place. */
async function takeAway(lock: string, left: string, { id }: Owner): Promise<void> {
  const turn = `${lock}.${id}.left`;
  if (!(await made(turn, left, randomUUID()))) return void (await sleep(PAUSE_MS));
  try {
    if ((await readFile(lock, "utf8").catch(() => undefined)) === left) await rm(lock, { force: true });
  } finally {
    await rm(turn, { force: true });
  }
}

/** What the system says of the lock, said of the file: no user has ever named the lock. */
function ofFile(error: unknown, file: string): unknown {
  return error instanceof Error && "path" in error ? Object.assign(error, { path: file }) : error;
}

function held(lock: string, owner: Owner | undefined): string {
  const file = basename(lock, ".lock");
  const by = owner ? `process ${owner.pid} on ${owner.host}` : "another command";
  return `${file} is being edited by ${by}, which has not ended. Nothing was changed: wait for it and try again. If it runs no more, remove ${basename(lock)} beside the file.`;
}
