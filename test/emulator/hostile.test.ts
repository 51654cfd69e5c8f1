import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { BLOCKED, control, fapi, list, raw, signaling } from "./calls";

/** A connection that is left open. */
function open(base: string, bytes: string): Promise<Socket> {
  return new Promise((resolve) => {
    const { port } = new URL(base);
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(bytes, () => resolve(socket)));
    socket.on("error", () => {});
  });
}

const post = (headers: string, body: string | Buffer = "") =>
  Buffer.concat([Buffer.from(`POST /fapi HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n\r\n`), Buffer.from(body)]);

async function stillServes(emulator: Emulator): Promise<void> {
  expect((await fapi(emulator, list)).status).toBe(200);
  expect((await control(emulator, "GET", "/health")).status).toBe(200);
}

test("a request with too many headers is answered 431", async () => {
  await using emulator = await startEmulator();
  expect(await raw(emulator.endpoint, post(`X-Long: ${"x".repeat(20_000)}`))).toMatch(/^HTTP\/1\.1 431 /);
  await stillServes(emulator);
});

test("a client that is still sending reads its 413", async () => {
  await using emulator = await startEmulator({ dialect: { maxBodyBytes: 100_000 } });
  const data = Array.from({ length: 100_000 }, (_, at) => ({
    p: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}/32`,
    v: 1,
  }));
  const body = JSON.stringify({ url: "prefixset://edge/blocked", cmd: "insert", data });
  for (let n = 0; n < 10; n += 1) expect((await fapi(emulator, body)).status).toBe(413);
  expect(emulator.requests({ status: 413 })).toHaveLength(10);
});

test("a body that grows too large unannounced is answered 413, the rest unread", async () => {
  await using emulator = await startEmulator({ dialect: { maxBodyBytes: 100_000 } });
  const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
  const socket = await open(
    emulator.endpoint,
    post("Content-Type: application/json\r\nTransfer-Encoding: chunked").toString(),
  );
  const answer = new Promise<string>((resolve) => socket.once("data", (data) => resolve(data.toString())));
  socket.write(chunk);
  socket.write(chunk);
  expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
  await new Promise((resolve) => socket.once("close", resolve));
  await stillServes(emulator);
});

test.each([
  [
    "an array in an array, a hundred thousand deep",
    `{"url":"${BLOCKED}","cmd":"insert","data":[${"[".repeat(100_000)}${"]".repeat(100_000)}]}`,
  ],
  [
    "an object in an entry, a hundred thousand deep",
    `{"url":"${BLOCKED}","cmd":"insert","data":[${'{"p":'.repeat(100_000)}1${"}".repeat(100_000)}]}`,
  ],
  ["a member named __proto__", `{"url":"${BLOCKED}","cmd":"list","__proto__":{"data":1}}`],
  [
    "an entry with a member named __proto__",
    `{"url":"${BLOCKED}","cmd":"insert","data":[{"p":"192.0.2.0/24","v":1,"__proto__":{}}]}`,
  ],
  ["a url of a megabyte", JSON.stringify({ url: `prefixset://${"x".repeat(2 ** 20)}/y`, cmd: "list" })],
  ["a prefix of a megabyte", JSON.stringify({ url: BLOCKED, cmd: "insert", data: [{ p: "1".repeat(2 ** 20), v: 1 }] })],
])("%s is refused, and the journal stays readable", async (_, body) => {
  await using emulator = await startEmulator();
  expect((await fapi(emulator, body)).status).toBe(400);
  const journal = await control(emulator, "GET", "/journal");
  expect(journal.json).toMatchObject([{ status: 400 }]);
  expect(emulator.prefixSet(BLOCKED).staged).toEqual(emulator.prefixSet(BLOCKED).applied);
  await stillServes(emulator);
});

test("of data items that are longer than any valid one, the journal keeps the beginning", async () => {
  const secretKey = "canary-of-a-secret";
  await using emulator = await startEmulator({
    state: {
      arenas: { edge: { sets: { blocked: {} } } },
      signaling: { clients: [{ clientId: "client-a", secretKey, prefixes: ["198.51.100.0/24"] }] },
    },
  });
  const long = "1".repeat(2 ** 16);
  const withSecret = `${".".repeat(95)}${secretKey}`;
  const data = [{ a: "192.0.2.0/24" }, long, { a: long }, { [long]: 1 }, Array(5_000).fill(1), withSecret];
  await fapi(emulator, { url: BLOCKED, cmd: "delete", data });
  await signaling(emulator.signalingUrl, { clientId: "client-a", secretKey }, "start", [long]);
  const [first, ...others] = emulator.journal.flatMap((entry) => entry.data ?? []);
  expect(first).toEqual({ a: "192.0.2.0/24" });
  expect(others).toHaveLength(data.length);
  for (const item of others) expect(item).toMatch(/^[[{":.a1,]+\**…?$/);
  expect(others.map((item) => String(item).length).filter((length) => length > 101)).toEqual([]);
});

test("hundreds of half-open and half-sent connections hinder no other client, and closing does not wait for them", async () => {
  const emulator = await startEmulator();
  const begun = ["", "POST /fapi HT", "POST /fapi HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"];
  const sockets = await Promise.all(
    Array.from({ length: 300 }, (_, at) => open(at % 2 ? emulator.endpoint : emulator.control, begun[at % 3] ?? "")),
  );
  await stillServes(emulator);
  const gone = Promise.all(sockets.map((socket) => new Promise((resolve) => socket.resume().once("close", resolve))));
  await emulator.close();
  await gone;
});

test("a request that breaks off in its body leaves nothing behind", async () => {
  await using emulator = await startEmulator();
  for (let n = 0; n < 20; n += 1) {
    const socket = await open(
      emulator.endpoint,
      post("Content-Type: application/json\r\nContent-Length: 100", "{").toString(),
    );
    socket.resetAndDestroy();
  }
  await stillServes(emulator);
  expect(emulator.journal).toHaveLength(1);
  expect(emulator.journal[0]?.concurrent).toBeLessThanOrEqual(21);
});

test("a reader that takes nothing of a long list does not hold others up", async () => {
  const shost = Array.from({ length: 50_000 }, (_, at) => ({ address: `10.0.${at >> 8}.${at & 255}`, id: 1 }));
  const emulator = await startEmulator({
    state: { arenas: { edge: { sets: { blocked: {} }, profiles: { web: { marks: { shost } } } } } },
  });
  const body = JSON.stringify({ url: "mark://edge/web", cmd: "list", type: "shost" });
  const idle = await open(
    emulator.endpoint,
    post(`Content-Type: application/json\r\nUser-Arena: edge\r\nContent-Length: ${body.length}`, body).toString(),
  );
  idle.pause();
  await stillServes(emulator);
  await emulator.close();
  idle.destroy();
});

/** A command as it stands, with further headers and another target. */
function command(body: string, headers = "Content-Type: application/json", target = "/fapi", host = "127.0.0.1") {
  const head = `POST ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}\r\n`;
  return `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

test("a name that stands twice in one object is refused, or the last counts", async () => {
  await using emulator = await startEmulator();
  const twice = [
    [`{"url":"${BLOCKED}","cmd":"list","cmd":"list"}`, "cmd"],
    [`{"url":"${BLOCKED}","cmd":"insert","data":[{"p":"192.0.2.9","v":1,"\\u0076":2}]}`, "v"],
    [`{"url":"${BLOCKED}","url":"${BLOCKED}","cmd":"insert","data":[{"p":"192.0.2.8","v":{":":"\\"}"}}]}`, "url"],
  ] as const;
  for (const [body, name] of twice) {
    const error = `"${name}" appears twice in one object`;
    expect(await fapi(emulator, body)).toMatchObject({ status: 400, json: { error } });
  }
  const start = `${emulator.signalingUrl}/client-a/emulator-secret-a/start`;
  const body = '{"IP_prefix":["198.51.100.7/32"],"IP_prefix":["198.51.100.8/32"]}';
  const refused = await fetch(start, { method: "POST", body });
  expect([refused.status, await refused.text()]).toEqual([400, '"IP_prefix" appears twice in one object']);
  const many = Array.from(
    { length: 20_000 },
    (_, at) => `{"p":"10.0.${at >> 8}.${at & 255}","v":1${at === 19_000 ? ',"v":2' : ""}}`,
  );
  const long = `{"url":"${BLOCKED}","cmd":"insert","data":[${many}]}`;
  expect((await fapi(emulator, long)).json).toEqual({ error: '"v" appears twice in one object' });
  expect(emulator.prefixSet(BLOCKED).staged).toEqual(emulator.prefixSet(BLOCKED).applied);

  emulator.setDialect({ duplicateMembers: "last" });
  expect((await fapi(emulator, twice[1][0])).status).toBe(200);
  expect(emulator.prefixSet(BLOCKED).staged).toHaveProperty(["192.0.2.9/32"], 2);
  expect(await (await fetch(start, { method: "POST", body })).text()).toBe("ok");
  expect(emulator.signalings["client-a"]).toEqual(["198.51.100.8/32"]);
});

test("a prefix that stands twice in one insert is refused, or the last or first one counts, whatever happens to existing ones", async () => {
  await using emulator = await startEmulator();
  const insert = {
    url: BLOCKED,
    cmd: "insert",
    data: ["203.0.113.7", "203.0.113.7/32"].map((p, at) => ({ p, v: at + 1 })),
  };
  const error = "entry 1: 203.0.113.7/32 appears twice in this insert";
  expect(await fapi(emulator, insert)).toMatchObject({ status: 400, json: { error } });
  expect(emulator.prefixSet(BLOCKED).staged).toEqual(emulator.prefixSet(BLOCKED).applied);
  for (const insertExisting of ["overwrite", "error", "ignored"] as const) {
    for (const [repeatedEntry, value] of [["error"], ["last", 2], ["first", 1]] as const) {
      emulator.reset();
      emulator.setDialect({ insertExisting, repeatedEntry });
      expect((await fapi(emulator, insert)).status).toBe(value === undefined ? 400 : 200);
      expect(emulator.prefixSet(BLOCKED).staged["203.0.113.7/32"]).toBe(value);
    }
    emulator.setDialect({ insertExisting });
    emulator.change(BLOCKED, { insert: { "203.0.113.7/32": 5 } });
    expect((await fapi(emulator, insert)).status).toBe(400);
  }
});

test("a body labelled gzip is answered 415 with what is accepted, or the label is ignored", async () => {
  await using emulator = await startEmulator();
  const json = "Content-Type: application/json\r\nContent-Encoding:";
  const refused = await raw(emulator.endpoint, command(JSON.stringify(list), `${json} gzip`));
  expect(refused).toMatch(/^HTTP\/1\.1 415 .*\r\naccept-encoding: identity\r\n.*"error":"the header Content-Encoding/s);
  expect(emulator.journal).toMatchObject([{ status: 415 }]);
  const start = "/path/client-a/emulator-secret-a/start";
  const body = '{"IP_prefix":["198.51.100.7/32"]}';
  expect(await raw(emulator.endpoint, command(body, "Content-Encoding: br", start))).toMatch(/^HTTP\/1\.1 415 /);
  expect(emulator.signalings["client-a"]).toEqual([]);
  expect(await raw(emulator.endpoint, command(JSON.stringify(list), `${json} identity`))).toMatch(/^HTTP\/1\.1 200 /);
  emulator.setDialect({ contentEncoding: "ignored" });
  expect(await raw(emulator.endpoint, command(JSON.stringify(list), `${json} gzip`))).toMatch(/^HTTP\/1\.1 200 /);
});

test("a whole address as the target is answered like its path, and its secrets are redacted", async () => {
  await using emulator = await startEmulator();
  const json = "Content-Type: application/json";
  const node = command(JSON.stringify(list), json, "http://node.example:80/fapi", "other.example");
  expect(await raw(emulator.endpoint, node)).toMatch(/^HTTP\/1\.1 200 /);
  const status = "http://user:canary@node.example/path/client-a/emulator-secret-a/status";
  const get = (target: string, host: string) => `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  expect(await raw(emulator.endpoint, get(status, "x"))).toMatch(/^HTTP\/1\.1 200 .*IP_prefix/s);
  expect(emulator.journal.map(({ path, headers }) => [path, headers.host])).toEqual([
    ["/fapi", "node.example:80"],
    ["/path/client-a/***/status", "node.example"],
  ]);
  expect(JSON.stringify(emulator.journal)).not.toMatch(/canary|emulator-secret/);
  const { host } = new URL(emulator.control);
  expect(await raw(emulator.control, get(`http://${host}/health`, "attacker.example"))).toMatch(/^HTTP\/1\.1 200 /);
  expect(await raw(emulator.control, get("http://attacker.example/state", host))).toMatch(/^HTTP\/1\.1 403 /);
});

test("odd methods, targets and versions are refused", async () => {
  await using emulator = await startEmulator();
  const requests = [
    "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "GET http://other.example/fapi HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    ...["ftp://node.example.net/fapi", "//node.example.net/fapi", "node.example.net:443", "*"].map(
      (target) => `POST ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`,
    ),
    "CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /path/%zz/%00/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "GET //%zz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
    "GET /snapshots/%zz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
    "POST /fapi HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ];
  for (const base of [emulator.endpoint, emulator.control]) {
    for (const request of requests) expect(await raw(base, request)).toMatch(/^(HTTP\/1\.1 4\d\d |$)/);
  }
  await stillServes(emulator);
});
