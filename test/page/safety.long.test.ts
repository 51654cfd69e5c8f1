import { request } from "node:http";
import { describe, expect, test } from "vitest";
import type { Emulator } from "../../provider/emulator";
import { fapi } from "../emulator/calls";
import { serveRaw } from "../support/raw-server";
import { openView, startNode, useBrowser, VIEWS } from "./support";

const { open, newPage } = useBrowser();
/** Names take neither a blank nor a slash, so no attribute. */
const EVIL_NAME = "<evil-name><script>window.struck=1";
const EVIL = `<img src=x onerror="window.struck=1"><script>window.struck=1</script>`;

/** A request with headers that fetch would not let pass. */
function raw(emulator: Emulator, method: string, path: string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(emulator.control);
    request({ hostname, port, method, path, headers }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode ?? 0));
    })
      .on("error", reject)
      .end();
  });
}

test("the page is its own files only, with a policy that lets nothing else in", async () => {
  await using emulator = await startNode();
  await using view = await open(emulator);
  for (const hash of ["sets", "marks", "signaling", "faults", "packets"])
    await view.page.locator(`a[href="#${hash}"]`).click();
  const origins = new Set(view.requests.map((url) => new URL(url).origin));
  expect([...origins]).toEqual([emulator.control]);
  expect(view.complaints).toEqual([]);
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
  expect(await view.page.evaluate(inline)).toBe("refused");
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
  await using view = await open(emulator);
  const { page } = view;
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
  expect(view.complaints).toEqual([]);
});

describe("on loopback, without a token", () => {
  test("a page of another origin changes nothing, whatever it tries", async () => {
    await using emulator = await startNode();
    const attack = `<script type="module">
      const tries = [
        ["/reset", { method: "POST" }],
        ["/faults", { method: "POST", body: '{"kind":"reset"}', headers: { "content-type": "application/json" } }],
        ["/faults", { method: "POST", body: '{"kind":"reset"}', mode: "no-cors" }],
        ["/journal", { method: "DELETE" }],
        ["/state", {}],
        ["/", {}],
      ];
      const outcomes = await Promise.all(tries.map(([path, init]) =>
        fetch("${emulator.control}" + path, init).then((it) => it.type === "opaque" ? "opaque" : it.status, () => "refused")));
      const frame = document.createElement("iframe");
      frame.src = "${emulator.control}/";
      document.body.append(frame);
      document.title = outcomes.join(" ");
    </script>`;
    using server = await serveRaw((_, response) =>
      response.setHeader("content-type", "text/html").end(`<body>${attack}`),
    );
    emulator.change("prefixset://edge/blocked", { insert: { "203.0.113.7/32": 1 } });
    await fapi(emulator, { url: "prefixset://edge/blocked", cmd: "list" });
    const page = await newPage();
    await page.goto(server.url);
    await expect.poll(() => page.title()).toBe("refused refused opaque refused refused refused");
    await page.close();
    expect(emulator.faults).toEqual([]);
    expect(emulator.journal.length).toBe(1);
    expect(emulator.prefixSet("prefixset://edge/blocked").applied["203.0.113.7/32"]).toBe(1);
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
      expect([path, await raw(emulator, "GET", path)]).toEqual([path, 404]);
    }
  });
});

describe("with a token", () => {
  const controlToken = "a-token-for-this-test";

  test("the page says nothing before it has it, and asks for it", async () => {
    await using emulator = await startNode({ controlToken });
    const page = await newPage();
    await page.goto(emulator.control);
    await page.getByText("its control API requires a token").waitFor();
    expect(await page.content()).not.toContain("profile://");
    expect([await raw(emulator, "GET", "/page/overview"), await raw(emulator, "GET", "/events")]).toEqual([401, 401]);
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
    await using view = await open(emulator, `#token=${controlToken}`);
    await fapi(emulator, { url: "prefixset://edge/blocked", cmd: "list" });
    await view.page.locator(".line", { hasText: "prefixset://edge/blocked" }).waitFor();
    expect(view.page.url()).toBe(`${emulator.control}/`);
    expect(view.requests.filter((url) => url.includes(controlToken) && !url.includes("#"))).toEqual([]);
  });
});
