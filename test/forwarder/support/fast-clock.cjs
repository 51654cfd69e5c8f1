// @ts-check

const { setTimeout: sleep } = require("node:timers/promises");

/**
 * The machine's monotonic clock, `times` as fast: what a forwarder waits seconds for takes a part of them, and all processes of
 * the machine agree on it. `ahead`: milliseconds by which the date is set wrong.
 *
 * @param {number} times
 * @returns {import("../../../provider/forwarder/world").ForwarderWorld}
 */
function fastClock(times, ahead = 0) {
  const monotonic = () => (Number(process.hrtime.bigint() / 1000n) / 1000) * times;
  return {
    monotonic,
    wall: () => Date.UTC(2026, 0, 1) + Math.floor(monotonic()) + ahead,
    after: (ms, run) => {
      const timer = setTimeout(run, ms / times);
      return () => clearTimeout(timer);
    },
    sleep: (ms, signal) => sleep(ms / times, undefined, { signal }),
    random: Math.random,
  };
}

/**
 * The same clock for an emulator, whose journal then tells the pace in the forwarder's milliseconds.
 *
 * @param {number} times
 * @returns {import("../../../provider/emulator").Wall}
 */
function fastWall(times) {
  const { monotonic, wall, after } = fastClock(times);
  return { now: wall, elapsed: () => Math.floor(monotonic()), timer: (run, ms) => after(ms, run) };
}

module.exports = { fastClock, fastWall };
