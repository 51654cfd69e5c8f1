import { describe, expect, test } from "vitest";
import { FAULT_KINDS } from "../../provider/emulator/behaviour/fault-kinds";
import { faultSchema } from "../../provider/emulator/behaviour/fault-schema";
import { BLOCKED, fapi } from "../emulator/calls";
import { ownPort } from "../support/ports";
import { rows, startNode, useBrowser } from "./support";

const { open } = useBrowser();

describe("the journal", () => {
  test("shows requests as they happen, with what a commit applied and the fault that struck", async () => {
    await using emulator = await startNode();
    const page = await open(emulator);
    const lines = page.locator(".lines > li");
    expect(await lines.count()).toBe(0);
    await fapi(emulator, { url: BLOCKED, cmd: "insert", data: [{ p: "203.0.113.7", v: 2 }] });
    await fapi(emulator, { url: BLOCKED, cmd: "commit" });
    emulator.fail({ cmd: "list", status: 503 });
    await fapi(emulator, { url: BLOCKED, cmd: "list" });
    await lines.nth(2).waitFor();
    const texts = (await lines.allInnerTexts()).map((text) =>
      text
        .replace(/[\d:.]{12}/, "TIME")
        .split(/\s+/)
        .join(" "),
    );
    expect(texts).toEqual([
      "run 1: 3 requests, 1 commit, +1, 1 failed TIME list error 29 B 503 prefixset://edge/blocked fault: status 503",
      "TIME commit 15 B 200 prefixset://edge/blocked applied +1, 3 after",
      "TIME insert 1 entry 15 B 200 prefixset://edge/blocked",
    ]);
    await page.getByRole("combobox", { name: "Outcome" }).selectOption("trouble");
    expect(await lines.count()).toBe(1);
    // The choice is in the address: a reload keeps it, and so does the way to another view and back.
    await page.locator("aside").getByLabel("Find").fill("503");
    await page.getByRole("link", { name: "Sets" }).click();
    expect(new URL(page.url()).hash).toBe("#sets?journal.outcome=trouble&journal.find=503");
    await page.reload();
    await lines.first().waitFor();
    expect([await lines.count(), await page.locator("aside").getByLabel("Find").inputValue()]).toEqual([1, "503"]);
  });

  test("shows why a request was refused, its answer when it is opened, and the runs of requests", async () => {
    await using emulator = await startNode();
    emulator.beginRun("first");
    await fapi(emulator, { url: BLOCKED, cmd: "list" });
    await fapi(emulator, { url: BLOCKED, cmd: "list", dta: [] });
    emulator.beginRun();
    await fapi(emulator, { url: BLOCKED, cmd: "list" });
    const page = await open(emulator);
    await page.locator(".lines > li").nth(2).waitFor();
    expect(await page.locator(".lines .run").allInnerTexts()).toEqual([
      "run 2: 1 request, no commit",
      "run 1 (first): 2 requests, no commit, 1 failed",
    ]);
    expect(await page.locator(".lines .reason").allInnerTexts()).toEqual(['unknown member "dta"']);
    await page.locator(".line", { hasText: "dta" }).click();
    const answer = page.locator(".lines samp");
    await answer.waitFor();
    expect(await answer.innerText()).toBe(
      'content-type: application/json\n\n{\n "error": "unknown member \\"dta\\""\n}',
    );
    expect(await page.locator(".lines .hint").allInnerTexts()).toEqual([
      "The body comes from the journal: blanks and unknown members are missing.",
      expect.stringMatching(/^answer 400, 34\u202fB, [\d.]+ ms$/),
    ]);
  });

  test("of thousands of lines shows the newest, finds among all", async () => {
    await using emulator = await startNode();
    for (let round = 0; round < 30; round++) {
      await Promise.all(Array.from({ length: 100 }, () => fapi(emulator, { url: BLOCKED, cmd: "list" })));
    }
    await fapi(emulator, { url: "prefixset://edge/partners", cmd: "list" });
    const page = await open(emulator);
    const lines = page.locator(".lines > li");
    await page.getByText("Newest 100 shown.").waitFor();
    expect(await lines.count()).toBe(100);
    await page.getByRole("button", { name: "Show 100 older" }).click();
    expect(await lines.count()).toBe(200);
    await page.locator("aside").getByLabel("Find").fill("partners");
    await page.getByText("1 of 2\u202f000 match.").waitFor();
    expect(await lines.count()).toBe(1);
  }, 60_000);

  test("stands still when paused, and says what came meanwhile", async () => {
    await using emulator = await startNode();
    const page = await open(emulator);
    await page.getByRole("button", { name: "Pause" }).click();
    await fapi(emulator, { url: BLOCKED, cmd: "list" });
    await page.getByRole("button", { name: "Continue (1 new)" }).waitFor();
    expect(await page.locator(".lines > li").count()).toBe(0);
    await page.getByRole("button", { name: "Continue (1 new)" }).click();
    await page.locator(".lines > li").waitFor();
  });

  test("is empty after it was emptied elsewhere", async () => {
    await using emulator = await startNode();
    await fapi(emulator, { url: BLOCKED, cmd: "list" });
    const page = await open(emulator);
    await page.locator(".lines > li").waitFor();
    emulator.clearJournal();
    await page.getByText("No requests yet.").waitFor();
  });
});

