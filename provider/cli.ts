#!/usr/bin/env node
import { main } from "./commands/program";

// SIGTERM and SIGINT end a running command cleanly; a second one ends the process at once.
const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stop.abort());

main(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  write: (text) =>
    new Promise((resolve, reject) => process.stdout.write(text, (error) => (error ? reject(error) : resolve()))),
  ...(process.stderr.isTTY && { terminal: { columns: () => process.stderr.columns ?? 80 } }),
  onHangup: (run) => process.on("SIGHUP", run),
  env: process.env,
  stop: stop.signal,
  isTerminal: process.stderr.isTTY,
}).then((code) => {
  process.exitCode = code;
});
