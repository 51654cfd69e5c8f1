// @ts-check
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { chromium } from "playwright-core";

/** Debian's package; another Chromium or Chrome is named by `CHROMIUM_PATH`. */
const DEBIAN = "/usr/bin/chromium";

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * The path of a Chromium; installs Debian's package where it is missing and may be installed.
 *
 * @returns {string}
 * @throws {Error} saying what to do, where there is none: tests in a browser fail then and are never skipped.
 */
export function ensureChromium() {
  const path = process.env.CHROMIUM_PATH ?? DEBIAN;
  if (existsSync(path)) return path;
  const remedy = `Install Debian's package "chromium", or name a Chromium in CHROMIUM_PATH.`;
  if (process.env.CHROMIUM_PATH) throw new Error(`There is no Chromium at ${path}. ${remedy}`);
  if (process.getuid?.() !== 0 || !isDebian()) {
    throw new Error(`There is no Chromium at ${path}, and only root on Debian can install it from here. ${remedy}`);
  }
  process.stderr.write("Installing Chromium (apt-get install chromium) …\n");
  // Several test processes may want it at once.
  const wait = ["-o", "DPkg::Lock::Timeout=300"];
  apt(...wait, "update");
  apt(...wait, "install", "-y", "--no-install-recommends", "chromium");
  if (!existsSync(path)) throw new Error(`Chromium was installed, but not at ${path}. ${remedy}`);
  return path;
}

/**
 * A browser without history or settings that talks only to the pages it opens. Closing the context ends it and removes its folder.
 *
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
export async function openBrowser(options = {}) {
  const profile = mkdtempSync(join(tmpdir(), "packetfilter-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: ensureChromium(),
    args: FLAGS,
    headless: true,
    ...options,
  });
  context.on("close", () => rmSync(profile, { recursive: true, force: true, maxRetries: 5 }));
  return context;
}

function apt(/** @type {string[]} */ ...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status, error } = spawnSync("apt-get", args, { env, stdio: ["ignore", 2, 2] });
  if (error || status !== 0) throw new Error(`"apt-get ${args.at(-1)}" failed, see above. ${error?.message ?? ""}`);
}

function isDebian() {
  const release = "/etc/os-release";
  return existsSync(release) && /^ID(_LIKE)?=.*debian/m.test(readFileSync(release, "utf8"));
}
