import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { CertificateAuthority } from "../../provider/emulator/http/certificates";
import { Unavailable } from "../../provider/forwarder/unavailable";
import { configOf, openForwarder, roundInto, stateWith, temporaryFolder } from "./support/forward";
import { httpSink } from "./support/http-sink";

const CLI = join(__dirname, "../../dist/provider/cli.js");
const authority = new CertificateAuthority("test authority", Date.now());

/** A proxy on loopback, and what it was asked for. */
const asked: unknown[] = [];
const proxy = createServer((incoming, response) => {
  asked.push([incoming.method, incoming.url, incoming.headers["proxy-authorization"]]);
  const { "proxy-authorization": _, ...headers } = incoming.headers;
  const onward = request(incoming.url ?? "", { method: "POST", headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502);
    answer.pipe(response);
  });
  incoming.pipe(onward);
}).on("connect", ({ url = "", headers }, socket) => {
  asked.push(["CONNECT", url, headers["proxy-authorization"]]);
  const [host = "", port] = url.split(":");
  if (headers["proxy-authorization"] === undefined) return void socket.end("HTTP/1.1 407 no\r\n\r\n");
  const onward = connect(Number(port), host, () => {
    socket.write("HTTP/1.1 200 ok\r\n\r\n");
    socket.pipe(onward).pipe(socket);
  });
  for (const one of [socket, onward]) one.on("error", () => onward.destroy());
});
const bodies: string[] = [];
const secure = createSecureServer(authority.issueServer("127.0.0.1"), async (incoming, response) => {
  let body = "";
  for await (const chunk of incoming) body += chunk;
  bodies.push(body);
  response.writeHead(204).end();
});
const portOf = (server: typeof proxy) => (server.address() as AddressInfo).port;
for (const server of [proxy, secure]) server.listen(0, "127.0.0.1");
afterAll(() => {
  for (const server of [proxy, secure]) server.close();
});

const BASIC = `Basic ${Buffer.from("user:pass").toString("base64")}`;

/** One round with a sink, by the proxy of the environment. */
async function sent(url: string, env: (proxy: string) => Record<string, string>, onceDeadlineMs = 30_000) {
  asked.length = bodies.length = 0;
  const web = { name: "web", type: "http", url, ...(url.startsWith("https") && { tls: { ca: authority.cert } }) };
  const through = { env: env(`http://user:pass@127.0.0.1:${portOf(proxy)}`) };
  return await roundInto([web], stateWith(3), { onceDeadlineMs }, through);
}

test("a sink with https goes through a tunnel of HTTPS_PROXY, its certificate is still checked, and nodes are asked directly", async () => {
  const url = `https://127.0.0.1:${portOf(secure)}/in`;
  expect((await sent(url, (HTTPS_PROXY) => ({ HTTPS_PROXY }))).ok).toBe(true);
  expect(asked).toEqual([["CONNECT", `127.0.0.1:${portOf(secure)}`, BASIC]]);
  expect(bodies.join("").trim().split("\n")).toHaveLength(3);
  const wrong = url.replace("127.0.0.1", "localhost");
  const { ok, told } = await sent(wrong, (HTTPS_PROXY) => ({ HTTPS_PROXY }), 1_000);
  expect([ok, bodies]).toEqual([false, []]);
  expect(told.join()).toMatch(/altnames/);
});

test("the command as it is packed goes through the tunnel, too, for which it loads the whole of undici", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateWith(3) });
  asked.length = bodies.length = 0;
  const file = join(folder.path, "forwarder.yaml");
  const web = { name: "web", type: "http", url: `https://127.0.0.1:${portOf(secure)}/in`, tls: { ca: authority.cert } };
  writeFileSync(file, JSON.stringify(configOf(emulator, [web])));
  const env = { ...process.env, HTTPS_PROXY: `http://user:pass@127.0.0.1:${portOf(proxy)}`, NO_PROXY: "" };
  await promisify(execFile)(process.execPath, [CLI, "forward", "--once", "--config", file], { env });
  expect(asked).toEqual([["CONNECT", `127.0.0.1:${portOf(secure)}`, BASIC]]);
  expect(bodies.join("").trim().split("\n")).toHaveLength(3);
});

test("one with http goes through HTTP_PROXY, also in small letters and without a scheme; hosts of NO_PROXY do not", async () => {
  const web = await httpSink();
  for (const name of ["HTTP_PROXY", "http_proxy"]) {
    expect((await sent(web.url, (proxy) => ({ [name]: proxy.replace("http://", "") }))).ok).toBe(true);
    expect(asked).toEqual([["POST", web.url, BASIC]]);
  }
  for (const NO_PROXY of ["127.0.0.1", "*", `logs.example.net,127.0.0.1:${new URL(web.url).port}`]) {
    expect((await sent(web.url, (HTTP_PROXY) => ({ HTTP_PROXY, HTTPS_PROXY: HTTP_PROXY, NO_PROXY }))).ok).toBe(true);
    expect(asked).toEqual([]);
  }
  expect(web.bodies).toHaveLength(5);
});

test("a proxy that lets no one in is an outage, and one that is no url is told before anything is opened, without its password", async () => {
  const url = `https://127.0.0.1:${portOf(secure)}/in`;
  const { ok, told } = await sent(url, (proxy) => ({ HTTPS_PROXY: proxy.replace("user:pass@", "") }), 50);
  expect([ok, bodies]).toEqual([false, []]);
  expect(told.join()).toMatch(/Sink "web" accepts no records: .*407/);
  using folder = temporaryFolder();
  const config = configOf({ endpoint: "http://192.0.2.10" }, [{ name: "web", type: "http", url }]);
  const env = { HTTPS_PROXY: "ftp://user:canary@192.0.2.1" };
  const said =
    'Sink "web" goes through a proxy, and HTTPS_PROXY is not the url of one: write for example "http://192.0.2.1:3128".';
  await expect(openForwarder(config, folder.path, { env })).rejects.toThrow(new Unavailable(said));
});
