import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { root } from "./support/markdown";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};
const folder = mkdtempSync(join(tmpdir(), "packetfilter-site-"));
let server: Server;
let context: BrowserContext;
let home: string;

beforeAll(async () => {
  const env = { ...process.env, DOCS_OUT: folder };
  // A version is what git knows by a name: here the commit that is checked out.
  await promisify(execFile)(process.execPath, [join(root, "tools/docs.mjs"), "HEAD"], { env, cwd: root });
  server = createServer((request, response) => {
    const path = decodeURI(new URL(request.url ?? "/", "http://localhost").pathname);
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    const isFile = existsSync(file) && statSync(file).isFile();
    response.writeHead(isFile ? 200 : 404, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    response.end(isFile ? readFileSync(file) : "");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  home = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { openBrowser } = await import("../tools/chromium.mjs");
  context = await openBrowser({ viewport: { width: 1280, height: 900 } });
}, 300_000);
afterAll(async () => {
  await context?.close();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const pages = () =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".html") && file !== "404.html" && !file.startsWith("HEAD"))
    .sort();

test("every page opens with its heading, without a complaint of the browser", { timeout: 300_000 }, async () => {
  expect(pages().length).toBeGreaterThan(80);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error}`));
  page.on("response", (one) => one.status() >= 400 && complaints.push(`${one.status()} ${one.url()}`));
  page.on("request", (one) => one.url().startsWith(home) || complaints.push(`elsewhere: ${one.url()}`));
  for (const file of pages()) {
    await page.goto(`${home}/${file}`);
    expect([file, (await page.locator(".vp-doc h1").first().textContent())?.length]).not.toEqual([file, 0]);
  }
  expect(complaints).toEqual([]);
});

test("a link within the site leads to a page, and to the heading that it names", () => {
  const links = pages().flatMap((file) => {
    const html = readFileSync(join(folder, file), "utf8");
    return [...html.matchAll(/<a [^>]*href="(\/[^"]*)"/g)].map(([, href = ""]) => ({ file, href }));
  });
  const broken = links.filter(({ href }) => {
    const [path = "", anchor] = href.split("#");
    const target = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !readFileSync(target, "utf8").includes(`id="${decodeURI(anchor)}"`);
  });
  expect(links.length).toBeGreaterThan(1_000);
  expect(broken).toEqual([]);
});

test("the search finds a page, the switch makes it dark, and each version is there", async () => {
  const page = await context.newPage();
  await page.goto(home);
  await page.locator(".VPNavBarSearch button").click();
  await page.locator("#localsearch-input").fill("detectDrift");
  await page.locator(".result").first().waitFor();
  expect(await page.locator(".result").first().textContent()).toMatch(/drift|configuration/i);
  await page.keyboard.press("Escape");
  const isDark = async () => /\bdark\b/.test((await page.locator("html").getAttribute("class")) ?? "");
  const before = await isDark();
  await page.locator(".VPNavBarAppearance button").click();
  expect(await isDark()).toBe(!before);
  const links = page.locator(".VPNavBarMenu a[href='/HEAD/']");
  expect(await links.count()).toBe(1);
  expect((await page.goto(`${home}/HEAD/guides/first-stack.html`))?.status()).toBe(200);
});

test("the workflow builds what this test builds, and only publishing may write", () => {
  const { permissions, jobs } = parse(readFileSync(join(root, ".github/workflows/docs.yml"), "utf8"));
  expect(jobs.build.steps.at(-2).run).toMatch(/^npm run docs -- \$\(git tag /);
  expect([permissions, jobs.build.permissions]).toEqual([{ contents: "read" }, undefined]);
  expect(jobs.publish.permissions).toEqual({ pages: "write", "id-token": "write" });
});
