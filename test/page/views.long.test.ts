import { describe, expect, test } from "vitest";
import { BLOCKED, fapi } from "../emulator/calls";
import { rows, startNode, useBrowser } from "./support";

const { open } = useBrowser();
/** The page asks once a second, and a busy machine draws late. */
const PATIENT = { timeout: 10_000 };

describe("the node", () => {
  test("shows profiles with bound prefixes, rules in words, sets and marks", async () => {
    await using emulator = await startNode();
    const page = await open(emulator);
    const web = page.locator("section", { hasText: "profile://edge/web" });
    expect(await web.locator("dd").allInnerTexts()).toEqual(["203.0.113.128/25", "blocked\n1", "shost\n2"]);
    expect(await rows(page, "Rules of profile://edge/web")).toEqual([
      ["10", "partners pass", "source in set partners", "accept", "–"],
      ["20", "blocked in this profile", "source in set blocked", "countdrop", "0 packets"],
      ["30", "SYN by source", "protocol tcp, flags syn, not ack", "hmark + 1 for 1 h", "–"],
    ]);
    // A list leads to each profile, and the address with it.
    await page.setViewportSize({ width: 1440, height: 420 });
    await page.getByRole("navigation", { name: "Profiles" }).getByRole("link", { name: "edge/protected" }).click();
    const last = page.locator("section", { hasText: "profile://edge/protected" });
    await expect.poll(async () => Math.round((await last.boundingBox())?.y ?? -1)).toBeLessThan(200);
    expect(decodeURIComponent(new URL(page.url()).hash)).toBe("#node/profile://edge/protected");
  });

  test.each([
    ["#nonsense", "There is no view “nonsense”. This is the node."],
    ["#node/profile%3A%2F%2Fedge%2Fnowhere", "This node has no profile profile://edge/nowhere."],
    [
      "#sets/prefixset%3A%2F%2Fedge%2Fnowhere",
      "This node has no prefix-set prefixset://edge/nowhere. Choose one that it has.",
    ],
    [
      "#marks/profile%3A%2F%2Fedge%2Fnowhere",
      "This node has no profile profile://edge/nowhere. These are the marks of all profiles.",
    ],
  ])("says so when a link leads to nothing: %s", async (hash, words) => {
    await using emulator = await startNode();
    const page = await open(emulator, hash);
    expect(await page.getByRole("alert").innerText()).toBe(words);
  });

  test("shows at once which prefixes a signaling has moved", async () => {
    await using emulator = await startNode();
    const page = await open(emulator);
    const moved = page.locator("section", { hasText: "profile://edge/protected" }).locator(".chip.moved");
    expect(await moved.count()).toBe(0);
    emulator.signal("client-a", { start: ["198.51.100.7"] });
    await moved.waitFor();
    expect(await moved.innerText()).toBe("198.51.100.7/32\nby signaling");
  });
});

