import { expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";

// The example of docs/emulator.md is cut from here.
test("a program under test meets a failing commit", async () => {
  // <example>
  await using emulator = await startEmulator({
    state: { arenas: { edge: { sets: { blocked: { "192.0.2.0/24": 1 } } } } },
  });
  emulator.fail({ cmd: "commit", nth: 1, status: 503 });

  const send = (command: object) =>
    fetch(`${emulator.endpoint}/fapi`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ url: "prefixset://edge/blocked", ...command }),
    });
  await send({ cmd: "insert", data: [{ p: "203.0.113.0/24", v: 2 }] });
  const statuses = [(await send({ cmd: "commit" })).status, (await send({ cmd: "commit" })).status];

  expect(statuses).toEqual([503, 200]);
  expect(emulator.prefixSet("prefixset://edge/blocked").applied).toEqual({ "192.0.2.0/24": 1, "203.0.113.0/24": 2 });
  expect(emulator.requests({ cmd: "commit" }).map(({ commit }) => commit?.inserted)).toEqual([
    undefined,
    { "203.0.113.0/24": 2 },
  ]);
  // </example>
});
