// @ts-check
import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 250;
const STALE_MS = 30 * 60_000;

/**
 * Runs `work` while no other process of this machine does, and waits for the other one before that.
 *
 * The lock only saves a second build: its outcome would be right without it, since files are moved into place whole.
 * So a lock whose owner has died, or that is older than half an hour, is simply taken over.
 *
 * @template T
 * @param {string} file
 * @param {{ waiting(owner: number): void, work(): Promise<T> }} options
 * @returns {Promise<T>}
 */
export async function locked(file, { waiting, work }) {
  const own = `${file}.${randomUUID()}`;
  writeFileSync(own, String(process.pid));
  try {
    for (let told = false; !take(own, file); told = true) {
      const owner = ownerOf(file);
      if (owner === undefined) continue;
      if (!isAlive(owner) || isOld(file)) rmSync(file, { force: true });
      else if (!told) waiting(owner);
      await sleep(POLL_MS);
    }
  } finally {
    rmSync(own, { force: true });
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

/** A link appears together with its content, so no process ever reads a lock without an owner. */
function take(/** @type {string} */ own, /** @type {string} */ file) {
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "EEXIST") return false;
    throw error;
  }
}

function ownerOf(/** @type {string} */ file) {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return undefined; // released in the meantime
  }
}

function isAlive(/** @type {number} */ pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}

function isOld(/** @type {string} */ file) {
  try {
    return Date.now() - statSync(file).mtimeMs > STALE_MS;
  } catch {
    return false;
  }
}
