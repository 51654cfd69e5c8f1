// @ts-check
"use strict";
/**
 * Walks through the built package in a process of its own: `child.cjs WALK ROOT [ENDPOINT]`. Prints, for each step, the files that took part and
 * how many of their functions ran.
 */
const { join } = require("node:path");
const { take } = require("./coverage.cjs");

const [walk, root, endpoint] = process.argv.slice(2);
const load = (/** @type {string} */ file) => require(join(String(root), "dist", "provider", file));

const WALKS = {
  /** Check and create of one resource through the handlers that the engine calls. */
  async resource(/** @type {string} */ type, /** @type {object} */ args) {
    const handler = load("provider.js").get(type);
    await handler.configure({
      config: { get: (/** @type {string} */ key) => ({ "packetfilter:endpoint": endpoint })[key] },
    });
    await take();
    const { inputs, failures } = await handler.check({}, args);
    if (failures?.length) throw new Error(JSON.stringify(failures));
    const check = await take();
    await handler.create(inputs);
    return { check, create: await take() };
  },

  PrefixSet: () =>
    WALKS.resource("PrefixSet", { arena: "edge", set: "blocked", entries: { "192.0.2.0/24": { value: 1 } } }),

  PrefixSetEntry: () =>
    WALKS.resource("PrefixSetEntry", { arena: "edge", set: "blocked", prefix: "192.0.2.0/24", value: 1 }),

  /** One new mark from a node's answer to a file, at the second list of its table. */
  async mark() {
    const { mkdtempSync, readFileSync, rmSync } = require("node:fs");
    const folder = mkdtempSync(join(require("node:os").tmpdir(), "packetfilter-walk-"));
    const written = () => {
      try {
        return readFileSync(join(folder, "marks.ndjson"), "utf8").trim().split("\n").length;
      } catch {
        return 0;
      }
    };
    const { startForwarder } = load("forwarder/index.js");
    const forwarder = await startForwarder(
      {
        nodes: { fra1: { endpoint } },
        watch: [{ arena: "edge", types: ["shost"] }],
        sinks: [{ name: "disk", type: "file", path: "marks.ndjson" }],
        state: folder,
      },
      { folder },
    );
    const until = async (/** @type {number} */ lines) => {
      while (written() < lines) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await until(1);
    await take(1);
    await ask("mark");
    await until(2);
    const mark = await take(1);
    await forwarder.stop();
    rmSync(folder, { recursive: true });
    return { mark };
  },

  /** A list, an insert and a commit, as the emulator answers them. */
  async emulator() {
    const emulator = await load("emulator/index.js").startEmulator({
      state: { arenas: { edge: { sets: { blocked: {} } } } },
    });
    /** @type {Record<string, [string, number][]>} */
    const steps = {};
    const { endpoint } = emulator;
    await ask("connect", endpoint);
    for (const step of ["list", "insert", "commit"]) {
      await take();
      await ask(step, endpoint);
      steps[step] = await take();
    }
    await emulator.close();
    return steps;
  },
};

/** Has the parent do something outside of this process, and waits for it. */
function ask(/** @type {string} */ what, /** @type {string} */ where = "") {
  return new Promise((resolve) => {
    process.once("message", resolve);
    process.send?.({ what, where });
  });
}

/** @type {Record<string, () => Promise<object>>} */ (/** @type {unknown} */ (WALKS))
  [String(walk)]?.()
  .then((steps) => process.send?.({ steps }, () => process.exit(0)));