describe("a set", () => {
  test("is found among many by a part of its name", async () => {
    const names = Array.from({ length: 40 }, (_, at) => `customer-${at}`);
    const sets = Object.fromEntries(["blocked", ...names].map((name) => [name, {}]));
    await using emulator = await startNode({ state: { arenas: { edge: { sets } } } });
    const page = await open(emulator, "#sets");
    const list = page.getByRole("navigation", { name: "Prefix-sets" });
    await expect.poll(() => list.getByRole("link").count(), PATIENT).toBe(41);
    const search = page.getByRole("searchbox", { name: "Find a prefix-set" });
    await search.fill("customer-3");
    await expect.poll(() => list.getByRole("link").count(), PATIENT).toBe(11);
    await list.getByRole("link", { name: "edge/customer-39" }).click();
    await page.getByRole("heading", { name: "prefixset://edge/customer-39" }).waitFor();
    expect(await list.getByRole("link").count()).toBe(11);
    // The search is in the address.
    await page.reload();
    await expect.poll(() => list.getByRole("link").count(), PATIENT).toBe(11);
    await search.fill("nothing");
    await page.getByText("None of 41.").waitFor();
  });

  test("shows applied and staged side by side, and what a commit would change", async () => {
    await using emulator = await startNode();
    await fapi(emulator, {
      url: BLOCKED,
      cmd: "insert",
      data: [
        { p: "192.0.2.0/24", v: 5 },
        { p: "203.0.113.7", v: 2 },
      ],
    });
    await fapi(emulator, { url: BLOCKED, cmd: "delete", data: [{ a: "2001:db8:bad::/48" }] });
    const page = await open(emulator, "#sets");
    await page.getByText("add 1, remove 1, change 1").waitFor();
    expect(await rows(page, "Entries of")).toEqual([
      ["192.0.2.0/24", "1", "5", "~ change"],
      ["203.0.113.7/32", "–", "2", "+ add"],
      ["2001:db8:bad::/48", "1", "–", "− remove"],
    ]);

    await fapi(emulator, { url: BLOCKED, cmd: "commit" });
    await page.getByText("change nothing").waitFor();
    expect(await rows(page, "Entries of")).toEqual([
      ["192.0.2.0/24", "5", "5", ""],
      ["203.0.113.7/32", "2", "2", ""],
    ]);
  });

  test("of 10 000 entries shows the first, finds the one that covers an address, and the changes", async () => {
    const entries = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [
        `2001:db8:${(index >> 8).toString(16)}:${(index & 255).toString(16)}::/64`,
        1,
      ]),
    );
    await using emulator = await startNode({ state: { arenas: { edge: { sets: { large: entries } } } } });
    await fapi(emulator, { url: "prefixset://edge/large", cmd: "delete", data: [{ a: "2001:db8:9:1::/64" }] });
    const page = await open(emulator, "#sets");
    await page.getByText(/^First 200 of 10.000 entries/).waitFor();
    expect((await rows(page, "Entries of")).length).toBe(200);
    await page.getByRole("button", { name: "Show 200 more" }).click();
    await page.getByText(/^First 400 of/).waitFor();

    await page.getByLabel("Find an entry").fill("2001:db8:27:f::9");
    await page.getByText("1 entry.").waitFor();
    await expect.poll(() => rows(page, "Entries of"), PATIENT).toEqual([["2001:db8:27:f::/64", "1", "1", ""]]);
    // The search is in the address.
    await page.reload();
    await expect.poll(() => rows(page, "Entries of"), PATIENT).toEqual([["2001:db8:27:f::/64", "1", "1", ""]]);
    expect(new URL(page.url()).hash).toBe("#sets?find=2001%3Adb8%3A27%3Af%3A%3A9");
    await page.getByLabel("Find an entry").fill("192.0.2.1");
    await page.getByText("No entries.").waitFor();
    expect(await page.locator("main table").count()).toBe(0);

    await page.getByLabel("Find an entry").fill("");
    await page.getByLabel("Only what a commit would change").check();
    // The text of the former search says the same until the new answer is there.
    await expect.poll(() => rows(page, "Entries of"), PATIENT).toEqual([["2001:db8:9:1::/64", "1", "–", "− remove"]]);
  });

  test("is changed at the node's console, behind the clients' backs", async () => {
    await using emulator = await startNode();
    const page = await open(emulator, `#sets/${encodeURIComponent(BLOCKED)}`);
    await page.getByText("Change entries directly at the node").click();
    await page.getByLabel("Prefix", { exact: true }).fill("203.0.113.66");
    await page.getByLabel("Value").fill("9");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("203.0.113.66 is applied.").waitFor();
    expect(emulator.prefixSet(BLOCKED).applied["203.0.113.66/32"]).toBe(9);
    expect(emulator.journal).toEqual([]);

    await page.getByLabel("Prefix", { exact: true }).fill("203.0.113.1/24");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.locator(".messages .error").waitFor();
  });
});

