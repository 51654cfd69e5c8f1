import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { OPERATIONS } from "../../provider/emulator/control/operations";
import { control, fapi, signaling } from "./calls";

const BLOCKED = "prefixset://edge/blocked";

test("the control API shows and changes what the emulator holds", async () => {
  const held = { "192.0.2.0/24": 1, "2001:db8:bad::/48": 1 };
  await using emulator = await startEmulator({
    state: {
      arenas: {
        edge: { sets: { blocked: held }, profiles: { clean: { prefixes: ["198.51.100.0/24"] }, protected: {} } },
      },
    },
  });
  expect((await control(emulator, "GET", "/info")).json).toEqual(emulator.info());

  const changed = { url: BLOCKED, insert: { "203.0.113.9": 3 }, delete: ["192.0.2.0/24"] };
  expect((await control(emulator, "POST", "/prefix-set/change", changed)).status).toBe(200);
  const applied = { "203.0.113.9/32": 3, "2001:db8:bad::/48": 1 };
  expect((await control(emulator, "GET", `/prefix-set?url=${BLOCKED}`)).json).toEqual({ applied, staged: applied });

  await control(emulator, "POST", "/signalings", { clientId: "client-a", start: ["198.51.100.7"] });
  expect((await control(emulator, "GET", "/bound-profile?address=198.51.100.7")).json).toEqual({
    profile: "profile://edge/protected",
  });
  expect(emulator.journal).toEqual([]);

  await control(emulator, "POST", "/reset");
  expect(emulator.prefixSet(BLOCKED).applied).toEqual(held);
  expect(emulator.signalings["client-a"]).toEqual([]);
});

test("a state that was exported starts an emulator with the same content, staged changes included", async () => {
  await using emulator = await startEmulator();
  emulator.clock.freeze("2026-12-01T00:00:00Z");
  emulator.change(BLOCKED, { insert: { "192.0.2.0/24": 1 } });
  await fapi(emulator, { url: BLOCKED, cmd: "insert", data: [{ p: "203.0.113.0/24", v: 4 }] });
  await fapi(emulator, { url: BLOCKED, cmd: "delete", data: [{ a: "192.0.2.0/24" }] });
  await signaling(emulator.signalingUrl, emulator.clients[0], "start", ["198.51.100.0/25"]);
  const exported = (await control(emulator, "GET", "/state")).json;

  await using copy = await startEmulator();
  copy.clock.freeze("2026-12-01T00:00:00Z");
  expect((await control(copy, "PUT", "/state", exported)).status).toBe(200);
  expect(copy.state()).toEqual(emulator.state());
  expect(copy.prefixSet(BLOCKED)).toEqual(emulator.prefixSet(BLOCKED));
  expect(copy.boundProfile("198.51.100.1")).toBe("profile://edge/protected");
});

test("a wrong state is refused with its place, and nothing changes", async () => {
  await using emulator = await startEmulator();
  emulator.clock.freeze();
  const before = emulator.state();
  const bad = { arenas: { edge: { sets: { blocked: { "192.0.2.1/24": 1 } } } } };
  const answer = await control(emulator, "PUT", "/state", bad);
  expect(answer).toMatchObject({ status: 400, json: { error: expect.stringContaining("arenas") } });
  expect(emulator.state()).toEqual(before);
  await expect(startEmulator({ state: bad })).rejects.toThrow(/arenas\.edge\.sets\.blocked.*write "192\.0\.2\.0\/24"/);
});

test("a method that a path does not have is answered with those that it has, each once", async () => {
  await using emulator = await startEmulator();
  const allowed = async (path: string) => {
    const answer = await fetch(`${emulator.control}${path}`, { method: "PATCH" });
    return [answer.status, answer.headers.get("allow")];
  };
  expect(await allowed("/page/overview")).toEqual([405, "GET"]);
  expect(await allowed("/journal")).toEqual([405, "GET, DELETE"]);
  expect(new Set(OPERATIONS.map(({ method, path }) => `${method} ${path}`)).size).toBe(OPERATIONS.length);
});

test("what is no operation is refused, and so is what another page could send", async () => {
  await using emulator = await startEmulator();
  expect((await control(emulator, "GET", "/nothing")).status).toBe(404);
  expect((await control(emulator, "DELETE", "/state")).status).toBe(405);
  expect((await control(emulator, "POST", "/faults", { kind: "rain" })).status).toBe(400);
  expect((await control(emulator, "GET", "/prefix-set?url=prefixset://edge/nowhere")).status).toBe(404);
  const foreign = await fetch(`${emulator.control}/reset`, {
    method: "POST",
    headers: { origin: "http://www.example" },
  });
  expect(foreign.status).toBe(403);
  const plain = await fetch(`${emulator.control}/faults`, { method: "POST", body: "{}" });
  expect(plain.status).toBe(400);
});

test.each([
  ["POST", "/faults", 32 * 2 ** 20],
  ["PUT", "/state", 128 * 2 ** 20],
])("a body of %s %s beyond its limit is refused unread, and told the limit", async (method, path, most) => {
  await using emulator = await startEmulator();
  const headers = { "content-type": "application/json", "content-length": most + 1 };
  const sent = request(`${emulator.control}${path}`, { method, headers });
  sent.flushHeaders();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  expect([answer.statusCode, JSON.parse(Buffer.concat(await answer.toArray()).toString())]).toEqual([
    413,
    { error: `the body is too large: at most ${most} bytes` },
  ]);
  sent.destroy();
});

test.each([
  ["deep JSON", "application/json", "[".repeat(100_000) + "]".repeat(100_000), "nested deeper than 100 levels"],
  ["deep YAML", "application/yaml", "[".repeat(100_000) + "]".repeat(100_000), "nest"],
  ["YAML that holds itself", "application/yaml", "arenas: &all { edge: *all }", "or contains itself"],
])("%s is refused with a sentence, and is no defect of the emulator", async (_, type, body, sentence) => {
  await using emulator = await startEmulator();
  emulator.clock.freeze();
  const before = emulator.state();
  const answer = await fetch(`${emulator.control}/state`, { method: "PUT", headers: { "content-type": type }, body });
  expect([answer.status, (await answer.json()) as unknown]).toEqual([
    400,
    { error: expect.stringContaining(sentence) },
  ]);
  expect(emulator.state()).toEqual(before);
});
