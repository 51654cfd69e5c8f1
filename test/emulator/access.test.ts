import { X509Certificate } from "node:crypto";
import { request } from "node:https";
import { connect } from "node:tls";
import { expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { systemWall } from "../../provider/emulator/time/clock";
import { fapi, list } from "./calls";

/** A status over https, or the error of the connection. */
function status(endpoint: string, tls: { ca?: string; cert?: string; key?: string }): Promise<number | string> {
  return new Promise((resolve) => {
    const options = { method: "POST", headers: { "content-type": "application/json" }, agent: false as const, ...tls };
    const call = request(`${endpoint}/fapi`, options, (answer) => resolve(answer.resume().statusCode ?? 0));
    call.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    call.end(JSON.stringify(list));
  });
}

test.each([
  [{ bearer: "canary" }, "Bearer canary"],
  [{ basic: { user: "operator", password: "canary" } }, `Basic ${btoa("operator:canary")}`],
])("the node API wants %j", async (auth, authorization) => {
  await using emulator = await startEmulator({ auth });
  expect((await fapi(emulator, list)).status).toBe(401);
  expect((await fapi(emulator, list, { authorization: "Bearer wrong" })).status).toBe(401);
  expect((await fapi(emulator, list, { authorization })).status).toBe(200);
  expect(JSON.stringify(emulator.journal)).not.toMatch(/canary|Y2FuYXJ5/);
});

test("https with a certificate of its own, which a client can check", async () => {
  await using emulator = await startEmulator({ tls: true });
  expect(emulator.endpoint).toMatch(/^https:/);
  expect(await status(emulator.endpoint, { ca: emulator.tls?.ca })).toBe(200);
  expect(await status(emulator.endpoint.replace("127.0.0.1", "localhost"), { ca: emulator.tls?.ca })).toBe(200);
  expect(await status(emulator.endpoint, {})).toMatch(/SELF_SIGNED|UNABLE_TO/);
});

test("https that wants a client certificate", async () => {
  await using emulator = await startEmulator({ tls: "mutual" });
  expect(await status(emulator.endpoint, { ...emulator.tls })).toBe(200);
  expect(await status(emulator.endpoint, { ca: emulator.tls?.ca })).not.toBe(200);
  await using other = await startEmulator({ tls: "mutual" });
  expect(await status(emulator.endpoint, { ...other.tls, ca: emulator.tls?.ca })).not.toBe(200);
});

test("https with given certificates; faults break its connections too", async () => {
  await using first = await startEmulator({ tls: true });
  const { ca, cert, key } = first.tls ?? { ca: "", cert: "", key: "" };
  await using emulator = await startEmulator({ tls: { cert, key } });
  const { port } = new URL(emulator.endpoint);
  const peer = await new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().subject.CN);
      socket.destroy();
    });
  });
  expect(peer).toBe("client.test");
  first.fail({ kind: "reset" });
  expect(await status(first.endpoint, { ca })).toMatch(/ECONNRESET|EPROTO|socket/);
});

test("off loopback the control API wants its token", async () => {
  await using emulator = await startEmulator({ controlToken: "canary" });
  const call = (token: string) => fetch(`${emulator.control}/state`, { headers: { authorization: `Bearer ${token}` } });
  expect((await call("wrong")).status).toBe(401);
  expect((await call("canary")).status).toBe(200);
  expect((await fetch(`${emulator.control}/health`)).status).toBe(200);
  await using open = await startEmulator({ host: "0.0.0.0" });
  expect(open.controlToken).toHaveLength(32);
});

test.each(["2030-06-01", "2049-06-01", "2050-01-01", "2061-03-01"])(
  "a certificate made on %s is valid then, for a year",
  async (date) => {
    const now = Date.parse(`${date}T00:00:00Z`);
    await using emulator = await startEmulator({ tls: "mutual", wall: { ...systemWall, now: () => now } });
    const { ca = "", cert = "" } = emulator.tls ?? {};
    for (const made of [new X509Certificate(ca), new X509Certificate(cert)]) {
      expect(Date.parse(made.validFrom)).toBe(now - 86_400_000);
      expect(Date.parse(made.validTo)).toBe(now + 365 * 86_400_000);
      expect(made.verify(new X509Certificate(ca).publicKey)).toBe(true);
    }
    expect(emulator.clock.now.toISOString()).toContain(date);
  },
);
