import { write } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { codeOf } from "../model/errors";
import { TIMES } from "./defaults";

const writeSome = promisify(write);

/**
 * Standard output for much text: resolves when it has taken all of it, in the order of the calls. Written in Node's pool of
 * threads, since `process.stdout` would stop the event loop for as long as a pipe is full
 * (nodejs.org/api/process.html, A note on process I/O).
 *
 * @returns a function that rejects with `EPIPE` once it has no reader any more.
 */
export function standardOutput(fd = 1): (text: string) => Promise<void> {
  let last = Promise.resolve();
  return (text) => {
    const written = last.then(() => writeAll(fd, Buffer.from(text)));
    last = written.catch(() => {});
    return written;
  };
}

async function writeAll(fd: number, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += (await writeSome(fd, bytes, at, bytes.length - at, null)).bytesWritten;
    } catch (error) {
      if (codeOf(error) !== "EAGAIN") throw error;
      await pause(TIMES.pipeFullMs);
    }
  }
}
