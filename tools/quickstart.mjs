#!/usr/bin/env node
// @ts-check
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { bootstrap, root } from "./bootstrap.mjs";
import { ensurePulumiCli } from "./pulumi-cli/ensure.mjs";

/**
 * `npm run quickstart`: a real `pulumi up` of examples/quickstart against the emulator, from the first install to the
 * last clean-up. Nothing outside of a temporary folder is changed.
 */
await bootstrap();
const { bin } = await ensurePulumiCli();

const require = createRequire(join(root, "package.json"));
const { startEmulator } = require("pulumi-packetfilter/emulator");
const Table = require("cli-table3");

const BLOCKED = "prefixset://edge/blocked";
const PARTNERS = "prefixset://edge/partners";
/** A name that no user would give a stack, since its file is in the clone while this runs. */
const STACK = `quickstart-${process.pid}`;
const state = {
  arenas: {
    edge: {
      sets: { blocked: {}, partners: { "203.0.113.128/25": 7 } },
      profiles: { clean: { prefixes: ["198.51.100.0/24"] }, protected: {} },
    },
  },
};

const emulator = await startEmulator({ state });
const { clientId, secretKey } = emulator.clients[0] ?? { clientId: "", secretKey: "" };
const folder = mkdtempSync(join(tmpdir(), "packetfilter-quickstart-"));
try {
  await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
  rmSync(join(root, `Pulumi.${STACK}.yaml`), { force: true });
  await emulator.close();
}

async function run() {
  step("An emulated node and signaling receiver are running", `at ${emulator.endpoint}. The node holds:`);
  show();

  step("pulumi up", "fills a prefix-set, adds an entry to another and starts a signaling.");
  must(await pulumi("stack", "init", STACK));
  must(await pulumi("up", "--yes"));
  show();

  step("An operator works on the node by hand", "removes a blocked prefix, adds another, and stops the signaling.");
  emulator.change(BLOCKED, { delete: ["192.0.2.0/24"], insert: { "192.0.2.128/25": 1 } });
  emulator.signal(clientId, { stop: ["198.51.100.7"] });
  show();

  step("pulumi preview --refresh --expect-no-changes", "sees the drift, and fails because of it.");
  if ((await pulumi("preview", "--refresh", "--expect-no-changes")) === 0) throw new Error("The drift was not seen.");

  step("pulumi up --refresh", "repairs it.");
  must(await pulumi("up", "--refresh", "--yes", "--skip-preview"));
  show();

  step("pulumi destroy", "cleans up; what others put into the second set stays.");
  must(await pulumi("destroy", "--yes", "--skip-preview"));
  show();

  process.stdout.write(`
That was all of it, with a real engine. To go on:
  the program            examples/quickstart/index.ts
  an emulator to keep    npx pulumi-packetfilter emulator
  your own node          pulumi config set packetfilter:endpoint https://node.example
  more                   README.md
`);
}

/** A step's title and what it does, in two plain lines. */
function step(/** @type {string} */ title, /** @type {string} */ meaning) {
  process.stdout.write(`\n── ${title}\n   ${meaning}\n\n`);
}

/** Content of the node, and the active signalings. */
function show() {
  const table = new Table({ head: ["where", "prefix", "value"], style: { head: [], border: [] } });
  for (const url of [BLOCKED, PARTNERS]) {
    const entries = Object.entries(emulator.prefixSet(url).applied);
    if (entries.length === 0) table.push([url, "(empty)", ""]);
    for (const [prefix, value] of entries) table.push([url, prefix, value]);
  }
  table.push(["198.51.100.7 is in", emulator.boundProfile("198.51.100.7"), ""]);
  process.stdout.write(`${table.toString()}\n`);
}

/**
 * The emulator lives in this process, so it must not block while Pulumi runs.
 * @returns {Promise<number | null>} the exit code; the output is Pulumi's own.
 */
async function pulumi(/** @type {string[]} */ ...args) {
  const env = {
    ...process.env,
    PATH: [bin, process.env.PATH].join(delimiter),
    PULUMI_HOME: join(folder, "home"),
    PULUMI_BACKEND_URL: `file://${folder}`,
    PULUMI_CONFIG_PASSPHRASE: "quickstart",
    PULUMI_SKIP_UPDATE_CHECK: "1",
    PACKETFILTER_ENDPOINT: emulator.endpoint,
    PACKETFILTER_SIGNALING_URL: emulator.signalingUrl,
    PACKETFILTER_CLIENT_ID: clientId,
    PACKETFILTER_SECRET_KEY: secretKey,
  };
  const stack = args[0] === "stack" ? [] : ["--stack", STACK];
  const options = {
    cwd: root,
    env,
    stdio: /** @type {import("node:child_process").StdioOptions} */ (["ignore", "inherit", "inherit"]),
  };
  const child = spawn("pulumi", [...args, ...stack, "--non-interactive"], options);
  const [status] = await once(child, "exit");
  return status;
}

function must(/** @type {number | null} */ status) {
  if (status !== 0) throw new Error(`Pulumi ended with ${status}, see above.`);
}
