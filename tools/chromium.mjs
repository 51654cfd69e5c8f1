// @ts-check
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { chromium } from "playwright-core";
import { ensureDebian } from "./lib/debian.mjs";

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
  ensureDebian(path, "chromium", remedy);
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
