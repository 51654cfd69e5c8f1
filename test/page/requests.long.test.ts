import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Emulator } from "../../provider/emulator";
import { BLOCKED, fapi } from "../emulator/calls";
import { startNode, useBrowser } from "./support";

const { open, newPage } = useBrowser();
const PARTNERS = "prefixset://edge/partners";
const PATIENT = { timeout: 10_000 };

/** Two runs: what succeeded, what was refused, what met a fault, and what had no answer. */
async function ask(emulator: Emulator): Promise<void> {
  emulator.beginRun("first");
  await fapi(emulator, { url: BLOCKED, cmd: "insert", data: [{ p: "203.0.113.7", v: 2 }] });
  await fapi(emulator, { url: BLOCKED, cmd: "commit" });
  await fapi(emulator, { url: PARTNERS, cmd: "list" });
  emulator.beginRun("second");
  await fapi(emulator, { url: BLOCKED, cmd: "list", dta: [] });
  emulator.fail({ cmd: "commit", status: 503 });
  await fapi(emulator, { url: BLOCKED, cmd: "commit" });
  emulator.fail({ cmd: "list", kind: "reset" });
  await fapi(emulator, { url: BLOCKED, cmd: "list" }).catch(() => {});
  const [client] = emulator.clients;
  await fetch(`${emulator.signalingUrl}/${client?.clientId}/${client?.secretKey}/status`);
  await fetch(`${emulator.endpoint}/elsewhere`);
}

/** Operation or method of each line, newest first. */
const verbs = (page: Page) => page.locator(".lines .verb").allInnerTexts();

test.each([
  ["Outcome", "trouble", ["GET", "list", "commit", "list"], "4 of 8 match."],
  ["Outcome", "success", ["status", "list", "commit", "insert"], "4 of 8 match."],
  ["Outcome", "refused", ["GET", "list"], "2 of 8 match."],
  ["Outcome", "failed", ["commit"], "1 of 8 match."],
  ["Outcome", "silent", ["list"], "1 of 8 match."],
  ["Outcome", "fault", ["list", "commit"], "2 of 8 match."],
  ["Operation", "node: any", ["list", "commit", "list", "list", "commit", "insert"], "6 of 8 match."],
  ["Operation", "node: commit", ["commit", "commit"], "2 of 8 match."],
  ["Operation", "signaling: any", ["status"], "1 of 8 match."],
  ["Operation", "other paths", ["GET"], "1 of 8 match."],
  ["Object", PARTNERS, ["list"], "1 of 8 match."],
  ["Object", "client-a", ["status"], "1 of 8 match."],
  ["Run", "1", ["list", "commit", "insert"], "3 of 8 match."],
] as const)(
  "requests are filtered, counted, and shown again after a reload: %s %s",
  async (label, value, left, count) => {
    await using emulator = await startNode();
    await ask(emulator);
    const page = await open(emulator);
    await expect.poll(async () => (await verbs(page)).length, PATIENT).toBe(8);
    await page.getByRole("combobox", { name: label }).selectOption(value);
    await page.getByText(count).waitFor();
    expect(await verbs(page)).toEqual(left);
    await page.reload();
    await page.getByText(count).waitFor();
    expect([await verbs(page), await page.getByRole("combobox", { name: label }).inputValue()]).toEqual([left, value]);
    await page.getByRole("button", { name: "Show all" }).click();
    await expect.poll(async () => (await verbs(page)).length).toBe(8);
    expect(await page.evaluate("document.activeElement.type")).toBe("search");
    expect(new URL(page.url()).hash).toBe("#node");
  },
);

test("a request is copied as a command without secrets, and sent again from the page", async () => {
  await using emulator = await startNode();
  const [client] = emulator.clients;
  await fetch(`${emulator.signalingUrl}/${client?.clientId}/${client?.secretKey}/status`);
  const page = await open(emulator);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.locator(".line").click();
  await page.getByRole("button", { name: "Copy as curl" }).click();
  await page.getByText("Copied.").waitFor();
  const copied = await page.evaluate("navigator.clipboard.readText()");
  expect(copied).toContain(`'${emulator.signalingUrl}/client-a/'"\${PACKETFILTER_SECRET_KEY:?}"'/status'`);
  expect(await page.locator(".command").innerText()).toBe(copied);
  await page.getByRole("button", { name: "Send again" }).click();
  await page.getByText("Sent again: it is the newest request.").waitFor();
  await expect.poll(() => verbs(page)).toEqual(["status", "status"]);
  expect(emulator.journal.map(({ status }) => status)).toEqual([200, 200]);
  expect(await page.content()).not.toContain(client?.secretKey);
});

