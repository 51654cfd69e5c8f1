import { expect, test } from "vitest";
import { startNode, useBrowser, VIEWS, waitForView } from "./support";

const { open } = useBrowser();

/** The element with the focus: its role or element, its name, and whether one sees that it has it. Runs in the browser. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const label = element.labels?.[0]?.querySelector("span")?.textContent;
  const style = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  return {
    what: element.getAttribute("role") ?? element.localName,
    name: (element.getAttribute("aria-label") ?? label ?? element.textContent ?? "").trim(),
    ring: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
    inside: box.width > 0 && box.top < innerHeight && box.bottom > 0,
  };
})()`;

type Focused = { what: string; name: string; ring: boolean; inside: boolean } | null;

test.each(VIEWS)("every control of the view %s is reached by Tab, named and seen", async (name) => {
  await using emulator = await startNode();
  emulator.fail({ cmd: "commit" });
  const page = await open(emulator, `#${name}`);
  await waitForView(page, name);
  const controls = await page
    .locator("a[href], button:not(:disabled), input, select, summary")
    .filter({ visible: true })
    .count();
  const reached: Focused[] = [];
  for (;;) {
    await page.keyboard.press("Tab");
    const focused = (await page.evaluate(FOCUSED)) as Focused;
    if (focused === null || reached.length > controls + 5) break;
    // A browser lets Tab into boxes that scroll, too.
    if (["a", "button", "switch", "input", "select", "summary"].includes(focused.what)) reached.push(focused);
  }
  expect(reached.length).toBe(controls);
  expect(reached.filter((one) => one && (one.name === "" || !one.ring || !one.inside))).toEqual([]);
  expect(reached[0]?.name).toBe("Skip to content");
});

test("a fault is switched on and a packet sent without a mouse", async () => {
  await using emulator = await startNode();
  const page = await open(emulator);
  const tabTo = async (wanted: RegExp) => {
    for (let presses = 0; presses < 60; presses++) {
      await page.keyboard.press("Tab");
      if (wanted.test(((await page.evaluate(FOCUSED)) as Focused)?.name ?? "")) return;
    }
    throw new Error(`Tab does not come to ${wanted}`);
  };
  await tabTo(/^Faults/);
  await page.keyboard.press("Enter");
  await tabTo(/^Slow commit/);
  await page.keyboard.press("Space");
  await page.getByRole("switch", { name: /^Slow commit/, checked: true }).waitFor();
  expect(emulator.faults.map(({ fault }) => fault.kind)).toEqual(["slow-commit"]);

  await page.getByRole("link", { name: "Packets" }).focus();
  await page.keyboard.press("Enter");
  await tabTo(/^How many/);
  await page.keyboard.press("Enter");
  await page.getByRole("cell", { name: "accept" }).waitFor();
});

test("the content is one key away, and a dialog gives the focus back", async () => {
  await using emulator = await startNode();
  const page = await open(emulator);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  expect(await page.evaluate("document.activeElement.id")).toBe("main");

  await page.getByRole("button", { name: "Reset …" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Back to the start?" }).waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  expect(((await page.evaluate(FOCUSED)) as Focused)?.name).toBe("Reset …");
});
