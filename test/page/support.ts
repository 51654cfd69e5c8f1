import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../provider/emulator";

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

  /** The page of an emulator in a window of its own. Everything that the browser complains about is an error. */
  const open = async (emulator: Emulator, hash = ""): Promise<OpenPage> => {
    const page = await context.newPage();
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(`${emulator.control}/${hash}`);
    await page.getByText("live", { exact: true }).waitFor();
    return { page, complaints, requests, [Symbol.asyncDispose]: () => page.close() };
  };
  return { open, newPage: () => context.newPage() };
}

export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  /** Errors of scripts, and whatever the browser refused. */
  readonly complaints: string[];
  /** Addresses that were asked for. */
  readonly requests: string[];
}

/** An emulator whose packets meet rules of every kind. */
export function startNode(options: EmulatorOptions = {}): Promise<Emulator> {
  return startEmulator({ seed: 7, ...options });
}

/** A command of the node API. */
export function fapi(emulator: Emulator, command: object): Promise<Response> {
  return fetch(`${emulator.endpoint}/fapi`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(command),
  });
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
