import { expect, test } from "vitest";
import { fapi } from "../emulator/calls";
import { openView, startBusyNode, startNode, useBrowser, VIEWS } from "./support";

const { open } = useBrowser();

test.each([1920, 1440, 1280, 900, 768, 390, 360])(
  "at a width of %d nothing is cut off, and no tab is hidden",
  async (width) => {
    await using emulator = await startBusyNode();
    const page = await open(emulator);
    await page.setViewportSize({ width, height: 800 });
    expect((await page.locator("header.top").boundingBox())?.height).toBeLessThan(56);
    const views = VIEWS.filter((each) => each !== "help");
    for (const name of VIEWS) {
      await openView(page, name);
      const tabs = await page.locator("nav.tabs a:visible").evaluateAll(
        (all, right) =>
          all.map((tab) => {
            const { left, right: end, height } = tab.getBoundingClientRect();
            return [tab.className, left >= 0 && end <= right && height > 20];
          }),
        width,
      );
      expect(tabs).toEqual(views.map((each) => [each, true]));
      const [content, window] = (await page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
      )) as [number, number];
      expect([name, content]).toEqual([name, window]);
      // Parts of the head do not cover each other.
      const edges = (await page.locator("header.top > :visible").evaluateAll((parts) =>
        parts.map((part) => {
          const { left, right } = part.getBoundingClientRect();
          return [left, right];
        }),
      )) as [number, number][];
      expect(edges.filter(([left], at) => at > 0 && left < (edges[at - 1]?.[1] ?? 0))).toEqual([]);
    }
  },
);

test("a wide window is used: panels stand beside each other, and the journal has room", async () => {
  await using emulator = await startBusyNode();
  const page = await open(emulator);
  await page.setViewportSize({ width: 1920, height: 1080 });
  const lefts = () =>
    page.locator(".views > .panel").evaluateAll((all) => all.map((it) => Math.round(it.getBoundingClientRect().left)));
  for (const name of ["marks", "signaling", "faults", "packets", "setup", "help"] as const) {
    await openView(page, name);
    await expect.poll(async () => [name, new Set(await lefts()).size]).toEqual([name, 2]);
  }
  expect((await page.locator("aside").boundingBox())?.width).toBeGreaterThan(500);
});

test("on a narrow window the journal is a view, sets are listed above the one that is shown, and the clock is a menu", async () => {
  await using emulator = await startNode();
  await fapi(emulator, { url: "prefixset://edge/blocked", cmd: "list" });
  const page = await open(emulator, "#sets");
  await page.setViewportSize({ width: 390, height: 800 });
  await page.getByRole("link", { name: "edge/partners" }).click();
  await page.getByRole("heading", { name: "prefixset://edge/partners" }).waitFor();
  expect(await page.locator(".lines > li").isVisible()).toBe(false);
  await page.getByRole("link", { name: "Journal" }).click();
  expect(await page.locator(".lines > li").innerText()).toContain("prefixset://edge/blocked");
  await page.locator(".lines .verb").waitFor({ state: "visible" });
  await page.getByRole("button", { name: "Clock and reset" }).click();
  await page.getByRole("button", { name: "Freeze" }).click();
  await page.getByRole("button", { name: "Resume" }).waitFor();
  expect(emulator.clock.frozen).toBe(true);
  await page.getByRole("button", { name: "Reset …" }).click();
  await page.getByRole("dialog", { name: "Back to the start?" }).getByRole("button", { name: "Cancel" }).click();
});

test.each([
  ["reduce", 0],
  ["no-preference", 1],
] as const)("parts move only where motion is wanted: %s", async (reducedMotion, least) => {
  await using emulator = await startNode();
  const page = await open(emulator, "#faults");
  await page.emulateMedia({ reducedMotion });
  await page.getByRole("switch").first().waitFor();
  const moving = `[...document.querySelectorAll("body *")].filter((it) => {
    const { transitionDuration, animationName } = getComputedStyle(it);
    return transitionDuration !== "0s" || animationName !== "none";
  }).length`;
  expect(Math.min(Number(await page.evaluate(moving)), 1)).toBe(least);
});
