#!/usr/bin/env node
import { promisify } from "node:util";
import { Interrupted, removeHeld } from "./commands/interruption";
import { main } from "./commands/program";

// SIGTERM and SIGINT end a command cleanly; a second one ends the process at once, without a lock left.
const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const)
  process.on(signal, () => {
    if (!stop.signal.aborted) return stop.abort(new Interrupted(signal));
    removeHeld();
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });

/** Bytes: the state of a stack with a million entries. */
const MOST_OUTPUT = 2 ** 30;

// A reader that goes away, such as `head`, does not end the command. Nor does a full disk, which could leave half of a change
// at nodes: the command fails at its end.
let isUnwritten = false;
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" || isUnwritten) return;
    isUnwritten = true;
    process.exitCode ||= 1;
    if (stream === process.stdout) process.stderr.write(`Standard output cannot be written: ${error.message}.\n`);
  });
}

main(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  get stdin() {
    // Opened on demand: an unread terminal would keep the process running.
    return process.stdin;
  },
  stdout: process.stdout.fd,
  ...(process.stderr.isTTY && { terminal: { columns: () => process.stderr.columns ?? 80 } }),
  onHangup: (run) => process.on("SIGHUP", run),
  end: () => {
    process.removeAllListeners("SIGTERM");
    process.kill(process.pid, "SIGTERM");
  },
  execute: async (program, args, cwd, signal) => {
    // Most commands start no other.
    const { execFile } = await import("node:child_process");
    const { stdout } = await promisify(execFile)(program, args, {
      cwd,
      maxBuffer: MOST_OUTPUT,
      ...(signal && { signal }),
    });
    return stdout;
  },
  env: process.env,
  stop: stop.signal,
  elapsed: () => performance.now(),
}).then((code) => {
  process.exitCode = code === 0 && isUnwritten ? 1 : code;
  // Open waits for a terminal or a node would keep the process running.
  if (stop.signal.aborted && code > 128) {
    removeHeld();
    process.exit();
  }
});
