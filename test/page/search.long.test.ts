import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { rows, startNode, useBrowser } from "./support";

const { open } = useBrowser();
const PATIENT = { timeout: 10_000 };

const find = (page: Page, what: string, words: string) => page.getByRole("searchbox", { name: what }).fill(words);

const profiles = (page: Page) => page.locator("main section h2", { hasText: "profile://" }).allInnerTexts();

test("the node's search finds rules by their words, and the profile to which an address is bound", async () => {
  await using emulator = await startNode();
  const page = await open(emulator);
  const field = "Find a rule, a prefix, or the profile of an address";
  await find(page, field, "dns answers");
  await page.getByText("1 of 3 profiles.").waitFor();
  expect(await profiles(page)).toEqual(["profile://edge/protected"]);
  expect((await rows(page, "Rules of")).map(([id]) => id)).toEqual(["120"]);
  await find(page, field, "198.51.100.7");
  await page.getByText("198.51.100.7 is bound to edge/clean by 198.51.100.0/24.").waitFor();
  await expect.poll(() => profiles(page)).toEqual(["profile://edge/clean"]);
  emulator.signal("client-a", { start: ["198.51.100.7"] });
  await page.getByText("198.51.100.7 is bound to edge/protected by 198.51.100.7/32.").waitFor(PATIENT);
  await page.reload();
  await page.getByText("198.51.100.7 is bound to edge/protected by 198.51.100.7/32.").waitFor(PATIENT);
  await find(page, field, "no such thing");
  await page.getByText("None of 3 profiles.").waitFor();
});

test("records of marks are found by address and by prefix", async () => {
  await using emulator = await startNode();
  const page = await open(emulator, "#marks");
  const keys = async () => (await rows(page, "Mark records")).map(([key]) => key);
  await expect.poll(keys, PATIENT).toEqual(["203.0.113.9", "203.0.113.77"]);
  await find(page, "Find a record", "203.0.113.77");
  await expect.poll(keys, PATIENT).toEqual(["203.0.113.77"]);
  await page.getByText("1 record.").waitFor();
  await find(page, "Find a record", "203.0.113.0/26");
  await expect.poll(keys, PATIENT).toEqual(["203.0.113.9"]);
  await find(page, "Find a record", "203.0");
  await page.getByText("Write an address or a prefix, such as 203.0.113.0/24.").waitFor();
  await find(page, "Find a record", "2001:db8::1");
  await page.getByText("No record has such an address.").waitFor();
});

test.each([
  ["signaling", "Find a client", "203.0.113.0/25", ".panel h2", "client-b"],
  ["faults", "Find a fault", "clock", "[role=switch] strong", "Clock skew"],
  ["faults", "Find a fault that was set", "insert", "table.expected tbody th", "delay"],
  ["setup", "Find a snapshot", "after", "table tbody th code", "after"],
] as const)("every list has a search: %s, %s", async (name, field, words, items, left) => {
  await using emulator = await startNode();
  emulator.fail({ cmd: "commit" });
  emulator.fail({ kind: "delay", cmd: "insert" });
  emulator.snapshot("before");
  emulator.snapshot("after");
  const page = await open(emulator, `#${name}`);
  // Switches of the dialect stand in a table of their own.
  const found = async () => {
    const texts = await page.locator(`main ${items}`).allInnerTexts();
    return texts.map((text) => text.trim()).filter((text) => name !== "setup" || /^(before|after)$/.test(text));
  };
  await expect.poll(async () => (await found()).length, PATIENT).toBeGreaterThan(1);
  await page.getByRole("searchbox", { name: field, exact: true }).fill(words);
  await expect.poll(found, PATIENT).toEqual([left]);
  await page.reload();
  await expect.poll(found, PATIENT).toEqual([left]);
  await page.getByRole("searchbox", { name: field, exact: true }).fill("nothing has this");
  await page.getByText(/^None of \d+\.$/).waitFor();
});

test("packets that were sent are found by their verdict", async () => {
  await using emulator = await startNode();
  const page = await open(emulator, "#packets");
  for (const to of ["203.0.113.129", "192.0.2.1"]) {
    await page.getByLabel("To", { exact: true }).fill(to);
    await page.getByRole("button", { name: "Send" }).first().click();
    await page.getByRole("rowheader", { name: to }).waitFor();
  }
  await find(page, "Find a packet", "edge/web");
  await expect.poll(async () => (await rows(page, "Packets that were sent")).length).toBe(1);
});

test("the meaning of a switch stands once: in its row, which comes first while it is chosen", async () => {
  await using emulator = await startNode();
  const page = await open(emulator, "#setup");
  const shown = () => rows(page, "Switches of the dialect");
  await page.getByRole("combobox", { name: "A switch" }).selectOption("markPace");
  await expect.poll(async () => (await shown())[0]?.[0], PATIENT).toBe("markPace");
  const about = (await shown())[0]?.[3] ?? "";
  expect(about.length).toBeGreaterThan(20);
  expect((await page.locator("main").innerText()).split(about).length - 1).toBe(1);
});