test("where the browser lets nothing be copied, the command is shown and the person is told", async () => {
  await using emulator = await startNode();
  await fapi(emulator, { url: BLOCKED, cmd: "list" });
  const page = await open(emulator);
  await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
  await page.locator(".line").click();
  await page.getByRole("button", { name: "Copy as curl" }).click();
  await page.getByText("select the text and copy it by hand").waitFor();
  expect(await page.locator(".command").innerText()).toContain(`'${emulator.endpoint}/fapi'`);
});

test.each([
  ["node", "profile://edge/web", "2 requests"],
  ["sets", BLOCKED, "1 request"],
  ["signaling", "client-a", "1 request"],
] as const)("beside an object its requests are counted, and one click away: %s", async (name, object, count) => {
  await using emulator = await startNode();
  const [client] = emulator.clients;
  await fapi(emulator, { url: "profile://edge/web", cmd: "list" });
  await fapi(emulator, { url: "profile://edge/web", cmd: "list" });
  await fapi(emulator, { url: BLOCKED, cmd: "list" });
  await fetch(`${emulator.signalingUrl}/${client?.clientId}/${client?.secretKey}/status`);
  const page = await open(emulator, `#${name}`);
  const panel = page.locator("main section", { has: page.locator("h2", { hasText: object }) });
  await panel.getByRole("link", { name: count }).click();
  await page.getByText(`${count.split(" ")[0]} of 4 match.`).waitFor();
  expect(await page.getByRole("combobox", { name: "Object" }).inputValue()).toBe(object);
});

test("where a request cannot be repeated, the page says why", async () => {
  await using emulator = await startNode();
  await fetch(`${emulator.endpoint}/elsewhere/x`);
  const page = await open(emulator);
  await page.locator(".line").click();
  await page.getByText("The journal does not keep the path of this request.").waitFor();
  expect(await page.getByRole("button", { name: "Copy as curl" }).isDisabled()).toBe(true);
  expect(await page.getByRole("button", { name: "Send again" }).isDisabled()).toBe(true);
});

test("Help has the addresses, a first request, and every link leads somewhere", async () => {
  await using emulator = await startNode();
  const page = await open(emulator);
  await page.getByRole("link", { name: "a first request" }).click();
  const help = page.getByRole("main", { name: "Help" });
  await help.getByText(emulator.signalingUrl, { exact: true }).waitFor();
  const links = await help.getByRole("link").evaluateAll((all) => all.map((it) => it.getAttribute("href") ?? ""));
  const answers = await Promise.all(links.map((href) => fetch(new URL(href, emulator.control))));
  expect(answers.map(({ status, url }) => [status, url])).toEqual(
    links.map((href) => [200, new URL(href, emulator.control).href]),
  );
  expect(links).toEqual(expect.arrayContaining(["/openapi.json", "/page/docs/emulator.md"]));
  const first = await help.getByText(/^curl /).innerText();
  expect(first).toContain(`--data '{"url":"prefixset://edge/blocked","cmd":"list"}' ${emulator.endpoint}/fapi`);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await help.getByRole("button", { name: "Copy a first request" }).click();
  await page.getByText("Copied.").waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(first);
  expect(await page.content()).not.toContain(emulator.clients[0]?.secretKey);
});

test("with a token, which a link cannot send, the OpenAPI description is saved", async () => {
  const controlToken = "a-token-for-this-test";
  await using emulator = await startNode({ controlToken });
  const page = await newPage();
  await page.goto(`${emulator.control}/#token=${controlToken}`);
  await page.getByRole("link", { name: "Help", exact: true }).click();
  const saving = page.waitForEvent("download");
  await page.getByRole("link", { name: "/openapi.json" }).click();
  expect((await saving).suggestedFilename()).toBe("openapi.json");
  await page.close();
});
