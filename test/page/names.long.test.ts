import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { fapi } from "../emulator/calls";
import { openView, startNode, useBrowser, VIEWS } from "./support";

const { open } = useBrowser();

/** A hundred characters without a place to break. */
const LONG = "n".repeat(100);

const STATE = {
  arenas: {
    [`arena-${LONG}`]: {
      sets: { [`set-${LONG}`]: { "192.0.2.0/24": 1 } },
      profiles: {
        [`web-${LONG}`]: {
          prefixes: ["198.51.100.0/24"],
          sets: { [`local-${LONG}`]: {} },
          rules: [{ id: 30, name: `rule ${LONG}`, actions: [{ hmark: { add: 1 } }, "accept" as const] }],
        },
        other: {},
      },
    },
  },
};

/**
 * Names that are cut without being told whole on hover, and those that are still cut while they have the focus. What
 * stands in a box that scrolls is not cut. Runs in the browser.
 */
const CUT = `(() => {
  const clips = (element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX === "hidden";
  const found = { untold: [], cut: 0, stillCut: [] };
  for (const element of document.querySelectorAll("body *:not(.visually-hidden)")) {
    if (!element.checkVisibility() || !clips(element)) continue;
    const told = element.title === element.textContent && getComputedStyle(element).textOverflow === "ellipsis";
    if (!told) found.untold.push(element.outerHTML.slice(0, 200));
    found.cut += 1;
    const link = element.closest("a, button");
    link?.focus({ focusVisible: true });
    if (!link || clips(element)) found.stillCut.push(element.outerHTML.slice(0, 200));
  }
  for (const select of document.querySelectorAll("select"))
    if (select.title !== select.selectedOptions[0]?.text) found.untold.push(select.outerHTML.slice(0, 200));
  return found;
})()`;

const cutIn = async (page: Page) => (await page.evaluate(CUT)) as { untold: string[]; cut: number; stillCut: string[] };

test.each([1440, 360])("a long name is cut, and seen whole on hover and on focus, %d wide", async (width) => {
  await using emulator = await startNode({ state: STATE });
  emulator.receive([{ from: "203.0.113.9", to: "198.51.100.7", proto: "tcp" }]);
  emulator.fail({ url: `prefixset://${LONG}/*` });
  emulator.snapshot(`state ${LONG.slice(10)}`);
  const page = await open(emulator);
  await page.setViewportSize({ width, height: 740 });
  let cut = 0;
  for (const name of VIEWS) {
    await openView(page, name);
    const found = await cutIn(page);
    expect([name, found.untold, found.stillCut]).toEqual([name, [], []]);
    cut += found.cut;
    const [content, window] = (await page.evaluate(
      "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
    )) as [number, number];
    expect([name, content]).toEqual([name, window]);
  }
  expect(cut).toBeGreaterThan(2);
});

test("a long word in the journal and in a message breaks instead of widening it", async () => {
  await using emulator = await startNode({ state: STATE });
  await fapi(emulator, { url: `prefixset://arena-${LONG}/set-${LONG}`, cmd: "list" });
  const page = await open(emulator, "#setup");
  await page.locator(".lines > li").waitFor();
  const wider = (selector: string) =>
    page.evaluate(
      `[...document.querySelectorAll("${selector}")].map((it) => it.scrollWidth - it.clientWidth).filter((more) => more > 0)`,
    );
  expect(await wider(".lines, .line")).toEqual([]);

  const name = `state-${LONG}`;
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await page.getByRole("button", { name: "Take" }).click();
  await page.getByText(`${name} is kept.`).waitFor();
  expect(await wider(".messages, .messages p")).toEqual([]);
});