test("which marks are shown is in the address, and that there are none is said once", async () => {
  await using emulator = await startNode();
  const page = await open(emulator, "#marks");
  const records = page.locator("section", { hasText: "Largest values" });
  await records.getByLabel("Type").selectOption("conn");
  await records.getByText("No live records.").waitFor();
  await page.getByLabel("Profile").first().selectOption("profile://edge/web");
  await records.getByLabel("Rule").selectOption("30");
  await records.getByText("2 live records").waitFor();
  expect(decodeURIComponent(new URL(page.url()).hash)).toBe(
    "#marks/profile://edge/web?table=profile://edge/web&type=shost&rule=30",
  );
  await page.reload();
  await records.getByText("2 live records").waitFor();
  expect(await records.getByLabel("Rule").inputValue()).toBe("30");
  expect(await page.getByText(/no (live )?records/i).count()).toBe(0);
});

test.each([
  ["evict", "It was full: 157 live marks gave way to new ones."],
  ["refuse", "It was full: 157 new marks were refused."],
] as const)("what a full table does to marks is said: %s", async (onFull, words) => {
  await using emulator = await startNode({ marks: { capacity: 100, onFull } });
  const page = await open(emulator, "#marks");
  const room = page.locator("section", { hasText: "Largest values" }).getByText("Room for");
  await expect.poll(() => room.innerText(), PATIENT).toBe("Room for 100 records of IPv4 and as many of IPv6.");
  // Two marks are there at first, and every sender makes one: 157 too many.
  const sender = (at: number) =>
    ({ from: `192.0.2.${at}`, to: "203.0.113.129", proto: "tcp", flags: ["syn"] }) as const;
  emulator.receive(Array.from({ length: 255 }, (_, at) => sender(at)));
  await expect.poll(() => room.innerText(), PATIENT).toBe(`Room for 100 records of IPv4 and as many of IPv6. ${words}`);
});

describe("signaling", () => {
  test("is switched by click and moves the prefix", async () => {
    await using emulator = await startNode();
    const page = await open(emulator, "#signaling");
    const button = page.getByRole("switch", { name: /203\.0\.113\.0\/25/ });
    await button.click();
    await page.getByText("203.0.113.0/25: signaling started.").waitFor();
    expect(await page.title()).toBe("Signaling · Packet filter emulator");
    expect([emulator.signalings["client-b"], emulator.boundProfile("203.0.113.5")]).toEqual([
      ["203.0.113.0/25"],
      "profile://edge/protected",
    ]);
    await page.getByRole("switch", { name: /203\.0\.113\.0\/25.*active, in edge\/protected/, checked: true }).click();
    await page.getByText("203.0.113.0/25: signaling stopped.").waitFor();
    expect(emulator.signalings["client-b"]).toEqual([]);
  });

  test("of a prefix that is not the client's is refused with the reason", async () => {
    await using emulator = await startNode();
    const page = await open(emulator, "#signaling");
    await page.getByLabel("A prefix or address inside them").first().fill("192.0.2.1");
    await page.getByRole("button", { name: "Start signaling" }).first().click();
    const message = page.locator(".messages .error");
    await message.waitFor();
    expect(await message.innerText()).toContain("198.51.100.0/24");
  });
});

test("Reset asks first, and then brings the start back", async () => {
  await using emulator = await startNode();
  emulator.change(BLOCKED, { delete: ["192.0.2.0/24"] });
  const page = await open(emulator);
  const start = () => emulator.prefixSet(BLOCKED).applied["192.0.2.0/24"];
  await page.getByRole("button", { name: "Reset …" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  expect(start()).toBeUndefined();
  await page.getByRole("button", { name: "Reset …" }).click();
  await page.getByRole("button", { name: "Reset", exact: true }).click();
  await page.getByText("Back at the start.").waitFor();
  expect(start()).toBe(1);
});

test("the clock is frozen and advanced", async () => {
  await using emulator = await startNode();
  emulator.clock.freeze("2026-12-01T10:00:00Z");
  const page = await open(emulator);
  expect(await page.locator(".clock time").innerText()).toBe("2026-12-01 10:00:00");
  await page.getByRole("button", { name: "Advance by an hour" }).click();
  await page.getByText("11:00:00").waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Freeze" }).waitFor();
  expect(emulator.clock.frozen).toBe(false);
});
