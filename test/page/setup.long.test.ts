import { describe, expect, test } from "vitest";
import { SWITCHES } from "../../provider/emulator/behaviour/dialect";
import { BLOCKED, fapi } from "../emulator/calls";
import { rows, startNode, useBrowser } from "./support";

const { open } = useBrowser();

test("isolated emulators are listed with a way to their pages, and are ended by click", async () => {
  await using emulator = await startNode();
  const { endpoint, control, closed } = await emulator.isolated({ label: "file 7" });
  const page = await open(emulator, "#setup");
  await page.getByRole("table", { name: "Isolated emulators" }).waitFor();
  expect(await rows(page, "Isolated emulators")).toEqual([["file 7", endpoint, control, "End"]]);
  expect(await page.getByRole("link", { name: control }).getAttribute("href")).toBe(control);
  await page.getByRole("button", { name: "End file 7" }).click();
  await closed;
  await page.getByRole("table", { name: "Isolated emulators" }).waitFor({ state: "detached" });
});

describe("the dialect", () => {
  test("is shown switch by switch, what is not the default first, and found by words", async () => {
    await using emulator = await startNode({ dialect: { success: "count", listShows: "staged" } });
    const page = await open(emulator);
    await page.getByRole("link", { name: "dialect: 2 not default" }).click();
    const total = Object.keys(SWITCHES).length;
    await page.getByText(`2 of ${total} switches not at the default`).waitFor();
    const shown = await rows(page, "Switches of the dialect");
    expect(shown.length).toBe(total);
    expect(shown.slice(0, 2).map((row) => row.slice(0, 3))).toEqual([
      ["listShows", "staged", "applied"],
      ["success", "count", "status"],
    ]);
    expect(shown.map(([name]) => name).sort()).toEqual(Object.keys(SWITCHES).sort());
    await page.getByRole("main").getByLabel("Find").fill("wrong secret");
    await expect
      .poll(() => rows(page, "Switches of the dialect"))
      .toEqual([["statusWrongSecret", "error", "error", SWITCHES.statusWrongSecret.schema.description]]);
  });

  test("is set whole, by a switch, and back to its defaults", async () => {
    await using emulator = await startNode();
    const page = await open(emulator, "#setup");
    const changed = () => emulator.info().dialect;
    await page.getByLabel("A whole dialect").selectOption("eventual");
    await page.getByRole("button", { name: "Set dialect" }).click();
    await page.getByText("The dialect is eventual.").waitFor();
    expect(changed()).toEqual({ commitDelay: 200, statusDelay: 200 });

    await page.getByRole("combobox", { name: "A switch" }).selectOption("listShows");
    await page.getByLabel("Setting").selectOption("staged");
    await page.getByRole("button", { name: "Set switch" }).click();
    await page.getByText("listShows is staged.").waitFor();
    expect(changed()).toEqual({ commitDelay: 200, statusDelay: 200, listShows: "staged" });

    // A number stays a number.
    await page.getByRole("combobox", { name: "A switch" }).selectOption("commitDelay");
    await page.getByLabel("Setting").selectOption("0");
    await page.getByRole("button", { name: "Set switch" }).click();
    await page.getByText("commitDelay is 0.").waitFor();
    expect(changed()).toEqual({ statusDelay: 200, listShows: "staged" });

    await page.getByRole("button", { name: "All defaults" }).click();
    await page.getByText("every switch has its default", { exact: true }).waitFor();
    expect(changed()).toEqual({});
  });
});

test("snapshots are taken, restored once that was confirmed, and forgotten", async () => {
  await using emulator = await startNode();
  const page = await open(emulator, "#setup");
  const names = () => rows(page, "Snapshots");
  await page.getByText("No snapshots yet.").waitFor();
  await page.getByRole("textbox", { name: "Name" }).fill("before / after");
  await page.getByRole("button", { name: "Take snapshot" }).click();
  await expect.poll(names).toEqual([["before / after", "Restore …", "Remove"]]);
  emulator.change(BLOCKED, { insert: { "203.0.113.66/32": 1 } });
  const applied = () => emulator.prefixSet(BLOCKED).applied["203.0.113.66/32"];

  await page.getByRole("button", { name: "Restore … before / after" }).click();
  const question = page.getByRole("dialog", { name: "Restore before / after?" });
  await question.getByRole("button", { name: "Cancel" }).click();
  expect(applied()).toBe(1);
  await page.getByRole("button", { name: "Restore … before / after" }).click();
  await question.getByRole("button", { name: "Restore" }).click();
  await page.getByText("before / after is restored.").waitFor();
  expect(applied()).toBeUndefined();

  await page.getByRole("button", { name: "Remove before / after" }).click();
  await page.getByText("No snapshots yet.").waitFor();
  expect(emulator.snapshots).toEqual([]);
});

describe("what answers", () => {
  const facts = "main .facts";

  test("is the emulator, at its address", async () => {
    await using emulator = await startNode();
    const page = await open(emulator, "#setup");
    expect((await page.locator(facts).innerText()).split("\n").filter(Boolean)).toEqual([
      "Address",
      emulator.endpoint,
      "Node API",
      "answered by the emulator",
      "Signaling API",
      "answered by the emulator",
      "Seed",
      "7",
    ]);
    expect(await page.locator(".banner").count()).toBe(0);
  });

  test("is said where it is a receiver: what the page shows of the node is what clients are told", async () => {
    await using receiver = await startNode();
    await using emulator = await startNode({ proxySignaling: receiver.signalingUrl.replace(/\/path$/, "") });
    const page = await open(emulator, "#setup");
    const upstream = new URL(receiver.endpoint).origin;
    expect(await page.locator(".banner").innerText()).toBe(
      `Requests of the signaling API are answered by ${upstream}. What this page shows of signalings is the emulator’s own, and not what clients are told: that is in the journal.`,
    );
    await page.getByText(`answered by ${upstream}`, { exact: true }).waitFor();
  });

  test("is said where it is a node, and the answers to requests for a set are one click away", async () => {
    await using node = await startNode({ state: { arenas: { edge: { sets: { blocked: { "203.0.113.9/32": 9 } } } } } });
    await using emulator = await startNode({ proxy: node.endpoint });
    await fapi(emulator, { url: BLOCKED, cmd: "list" });
    await fapi(emulator, { url: "prefixset://edge/partners", cmd: "list" });
    const page = await open(emulator, `#sets/${encodeURIComponent(BLOCKED)}`);
    expect(await page.locator(".banner").innerText()).toBe(
      `Requests of the node API are answered by ${node.endpoint}. What this page shows of sets, marks, profiles is the emulator’s own, and not what clients are told: that is in the journal.`,
    );
    // On a wide window the journal beside the set, on a narrow one the view of the journal.
    await page.getByRole("main").getByRole("link", { name: "1 request" }).click();
    await expect.poll(() => page.locator(".lines > li").count()).toBe(1);
    await page.getByRole("main", { name: "Sets" }).waitFor();
    await page.getByText("1 of 2 match.").waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await expect.poll(() => page.locator(".lines > li").count()).toBe(2);
    await page.setViewportSize({ width: 900, height: 800 });
    await page.getByRole("main").getByRole("link", { name: "1 request" }).click();
    await page.getByRole("main", { name: "Journal" }).waitFor();
    await expect.poll(() => page.locator(".lines > li").count()).toBe(1);
    await page.locator(".line").click();
    await page.locator(".lines samp", { hasText: "203.0.113.9" }).waitFor();
  });
});
