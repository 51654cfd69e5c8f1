import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { OPERATIONS } from "../../provider/emulator/control/operations";
import { control } from "./calls";

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

test("what is no operation is refused, and so is a body of no known type", async () => {
  await using emulator = await startEmulator();
  expect((await control(emulator, "GET", "/nothing")).status).toBe(404);
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

test.each([{ advance: "5" }, { advance: "9000000d" }])(
  "a refused time changes nothing, though a freeze goes with it: %j",
  async (wrong) => {
    await using emulator = await startEmulator();
    const answer = await control(emulator, "POST", "/clock", { freeze: "2030-01-01T00:00:00Z", ...wrong });
    expect([answer.status, emulator.clock.frozen]).toEqual([400, false]);
  },
);
