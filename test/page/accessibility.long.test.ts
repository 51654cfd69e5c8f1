import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openView, startBusyNode, startNode, useBrowser, VIEWS } from "./support";

const { open, newPage } = useBrowser();

/** Rules that axe leaves out unless they are asked for. */
const RULES = {
  "label-content-name-mismatch": { enabled: true },
  "target-size": { enabled: true },
};

/** Faults that axe finds: each rule with the element that breaks it. */
async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  const options = JSON.stringify({ rules: RULES, resultTypes: ["violations"] });
  const { violations: found, ...others } = (await page.evaluate(`axe.run(document, ${options})`)) as AxeResults;
  const asked = [...found, ...others.passes, ...others.inapplicable, ...others.incomplete].map(({ id }) => id);
  expect(asked).toEqual(expect.arrayContaining(Object.keys(RULES)));
  return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
}

/** Opens every line of the journal that is seen, and waits until what it shows has its size. */
async function openLines(page: Page): Promise<void> {
  const lines = page.locator(".line[aria-expanded=false]:visible");
  while ((await lines.count()) > 0) await lines.first().click();
  await expect
    .poll(() => page.locator(".lines pre").count())
    .toBe(await page.locator(".line[aria-expanded=true]").count());
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

test("every tab of the page is among the views that are looked at", async () => {
  await using emulator = await startNode();
  const page = await open(emulator);
  const tabs = page.locator("nav.tabs a, header a.help");
  const links = await tabs.evaluateAll((all) => all.map((tab) => tab.getAttribute("href")));
  expect(links.sort()).toEqual(VIEWS.map((name) => `#${name}`).sort());
});

test.each([
  { colorScheme: "light", width: 1440 },
  { colorScheme: "dark", width: 1440 },
  { colorScheme: "light", width: 360 },
  { colorScheme: "dark", width: 1920 },
] as const)(
  "axe finds nothing wrong in any view: $colorScheme, $width wide",
  async ({ colorScheme, width }) => {
    await using emulator = await startBusyNode();
    const page = await open(emulator);
    await page.setViewportSize({ width, height: 740 });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const found: Record<string, string[]> = {};
    for (const name of VIEWS) {
      await openView(page, name);
      await openLines(page);
      found[name] = await violations(page);
    }
    expect(found).toEqual(Object.fromEntries(VIEWS.map((name) => [name, []])));
  },
  120_000,
);

test.each(["light", "dark"] as const)(
  "axe finds nothing wrong beside the views: %s",
  async (colorScheme) => {
    const emulator = await startBusyNode({
      controlToken: "a-token-for-this-test",
      // It is named in a banner, and never asked.
      proxySignaling: "http://192.0.2.1",
    });
    const page = await newPage();
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.goto(emulator.control);
    await page.getByText("requires a token").waitFor();
    const found: Record<string, string[]> = { locked: await violations(page) };
    await page.getByLabel("Control token").fill("a-token-for-this-test");
    await page.keyboard.press("Enter");
    await page.getByText("live", { exact: true }).waitFor();
    await page.getByText("answered by http://192.0.2.1").first().waitFor();
    found.banner = await violations(page);
    await page.getByRole("button", { name: "Reset …" }).click();
    found.dialog = await violations(page);
    await page.getByRole("button", { name: "Reset", exact: true }).click();
    await page.getByText("Back at the start.").waitFor();
    found.message = await violations(page);
    await emulator.close();
    await page.getByText("no connection").waitFor();
    found.gone = await violations(page);
    expect(found).toEqual({ locked: [], banner: [], dialog: [], message: [], gone: [] });
    await page.close();
  },
  60_000,
);