describe("faults", () => {
  test("are switched on by click, strike, and are shown as met, above all others", async () => {
    await using emulator = await startNode();
    const page = await open(emulator, "#faults");
    await page.getByRole("switch", { name: /^Commit fails/ }).click();
    await page.getByRole("switch", { name: /^Commit fails/, checked: true }).waitFor();
    expect(emulator.faults.map(({ fault }) => fault)).toMatchObject([{ kind: "error", cmd: "commit", status: 503 }]);
    expect((await fapi(emulator, { url: BLOCKED, cmd: "commit" })).status).toBe(503);
    await page.getByRole("switch", { name: /^Commit fails/, checked: false }).waitFor();
    expect((await rows(page, "Faults that were set")).map((row) => row.slice(0, 5))).toEqual([
      ["error", "cmd commit, status 503, once", "1", "1", "met"],
    ]);
    await page.getByRole("switch", { name: /^Commit fails met once/, checked: false }).waitFor();
    await page.getByRole("switch", { name: /^Silence/ }).click();
    await expect
      .poll(async () => (await rows(page, "Faults that were set")).map(([kind, , , , state]) => [kind, state]))
      .toEqual([
        ["silence", "expected"],
        ["error", "met"],
      ]);
    expect((await page.locator("main h2").allInnerTexts()).slice(0, 2)).toEqual(["Expected and met", "Faults"]);
  });

  test("are switched off by click", async () => {
    await using emulator = await startNode();
    emulator.fail({ kind: "reset", rate: 0.1 });
    const page = await open(emulator, "#faults");
    await page.getByRole("switch", { name: /^Connection reset/, checked: true }).click();
    await page.getByRole("switch", { name: /^Connection reset/, checked: false }).waitFor();
    expect(emulator.faults).toEqual([]);
  });

  test.each([
    ["once", {}],
    ["always", { every: 1 }],
    ["third", { every: 3 }],
    ["tenth", { rate: 0.1, seed: 7 }],
  ])("strike as often as chosen: %s", async (rhythm, timing) => {
    await using emulator = await startNode();
    const page = await open(emulator, "#faults");
    await page.getByLabel("A new fault takes effect").selectOption(rhythm);
    await page.getByRole("switch", { name: /^Silence/ }).click();
    await page.getByRole("switch", { name: /^Silence/, checked: true }).waitFor();
    expect(emulator.faults.map(({ fault }) => fault)).toEqual([{ kind: "silence", ...timing }]);
  });

  test("of one's own are of any kind that the emulator has", async () => {
    await using emulator = await startNode();
    const page = await open(emulator, "#faults");
    const offered = await page.getByLabel("Kind").locator("option").allInnerTexts();
    expect(offered.sort()).toEqual(Object.keys(FAULT_KINDS).sort());
    const asked = () => page.locator("form", { hasText: "Add fault" }).locator(".field > span").allInnerTexts();
    const common = ["Kind", "Applies to", "Only this url", "Strikes", "From the nth on"];
    const labels = { retryAfter: "Retry-After", when: "Effect", staged: "Staged entries" } as Record<string, string>;
    const labelOf = (name: string) => labels[name] ?? name.charAt(0).toUpperCase() + name.slice(1);
    for (const [kind, { parameters }] of Object.entries(FAULT_KINDS)) {
      await page.getByLabel("Kind").selectOption(kind);
      expect(await asked()).toEqual([...common, ...Object.keys(parameters).map(labelOf)]);
    }
    await page.getByLabel("Kind").selectOption("delay");
    await page.getByLabel("Applies to").selectOption("node: insert");
    await page.getByLabel("Only this url").fill("prefixset://edge/*");
    await page.getByRole("textbox", { name: "Delay" }).fill("3s");
    await page.getByRole("button", { name: "Add fault" }).click();
    await page.getByText("delay: added.").waitFor();
    const [active] = emulator.faults;
    expect(faultSchema.parse(active?.fault)).toMatchObject({
      kind: "delay",
      cmd: "insert",
      url: "prefixset://edge/*",
      delay: "3s",
    });
  });
});

