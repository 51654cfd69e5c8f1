// @ts-check
import process from "node:process";

/**
 * Shows progress on stderr: one line that is rewritten on a terminal, a few plain lines in a pipe.
 *
 * @typedef {{ isTTY?: boolean, columns?: number, write(text: string): unknown }} Out
 * @typedef {{ update(detail: string): void, done(result?: string): void, fail(): void }} Step
 */

const SECOND = 1000;

/**
 * @param {string} title what is being done, for example "Building pulumi 3.259.0"
 * @param {{ out?: Out, plainEvery?: number }} [options] `plainEvery`: seconds between signs of life in a pipe
 * @returns {Step}
 */
export function step(title, { out = process.stderr, plainEvery = 30 } = {}) {
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / SECOND);
  let detail = "";
  const live = () => {
    const line = `${title} … ${seconds()} s${detail && ` (${detail})`}`;
    out.write(`\r\u001b[K${line.slice(0, (out.columns ?? 80) - 1)}`);
  };
  const plain = () => out.write(`${title}: still at it after ${seconds()} s${detail && ` (${detail})`}\n`);
  if (out.isTTY) live();
  else out.write(`${title} …\n`);
  const timer = setInterval(out.isTTY ? live : plain, (out.isTTY ? 0.2 : plainEvery) * SECOND);
  timer.unref();
  const end = (/** @type {string} */ text) => {
    clearInterval(timer);
    out.write(`${out.isTTY ? "\r\u001b[K" : ""}${text}\n`);
  };
  return {
    update: (text) => {
      detail = text;
    },
    done: (result) => end(`${title}: ${result ?? "done"} (${seconds()} s)`),
    fail: () => end(`${title}: failed after ${seconds()} s`),
  };
}
