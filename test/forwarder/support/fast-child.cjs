// @ts-check
const { readFileSync } = require("node:fs");
const { dirname } = require("node:path");
const { startForwarder } = require("pulumi-packetfilter/forwarder");
const { fastClock } = require("./fast-clock.cjs");

// A forwarder in a process of its own, to be killed: the file of its configuration, how fast its clock runs, and how wrong its
// date is. SIGTERM drains it.
const [file = "", times = "1", ahead = "0"] = process.argv.slice(2);
const stop = new AbortController();
process.on("SIGTERM", () => stop.abort());
/** @param {string} level */
const say = (level) => (/** @type {object} */ _, /** @type {string} */ message) => console.error(`${level} ${message}`);
startForwarder(JSON.parse(readFileSync(file, "utf8")), {
  folder: dirname(file),
  world: fastClock(Number(times), Number(ahead)),
  log: { info: say("info"), warn: say("warn"), error: say("error") },
  signal: stop.signal,
}).catch((/** @type {unknown} */ error) => {
  console.error(error);
  process.exitCode = 1;
});
