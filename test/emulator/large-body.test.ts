import { expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { fapi } from "./calls";

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
