import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { ownPort } from "../support/ports";
import { serveRaw } from "../support/raw-server";
import { raw } from "./calls";

const LIST = JSON.stringify({ url: "prefixset://edge/blocked", cmd: "list" });

/** A request to the node API, with these headers beside its own. */
const post = (headers: string, target = "/fapi") =>
  `POST ${target} HTTP/1.1\r\n${headers}\r\nContent-Type: application/json\r\nUser-Arena: edge\r\nConnection: close\r\nContent-Length: ${LIST.length}\r\n\r\n${LIST}`;

const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

test("with a real node behind it, the protocol port passes on nothing that a web page of another site sends", async () => {
  let passed = 0;
  using node = await serveRaw((_, response) => {
    passed += 1;
    response.end("{}");
  });
  await using emulator = await startEmulator({ proxy: node.url });
  for (const refused of [
    post("Host: rebound.example.com"),
    post("Host: 127.0.0.1\r\nOrigin: https://evil.example.com"),
    post("Host: 127.0.0.1\r\nOrigin: null"),
    // The host of an absolute target counts instead of the header (RFC 9112, 3.2.2).
    post("Host: 127.0.0.1", "http://rebound.example.com/fapi"),
    // An image or a script of a page has no Origin, and neither has a link.
    post("Host: 127.0.0.1\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors"),
    post("Host: 127.0.0.1\r\nSec-Fetch-Site: same-site\r\nSec-Fetch-Mode: no-cors"),
    post("Host: 127.0.0.1\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate").replace("POST", "GET"),
  ])
    expect(statuses(await raw(emulator.endpoint, refused)), refused).toEqual([403]);
  expect(passed).toBe(0);
  for (const taken of [post("Host: 127.0.0.1"), post("Host: localhost:81"), post("Host: x", "http://[::1]:81/fapi")])
    expect(statuses(await raw(emulator.endpoint, taken)), taken).toEqual([200]);
  expect(passed).toBe(3);
});

test.each([
  ["/path/../../admin", 403],
  ["/path/%2e%2e/%2E%2e/admin", 403],
  ["/path/..%2F..%2Fadmin", 403],
  ["/path/client-a/..%5C..%5C..%5Cadmin", 403],
  ["/path/\\..\\..\\admin", 403],
  ["/path/client-a/%zz/status", 403],
  ["/path/client-a/sec%2Fret/status", 200],
  ["/path/client-a/%252e%252e/status", 200],
  ["/path/client-a/key/../key/status", 200],
])("a receiver behind it is reached below its base alone: %s", async (target, status) => {
  const asked: (string | undefined)[] = [];
  using receiver = await serveRaw(({ url }, response) => {
    asked.push(url);
    response.end("{}");
  });
  await using emulator = await startEmulator({ proxySignaling: `${receiver.url}/base` });
  expect(statuses(await raw(emulator.endpoint, post("Host: 127.0.0.1", target)))).toEqual([status]);
  expect(asked).toHaveLength(status === 200 ? 1 : 0);
  for (const url of asked) expect(url).toMatch(/^\/base\/client-a\//);
});

test("a page of another site changes nothing by the control API, and a link of one may open the emulator's page", async () => {
  await using emulator = await startEmulator();
  const ask = (method: string, path: string, mode: string, host = "127.0.0.1") =>
    raw(
      emulator.control,
      `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: ${mode}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    );
  expect(statuses(await ask("POST", "/reset", "no-cors"))).toEqual([403]);
  expect(statuses(await ask("POST", "/reset", "navigate"))).toEqual([403]);
  expect(statuses(await ask("GET", "/state", "no-cors"))).toEqual([403]);
  expect(statuses(await ask("GET", "/", "navigate"))).toEqual([200]);
  // A name that leads to loopback.
  expect(statuses(await ask("GET", "/", "navigate", "attacker.example"))).toEqual([403]);
});

test("clients may call it by the name that --advertise says", async () => {
  using node = await serveRaw((_, response) => response.end("{}"));
  const [port, advertise] = [await ownPort(), "http://emulator.example.net:8080"];
  await using _emulator = await startEmulator({ proxy: node.url, port, advertise });
  const at = `http://127.0.0.1:${port}`;
  expect(statuses(await raw(at, post("Host: emulator.example.net:8080")))).toEqual([200]);
  expect(statuses(await raw(at, post("Host: other.example.net:8080")))).toEqual([403]);
});

/** Requests that two readers could take apart in two ways, each with a second one hidden in it. */
const HIDDEN = post("Host: 127.0.0.1");
const SMUGGLED: Record<string, string> = {
  "a length and chunks": `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  "a folded header": `X: a\r\n Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n${HIDDEN}`,
  "a line that ends with LF": `X: a\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${HIDDEN}`,
};

test.each(Object.entries(SMUGGLED))("no request hides in another: %s", async (_, rest) => {
  await using emulator = await startEmulator();
  const answer = await raw(emulator.endpoint, `POST /fapi HTTP/1.1\r\nHost: 127.0.0.1\r\n${rest}`);
  expect(statuses(answer)).toEqual([400]);
  expect(emulator.journal.map(({ cmd }) => cmd)).not.toContain("list");
  const control = await raw(emulator.control, `POST /reset HTTP/1.1\r\nHost: 127.0.0.1\r\n${rest}`);
  expect(statuses(control)).toEqual([400]);
});

test("a recording keeps of a redirect no client id", async () => {
  const folder = await mkdtemp(join(tmpdir(), "packetfilter-redirect-"));
  using receiver = await serveRaw((_, response) =>
    response.writeHead(307, { location: "https://receiver.example.net/path/client-of-another/key/status" }).end(),
  );
  const record = join(folder, "receiver.ndjson");
  {
    await using proxy = await startEmulator({ proxySignaling: receiver.url, record });
    const headers = "Host: 127.0.0.1\r\nConnection: close\r\nContent-Length: 0";
    await raw(proxy.endpoint, `POST /path/client-a/secret-of-a/status HTTP/1.1\r\n${headers}\r\n\r\n`);
  }
  const text = await readFile(record, "utf8");
  await rm(folder, { recursive: true });
  expect(text).toContain('"location":"https://receiver.example.net/path/***/***/***"');
  expect(text).not.toContain("client-of-another");
});
