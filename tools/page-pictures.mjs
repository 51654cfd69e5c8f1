#!/usr/bin/env node
// @ts-check
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { bootstrap, root } from "./bootstrap.mjs";

/** Takes the picture of the emulator's page that the documentation shows: `docs/pictures/page-sets.webp`, a third of a PNG's bytes. */
await bootstrap();
const { background, dnsAmplification, startEmulator, synFlood } = await import("../dist/provider/emulator/index.js");
const { openBrowser } = await import("./chromium.mjs");

const PICTURE = join(root, "docs", "pictures", "page-sets.webp");
const SET = "sets/prefixset%3A%2F%2Fedge%2Fblocked";
/** Seconds of traffic before the picture, so that the chart has something to show. */
const SECONDS = Number(process.env.PICTURE_SECONDS ?? 60);

await using emulator = await startEmulator({ seed: 7, port: 8080, state: state() });
await prepare();
const browser = await openBrowser({ colorScheme: "light", viewport: { width: 1440, height: 900 } });
const page = browser.pages()[0] ?? (await browser.newPage());
await page.goto(`${emulator.control}/#marks`);
await page.getByText("live", { exact: true }).waitFor();
await traffic(page);
await page.goto(`${emulator.control}/#${SET}`);
await page.locator("main h2").first().waitFor();
// Twice, so that what the view asked for has arrived as well.
for (let look = 0; look < 2; look++) await page.waitForResponse(/overview/);
writeFileSync(PICTURE, await asWebp(await page.screenshot({ animations: "disabled" })));
await browser.close();

/** The same picture as WebP: the browser takes PNG and JPEG only. */
async function asWebp(/** @type {Buffer} */ png) {
  const blank = await browser.newPage();
  const url = /** @type {string} */ (
    await blank.evaluate(`(async () => {
    const png = await fetch("data:image/png;base64,${png.toString("base64")}");
    const bitmap = await createImageBitmap(await png.blob());
    const canvas = Object.assign(document.createElement("canvas"), { width: bitmap.width, height: bitmap.height });
    canvas.getContext("2d").drawImage(bitmap, 0, 0);
    return canvas.toDataURL("image/webp", 0.75);
  })()`)
  );
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}

/**
 * A node under attack: what its profiles hold is small enough to read.
 *
 * @returns {import("../provider/emulator/index.js").EmulatorState}
 */
function state() {
  return {
    arenas: {
      edge: {
        sets: {
          blocked: { "192.0.2.0/24": 1, "192.0.2.64/26": 3, "2001:db8:bad::/48": 1 },
          partners: { "203.0.113.0/28": 7, "2001:db8:a::/48": 7 },
        },
        profiles: {
          web: {
            prefixes: ["203.0.113.128/25", "2001:db8:100::/48"],
            sets: { scanners: { "198.51.100.200/32": 1 } },
            rules: [
              { id: 10, name: "partners pass", match: [{ set: { name: "partners" } }], actions: ["accept"] },
              { id: 20, name: "blocked", match: [{ set: { name: "blocked" } }], actions: ["count", "drop"] },
              {
                id: 30,
                name: "SYN by source",
                match: [{ protocol: "tcp", flags: { set: ["syn"], unset: ["ack"] } }],
                actions: [{ hmark: { add: 1, lifetime: 30 } }],
              },
              {
                id: 40,
                name: "SYN flood",
                match: [{ mark: { type: "shost", id: 30, value: { gt: 3 } } }],
                actions: [{ hmark: { add: 1, lifetime: 15 } }, "count", "drop"],
              },
              {
                id: 50,
                name: "large answers",
                match: [{ protocol: "udp", sourcePort: 53, length: { min: 1000 } }],
                actions: [{ sdhmark: { add: 1, lifetime: 20 } }, "drop"],
              },
            ],
          },
          clean: { prefixes: ["198.51.100.0/24"] },
          protected: {
            rules: [
              {
                id: 100,
                name: "blocked everywhere",
                match: [{ set: { name: "blocked", scope: "global" } }],
                actions: ["drop"],
              },
              {
                id: 110,
                name: "flood by source",
                match: [{ not: { set: { name: "partners" } } }, { rate: { above: 20, per: "source" } }],
                actions: [{ hmark: { add: 1, lifetime: 600 } }, "drop"],
              },
            ],
          },
        },
      },
    },
  };
}

/** A bit of everything: staged changes, an active signaling, faults, and a journal. */
async function prepare() {
  const url = "prefixset://edge/blocked";
  const many = Array.from({ length: 240 }, (_, index) => ({ p: `198.51.100.${index}/32`, v: 1 + (index % 3) }));
  await node({ url: "arena://edge", cmd: "list" });
  await node({ url, cmd: "list" });
  await node({ url, cmd: "insert", data: many });
  await node({ url, cmd: "commit" });
  await node({ url, cmd: "list" });
  emulator.fail({ cmd: "commit", status: 503 });
  const changes = [
    { p: "192.0.2.128/25", v: 9 },
    { p: "192.0.2.64/26", v: 4 },
    { p: "198.51.100.2/32", v: 7 },
    { p: "203.0.113.7/32", v: 2 },
  ];
  await node({ url, cmd: "insert", data: changes });
  await node({ url, cmd: "delete", data: [{ a: "192.0.2.0/24" }, { a: "198.51.100.5/32" }] });
  await node({ url, cmd: "commit" });
  await node({ url: "mark://edge/web", cmd: "list", type: "shost" });
  const [client] = emulator.clients;
  const body = JSON.stringify({ IP_prefix: ["198.51.100.7/32"] });
  await fetch(`${emulator.signalingUrl}/${client?.clientId}/${client?.secretKey}/start`, { method: "POST", body });
  emulator.fail({ cmd: "commit", kind: "lost-answer", every: 1 });
  emulator.fail({ op: "start", kind: "lost-answer" });
}

/** A command to the node API, as a client sends it. */
function node(/** @type {object} */ command) {
  const headers = { "content-type": "application/json", "user-arena": "edge" };
  return fetch(`${emulator.endpoint}/fapi`, { method: "POST", headers, body: JSON.stringify(command) });
}

/** Attacks that come and go, second by second while the page is open. */
async function traffic(/** @type {import("playwright-core").Page} */ page) {
  const senders = ["203.0.113.0/24", "192.0.2.0/24", "198.51.100.0/24"];
  const sources = {
    usual: background({ to: ["203.0.113.129"], from: senders, seed: 3 }),
    flood: synFlood({ to: ["2001:db8:100::7"], from: ["2001:db8:a0::/44"], seed: 4 }),
    answers: dnsAmplification({ to: ["203.0.113.128/28"], from: senders, seed: 5 }),
  };
  for (let second = 0; second < SECONDS; second++) {
    const part = second / SECONDS;
    await emulator.receiveTraffic(sources.usual, 400);
    await emulator.receiveTraffic(sources.flood, Math.round(60 * Math.sin(part * Math.PI) ** 2) + 1);
    if (part > 0.35) await emulator.receiveTraffic(sources.answers, 90);
    await page.waitForResponse(/overview/);
  }
}
