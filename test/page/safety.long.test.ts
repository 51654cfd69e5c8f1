import { describe, expect, test } from "vitest";
import { fapi, raw } from "../emulator/calls";
import { openView, startNode, useBrowser, VIEWS } from "./support";

const { open, newPage } = useBrowser();
/** Names take neither a blank nor a slash, so no attribute. */
const EVIL_NAME = "<evil-name><script>window.struck=1";
const EVIL = `<img src=x onerror="window.struck=1"><script>window.struck=1</script>`;

test("the page is its own files only, with a policy that lets nothing else in", async () => {
  await using emulator = await startNode();
  const page = await open(emulator);
  for (const hash of ["sets", "marks", "signaling", "faults", "packets"])
    await page.locator(`a[href="#${hash}"]`).click();
  const { headers } = await fetch(emulator.control);
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  const inline = `(() => {
    const script = document.createElement("script");
    script.textContent = "window.struck = 1";
    document.head.append(script);
    return window.struck ?? "refused";
  })()`;
  const struck = await newPage();
  await struck.goto(emulator.control);
  expect(await struck.evaluate(inline)).toBe("refused");
  await struck.close();
});

test("no name is markup in any view: arenas, profiles, sets, rules, marks, clients, snapshots, headers, faults", async () => {
  const rules = [
    { id: 1, name: EVIL, actions: [{ hmark: { add: 1 } }, "accept" as const] },
    { id: 2, name: "other", extra: { text: EVIL } },
  ];
  const sets = { [EVIL_NAME]: { "192.0.2.0/24": 1 } };
  const profile = { prefixes: ["198.51.100.0/24"], sets, rules };
  const state = {
    arenas: { [EVIL_NAME]: { sets, profiles: { [EVIL_NAME]: profile } } },
    signaling: { clients: [{ clientId: EVIL_NAME, secretKey: "s", prefixes: ["198.51.100.0/24"] }] },
  };
  await using emulator = await startNode({ state });
  emulator.receive([{ from: "203.0.113.9", to: "198.51.100.7", proto: "tcp" }]);
  emulator.signal(EVIL_NAME, { start: ["198.51.100.7"] });
  emulator.snapshot(EVIL);
  emulator.fail({ url: `prefixset://${EVIL_NAME}/${EVIL_NAME}`, message: EVIL, times: 9 });
  await fetch(`${emulator.endpoint}/fapi?${encodeURIComponent(EVIL)}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-arena": EVIL,
      "user-agent": EVIL,
      cookie: EVIL,
      "x-more": EVIL,
    },
    body: JSON.stringify({ url: EVIL, cmd: EVIL, data: EVIL }),
  });
  await fetch(`${emulator.endpoint}/path/${encodeURIComponent(EVIL)}/${encodeURIComponent(EVIL)}/status`, {
    method: "POST",
  });
  const page = await open(emulator);
  const shown: string[] = [];
  for (const name of VIEWS) {
    await openView(page, name);
    for (const line of await page.locator(".line").all()) if (await line.isVisible()) await line.click();
    if (name === "packets") {
      await page.getByLabel("To", { exact: true }).fill("198.51.100.7");
      await page.getByRole("button", { name: "Send" }).first().click();
      await page.getByRole("rowheader", { name: "198.51.100.7" }).waitFor();
    }
    if ((await page.getByText("onerror").filter({ visible: true }).count()) > 0) shown.push(name);
    const made =
      "[window.struck, document.querySelectorAll('img').length, document.scripts.length, document.querySelectorAll('evil-name').length]";
    expect([name, await page.evaluate(made)]).toEqual([name, [undefined, 1, 1, 0]]);
  }
  expect(shown).toEqual(expect.arrayContaining([...VIEWS].filter((name) => name !== "help")));
});

test("no path leads out of the folder of the page", async () => {
  await using emulator = await startNode();
  for (const path of [
    "/page/../package.json",
    "/page/%2e%2e/package.json",
    "/page/constructor",
    "/page/",
    "//etc/passwd",
  ]) {
    const answer = await raw(emulator.control, `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
    expect(answer, path).toMatch(/^HTTP\/1\.1 404 /);
  }
});

describe("with a token", () => {
  const controlToken = "a-token-for-this-test";

  test("the page says nothing before it has it, and asks for it", async () => {
    await using emulator = await startNode({ controlToken });
    const page = await newPage();
    await page.goto(emulator.control);
    await page.getByText("its control API requires a token").waitFor();
    expect(await page.content()).not.toContain("profile://");
    for (const path of ["/page/overview", "/events"])
      expect((await fetch(emulator.control + path)).status, path).toBe(401);
    await page.getByLabel("Control token").fill("a wrong one");
    await page.keyboard.press("Enter");
    await page.getByText("That is not the token").waitFor();
    await page.getByLabel("Control token").fill(controlToken);
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByText("profile://edge/web").first().waitFor();
    await page.close();
  });

  test("a link may carry it, and the address forgets it", async () => {
    await using emulator = await startNode({ controlToken });
    const page = await open(emulator, `#token=${controlToken}`);
    await fapi(emulator, { url: "prefixset://edge/blocked", cmd: "list" });
    await page.locator(".line", { hasText: "prefixset://edge/blocked" }).waitFor();
    expect(page.url()).toBe(`${emulator.control}/`);
    const asked = await page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name).join()");
    expect(asked).not.toContain(controlToken);
  });
});
