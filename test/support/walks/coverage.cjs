// @ts-check
"use strict";
/**
 * Counts the files of `provider/` of which a function ran since the last count, in this thread and the other ones of the process; what runs
 * while a module loads is counted only where it lies in a function. To be loaded with `--require`, which threads inherit.
 */
const { readFileSync } = require("node:fs");
const { Session } = require("node:inspector");
const { fileURLToPath } = require("node:url");
const { isMainThread, BroadcastChannel } = require("node:worker_threads");

const FILE = /[\\/]dist[\\/](provider|parts)[\\/].*\.js$/;
const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

/** Where each source begins in a file of the build, which names it there. */
function sourcesIn(/** @type {string} */ url) {
  const text = readFileSync(url.startsWith("file:") ? fileURLToPath(url) : url, "utf8");
  return [...text.matchAll(/^\/\/ (provider\/.*)\.ts$/gm)].map(({ 1: name = "", index }) => ({ name, index }));
}

/** Files and functions since the last call. Coverage of the own thread is answered before `post` returns. */
function taken() {
  /** @type {[file: string, functions: number][]} */
  let files = [];
  session.post("Profiler.takePreciseCoverage", (error, answer) => {
    if (error) throw error;
    files = answer.result.flatMap(({ url, functions }) => {
      // The function at the start of a file is the file itself.
      const ran = functions.filter(({ ranges: [range] }) => range && range.startOffset > 0 && range.count > 0);
      if (!FILE.test(url) || ran.length === 0) return [];
      const sources = sourcesIn(url);
      const starts = ran.map(({ ranges: [range] }) => range?.startOffset ?? 0);
      return sources.flatMap(({ name, index }, at) => {
        const end = sources[at + 1]?.index ?? Number.POSITIVE_INFINITY;
        const within = starts.filter((start) => start > index && start < end).length;
        return within > 0 ? [/** @type {[string, number]} */ ([name, within])] : [];
      });
    });
  });
  return files;
}

const channel = new BroadcastChannel("walks");
channel.unref();

if (!isMainThread) {
  channel.onmessage = ({ data }) => {
    if (data === "take") channel.postMessage({ files: taken() });
  };
} else {
  /** What ran in this thread and in so many others since the last call. */
  const take = async (threads = 0) => {
    /** @type {[string, number][]} */
    const files = [];
    const answers = new Promise((resolve) => {
      let missing = threads;
      if (missing === 0) resolve(undefined);
      channel.onmessage = (/** @type {any} */ { data }) => {
        files.push(...data.files);
        if (--missing === 0) resolve(undefined);
      };
    });
    files.push(...taken());
    if (threads > 0) channel.postMessage("take");
    await answers;
    return files;
  };
  module.exports = { take };
}
