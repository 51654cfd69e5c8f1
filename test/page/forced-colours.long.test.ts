import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { openView, startBusyNode, useBrowser } from "./support";

const { open, newPage } = useBrowser();

/** Counts the colours of a picture. Runs in a page without a policy, since that of the emulator lets no picture in. */
const COUNT = `async (picture) => {
  const image = new Image();
  image.src = "data:image/png;base64," + picture;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  const counts = {};
  for (let at = 0; at < data.length; at += 4) {
    const colour = data.slice(at, at + 3).join(" ");
    counts[colour] = (counts[colour] ?? 0) + 1;
  }
  return counts;
}`;

/** Colours that fill at least a tenth of a part of an element, the part of most first: what one sees of it. */
async function coloursOf(element: Locator, part: Partial<Box> = {}): Promise<string[]> {
  const box = await element.boundingBox();
  if (!box) throw new Error(`${element} is not to be seen`);
  const { x = 0, y = 0, width = box.width, height = box.height } = part;
  const clip = { x: box.x + x, y: box.y + (y < 0 ? box.height + y : y), width, height };
  const picture = await element.page().screenshot({ clip });
  const reader = await newPage();
  const counts = (await reader.evaluate(`(${COUNT})("${picture.toString("base64")}")`)) as Record<string, number>;
  await reader.close();
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const many = Object.entries(counts).filter(([, count]) => count > total / 10);
  return many.sort(([, a], [, b]) => b - a).map(([colour]) => colour);
}

type Box = { x: number; y: number; width: number; height: number };

async function force(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ forcedColors: "active", colorScheme, reducedMotion: "reduce" });
}

test.each(["light", "dark"] as const)(
  "with colours of the system one sees what is on and what is chosen: %s",
  async (scheme) => {
    await using emulator = await startBusyNode();
    const page = await open(emulator, "#faults");
    await force(page, scheme);
    const paper = await coloursOf(page.locator("header.top"), { width: 8, height: 8 });

    // The dot before "live".
    const dot = await coloursOf(page.locator(".link"), { y: 8, width: 8, height: 8 });
    expect(dot.filter((colour) => !paper.includes(colour))).toHaveLength(1);

    // The stroke below the tab that is open, and none below the others.
    const below = { y: -3, height: 2 };
    const tab = (name: string) => page.locator(`nav.tabs a.${name}`);
    expect(await coloursOf(tab("sets"), below)).toEqual(paper);
    expect(await coloursOf(tab("faults"), below)).not.toEqual(paper);

    // A switch has a knob, on whichever side it stands.
    const knob = (checked: boolean) => page.getByRole("switch", { checked }).first().locator(".knob");
    const inside = { x: 3, y: 3, width: 26, height: 12 };
    const [on, off] = [await coloursOf(knob(true), inside), await coloursOf(knob(false), inside)];
    expect([on.length, off.length]).toEqual([2, 2]);
    expect(on).not.toEqual(off);

    // What failed is marked in the journal, and what is chosen in a list.
    expect(await coloursOf(page.locator(".lines .trouble").first(), { width: 2 })).not.toEqual(paper);
    await openView(page, "sets");
    const choice = page.locator(".choices a");
    const edge = { x: 20, y: 0, width: 40, height: 1 };
    expect(await coloursOf(page.locator(".choices a:not([aria-current])").first(), edge)).toEqual(paper);
    expect(await coloursOf(choice.and(page.locator("[aria-current]")), edge)).not.toEqual(paper);
  },
  60_000,
);
