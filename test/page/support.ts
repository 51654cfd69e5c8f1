import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../provider/emulator";
import { defaultState } from "../../provider/emulator/state/default-state";
import { fapi } from "../emulator/calls";

/** Every view that the page has; `accessibility.long.test.ts` compares them with its tabs and its link to Help. */
export const VIEWS = ["node", "sets", "marks", "signaling", "faults", "packets", "setup", "journal", "help"] as const;

/** Room for the installation of a browser. */
const SET_UP = 300_000;
const root = resolve(__dirname, "../..");

/** A Chromium for the tests of a file, and the page as it is built now. */
export function useBrowser(options: BrowserContextOptions = {}) {
  let context: BrowserContext;
  beforeAll(async () => {
    execFileSync(process.execPath, [join(root, "tools", "build-page.mjs")], { stdio: ["ignore", "ignore", "inherit"] });
    const { openBrowser } = await import("../../tools/chromium.mjs");
    context = await openBrowser({ viewport: { width: 1440, height: 900 }, ...options });
  }, SET_UP);
  afterAll(() => context?.close());

  /** The page of an emulator in a window of its own, until the test ends. Whatever the browser complains about fails the test, but for refusals of the emulator. */
  const open = async (emulator: Emulator, hash = ""): Promise<Page> => {
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    onTestFinished(async () => {
      await page.close();
      expect(complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
    });
    await page.goto(`${emulator.control}/${hash}`);
    await page.getByText("live", { exact: true }).waitFor();
    return page;
  };
  return { open, newPage: () => context.newPage() };
}

/** An emulator whose packets meet rules of every kind, and whose set `blocked` holds two entries. */
export function startNode(options: EmulatorOptions = {}): Promise<Emulator> {
  const edge = defaultState.arenas?.edge;
  const sets = { ...edge?.sets, blocked: { "192.0.2.0/24": 1, "2001:db8:bad::/48": 1 } };
  const state = { ...defaultState, arenas: { ...defaultState.arenas, edge: { ...edge, sets } } };
  return startEmulator({ seed: 7, state, ...options });
}

/** An emulator of which every view has something to show: what is staged, signaled, expected, met and refused. */
export async function startBusyNode(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startNode(options);
  const url = "prefixset://edge/blocked";
  emulator.fail({ cmd: "commit", status: 503 });
  await fapi(emulator, {
    url,
    cmd: "insert",
    data: [
      { p: "192.0.2.0/24", v: 5 },
      { p: "203.0.113.7", v: 2 },
    ],
  });
  await fapi(emulator, { url, cmd: "delete", data: [{ a: "2001:db8:bad::/48" }] });
  await fapi(emulator, { url, cmd: "commit" });
  emulator.fail({ cmd: "commit", status: 503, every: 1 });
  emulator.signal("client-a", { start: ["198.51.100.7"] });
  emulator.setDialect({ listShows: "staged" });
  emulator.snapshot("before the flood");
  return emulator;
}

/** Opens a view by its tab; it is there once its heading is. */
export async function openView(page: Page, name: (typeof VIEWS)[number]): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}/#${name}`);
  await waitForView(page, name);
}

/** Waits until a view shows what it asks the emulator for, not only its frame. */
export async function waitForView(page: Page, name: (typeof VIEWS)[number]): Promise<void> {
  await page.getByRole("main", { name: new RegExp(`^${name}$`, "i") }).waitFor();
  if (name === "setup") await page.getByText("Set switch").waitFor();
  if (name === "sets") await page.getByText("A commit would", { exact: true }).first().waitFor();
}

/** Rows of the table whose caption begins so, cell by cell, as they are seen. */
export async function rows(page: Page, caption: string): Promise<string[][]> {
  const table = page.locator("table", { has: page.locator("caption", { hasText: caption }) });
  return table
    .locator("tbody tr")
    .evaluateAll((found) =>
      found.map((row) => [...row.children].map((cell) => (cell as { innerText?: string }).innerText?.trim() ?? "")),
    );
}