describe("packets", () => {
  test("are sent, and their verdict names profile, rule and marks", async () => {
    await using emulator = await startNode();
    const page = await open(emulator, "#packets");
    await page.getByLabel("From", { exact: true }).fill("203.0.113.200");
    await page.getByLabel("To", { exact: true }).fill("203.0.113.129");
    await page.getByRole("button", { name: "Send" }).first().click();
    const sent = "Packets that were sent";
    await expect
      .poll(() => rows(page, sent))
      .toEqual([["203.0.113.200 → 203.0.113.129 tcp syn port 443", "accept", "edge/web", "10 partners pass", "none"]]);
    await page.getByLabel("From", { exact: true }).fill("198.51.100.3");
    await page.getByLabel("How many").fill("5");
    await page.getByRole("button", { name: "Send" }).first().click();
    await expect
      .poll(async () => (await rows(page, sent))[0])
      .toEqual(["198.51.100.3 → 203.0.113.129 tcp syn port 443 × 5", "accept", "edge/web", "none", "shost 30 = 5"]);
    await page.getByLabel("To", { exact: true }).fill("2001:db8::1");
    await page.getByRole("button", { name: "Send" }).first().click();
    await page.locator(".messages .error", { hasText: "address families differ" }).waitFor();
  });

  test("generated by the thousand make marks, which the chart draws by type and rule", async () => {
    await using emulator = await startNode();
    const page = await open(emulator, "#packets");
    await page.getByLabel("To prefixes").fill("203.0.113.129");
    await page.getByLabel("From prefixes").fill("2001:db8::/32");
    await page.getByRole("button", { name: "Send" }).nth(1).click();
    await page.locator(".messages .error").waitFor();
    await page.getByLabel("From prefixes").fill("198.51.100.0/24");
    await page.getByRole("button", { name: "Send" }).nth(1).click();
    await page.getByText(/10.000 packets, .* 10.000 accepted/).waitFor();

    await page.getByRole("link", { name: "Marks" }).click();
    await expect
      .poll(() => rows(page, "Marks by profile, type and rule"))
      .toEqual([["30 SYN by source", "shost", "edge/web", "258"]]);
    const [first] = emulator.marks("profile://edge/web", "shost").toSorted((a, b) => (b.value ?? 0) - (a.value ?? 0));
    await expect
      .poll(async () => (await rows(page, "Mark records"))[0]?.slice(0, 2))
      .toEqual([first?.address, "30 SYN by source"]);
    expect((await rows(page, "Mark records")).length).toBe(100);
    // The line's own colour, that of the legend, is somewhere in the picture.
    const colourOf = `getComputedStyle(document.querySelector(".swatch line")).stroke.match(/\\d+/g).map(Number)`;
    const colour = (await page.evaluate(colourOf)) as number[];
    const drawn = () =>
      page.locator(".chart canvas").evaluate((element, [red, green, blue]) => {
        const canvas = element as unknown as {
          getContext(kind: string): { getImageData(...box: number[]): { data: number[] } };
          width: number;
          height: number;
        };
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let at = 0; at < data.length; at += 4)
          if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) count++;
        return count;
      }, colour);
    await expect.poll(drawn, { timeout: 10_000 }).toBeGreaterThan(20);
    // On a clock that stands nothing is added: what a reload shows is what the emulator has kept.
    emulator.clock.advance("30s");
    emulator.clock.freeze();
    await page.reload();
    await expect.poll(drawn, { timeout: 10_000 }).toBeGreaterThan(100);
    expect(await page.evaluate(colourOf)).toEqual(colour);
  });
});

test("an emulator that went away is said to be, and one that comes back is followed anew", async () => {
  const first = await startNode({ controlPort: await ownPort() });
  const page = await open(first);
  await fapi(first, { url: BLOCKED, cmd: "list" });
  await page.locator(".lines > li").waitFor();
  await first.close();
  await page.getByText("no connection").waitFor();
  await page.getByRole("alert").filter({ hasText: "has not answered since" }).waitFor();
  // What was read stays to be read, and nothing can be pressed that would do nothing.
  expect(await page.locator(".lines > li").count()).toBe(1);
  const usable = page.locator("button, input, select").and(page.locator(":enabled")).filter({ visible: true });
  for (const name of ["Sets", "Signaling", "Faults", "Packets"]) {
    await page.getByRole("link", { name }).click();
    await page.getByRole("main", { name }).waitFor();
    expect(await page.locator("main").locator(usable).count()).toBe(0);
  }
  const names = await usable.evaluateAll((found) =>
    found.map((it) => {
      const { labels, innerText } = it as { labels?: { innerText: string }[]; innerText: string };
      return (labels?.[0]?.innerText ?? innerText).split("\n")[0];
    }),
  );
  expect(names).toEqual(["Skip to content", "Pause", "Find a request", "Outcome", "Operation", "Object", "Run"]);
  expect(await page.evaluate("getComputedStyle(document.querySelector('.still .panel')).filter")).toBe("grayscale(1)");
  await using second = await startNode({ controlPort: Number(new URL(first.control).port) });
  await page.getByText("live", { exact: true }).waitFor();
  expect(await page.locator(".lines > li").count()).toBe(0);
  const said = page.locator(".banner", { hasText: "The emulator was started again" });
  await said.waitFor();
  await said.getByRole("button", { name: "Dismiss" }).click();
  await fapi(second, { url: BLOCKED, cmd: "list" });
  await page.locator(".lines > li").waitFor();
  expect(await page.locator(".banner").count()).toBe(0);
});
