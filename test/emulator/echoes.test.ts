import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { serveRaw } from "../support/raw-server";
import { BLOCKED, control, fapi } from "./calls";

const TOKEN = "canary+/=\"'&%<>\\ k3y";

/** Ways in which a node behind the emulator echoes a credential. */
const ECHOES: Record<string, (text: string) => string> = {
  "as it is": (text) => text,
  "twice percent": (text) => encodeURIComponent(encodeURIComponent(text)),
  "json by number": (text) => text.replace(/\W/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`),
  "html by number": (text) => text.replace(/\W/g, (sign) => `&#${sign.charCodeAt(0)};`),
  base64url: (text) => Buffer.from(`it was ${text}`).toString("base64url"),
  "without its end": (text) => text.slice(0, 8),
};

describe.each(Object.entries(ECHOES))("a node that echoes a credential, %s", (_name, echo) => {
  test("leaves none of it in the journal, the HTTP archive and a recording", async () => {
    const folder = await mkdtemp(join(tmpdir(), "packetfilter-echo-"));
    using node = await serveRaw((_, response) =>
      response
        .writeHead(400, {
          location: `/path/c7/${encodeURIComponent(TOKEN)}/status`,
          "www-authenticate": encodeURIComponent(echo(TOKEN)),
        })
        .end(`you sent ${echo(TOKEN)}.`),
    );
    const record = join(folder, "node.ndjson");
    const told: string[] = [];
    {
      await using proxy = await startEmulator({ proxy: node.url, record });
      await fapi(proxy, { url: BLOCKED, cmd: "list" }, { "x-token": TOKEN });
      told.push(JSON.stringify(proxy.journal), JSON.stringify((await control(proxy, "GET", "/journal.har")).json));
      expect(proxy.journal[0]).toMatchObject({ answer: expect.stringMatching(/^(you sent "?\*\*\*"?\.|\*\*\*)$/) });
    }
    told.push(await readFile(record, "utf8"));
    await rm(folder, { recursive: true });
    for (const text of told) {
      expect(text).not.toMatch(/canar|k3y|Y2FuYXJ5/);
      expect(text).not.toContain(echo(TOKEN));
    }
  });
});

test("a credential of a few characters is cut out where it stands alone", async () => {
  using node = await serveRaw((_, response) => response.end("you sent s3c, not s3cond, with 204"));
  await using proxy = await startEmulator({ proxy: node.url });
  await fapi(proxy, { url: BLOCKED, cmd: "list" }, { "x-token": "s3c", "x-mode": "204" });
  expect(proxy.journal[0]?.answer).toBe("you sent ***, not s3cond, with 204");
});

test("of an answer in JSON only the texts that may repeat a credential are not kept", async () => {
  const echo = TOKEN.replace(/\W/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const answer = { error: "no such set", sent: echo, raw: TOKEN, name: 'M\u00fcller "a"', size: 12 };
  using node = await serveRaw((_, response) => response.end(JSON.stringify(answer).replace("\u00fc", "\\u00fc")));
  await using proxy = await startEmulator({ proxy: node.url });
  await fapi(proxy, { url: BLOCKED, cmd: "list" }, { "x-token": TOKEN });
  expect(JSON.parse(proxy.journal[0]?.answer ?? "")).toEqual({ ...answer, sent: "***", raw: "***" });
});

test.each(["user-agent", "packetfilter-run", "accept", "accept-language", "cache-control", "user-arena"])(
  "a credential that the client repeats in %s is not kept, in whatever form",
  async (name) => {
    await using emulator = await startEmulator();
    const basic = `Basic ${Buffer.from(`admin:${TOKEN}`).toString("base64")}`;
    for (const [form, kept] of [
      [TOKEN, "tool/1 (***)"],
      [encodeURIComponent(TOKEN), "tool/1 (***)"],
      [Buffer.from(TOKEN).toString("base64"), "tool/1 (***)"],
      [encodeURIComponent(encodeURIComponent(TOKEN)), "***"],
      [TOKEN.slice(0, 9), "***"],
      ["of another", "tool/1 (of another)"],
    ]) {
      const headers = { authorization: basic, "x-token": TOKEN, [name]: `tool/1 (${form})` };
      await fapi(emulator, { url: BLOCKED, cmd: "list" }, headers);
      expect(emulator.journal.at(-1)?.headers[name]).toBe(kept);
    }
    const archive = JSON.stringify((await control(emulator, "GET", "/journal.har")).json);
    for (const text of [JSON.stringify(emulator.journal), archive]) expect(text).not.toMatch(/canar|k3y|Y2FuYXJ5/);
  },
);

test("a decoded password of basic authentication that the answer repeats is not kept", async () => {
  using node = await serveRaw((_, response) => response.end('{"error":"no user admin with hunter2-7"}'));
  await using proxy = await startEmulator({ proxy: node.url });
  const authorization = `Basic ${btoa("admin:hunter2-7")}`;
  await fapi(proxy, { url: BLOCKED, cmd: "list" }, { authorization });
  expect(proxy.journal[0]?.answer).toBe('{"error":"no user admin with ***"}');
});

test.each([
  ["http://user:pw@192.0.2.1/path/c7/k3y/status?token=x#y", "http://***@192.0.2.1/path/***/***/***?***"],
  ["/path/c7/k3y/status", "/path/***/***/***"],
  ["//192.0.2.1/v2/path/c7/k3y/", "//192.0.2.1/v2/***/***/***/"],
  ["../c7/k3y", "../***/***"],
])("of a redirect to %s the journal keeps %s", async (location, kept) => {
  using node = await serveRaw((_, response) => response.writeHead(302, { location }).end());
  await using proxy = await startEmulator({ proxy: node.url });
  const body = JSON.stringify({ url: BLOCKED, cmd: "list" });
  await fetch(`${proxy.endpoint}/fapi`, { method: "POST", body, redirect: "manual" });
  expect(proxy.journal[0]?.answerHeaders?.location).toBe(kept);
  const archive = JSON.stringify((await control(proxy, "GET", "/journal.har")).json);
  expect(archive).toContain(`"redirectURL":${JSON.stringify(kept)}`);
  expect(archive).not.toContain("k3y");
});
